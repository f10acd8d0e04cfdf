// Settings and token files that another user could have written or moved into place.

import * as fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { post } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { bareEnv, freshHome, root, social } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { needsUnix } from '../support/unix.ts';

const isRoot = process.getuid?.() === 0;
/** A user and a group that have no name here. */
const NOBODY = 61_234;
const canBecome = isRoot && spawnSync('setpriv', ['--version']).status === 0;
const get = ['posts', 'get', 'PostSpringLaunch'];

/** A home whose settings name a program that gives the token, and leaves a note that it ran. */
async function setup() {
  needsUnix('Unix shell');
  const service = await recordingServer({ body: post('PostSpringLaunch') });
  const home = freshHome();
  const folder = join(home, '.config/social');
  const [config, program, ran] = [
    join(folder, 'config.json'),
    join(home, 'manager'),
    join(home, 'ran'),
  ];
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.chmodSync(join(home, '.config'), 0o755);
  fs.writeFileSync(program, `#!/bin/sh\n: > ${ran}\necho ${CANARY}\n`, { mode: 0o755 });
  const prod = { baseUrl: service.url, tokenCommand: [program] };
  fs.writeFileSync(config, JSON.stringify({ context: 'prod', contexts: { prod } }), {
    mode: 0o600,
  });
  return { service, home, folder, config, ran };
}
type Setup = Awaited<ReturnType<typeof setup>>;
type Run = typeof social | typeof socialInProcess;

/** Returns the text of a refusal, before which nothing was read, run or sent. */
const refusalOf = async ({ service, home, ran }: Setup, run: Run = socialInProcess) => {
  const { exitCode, stdout, stderr } = await run(get, { home });
  const did = [fs.existsSync(ran), service.connections()];
  expect({ exitCode, stdout, did }).toEqual({ exitCode: 13, stdout: '', did: [false, 0] });
  return stderr;
};

describe('settings are trusted', () => {
  it.each([
    ['620', social],
    ['664', socialInProcess],
    ['602', socialInProcess],
  ] as const)('unless others may write the file: mode %s', async (mode, run) => {
    needsUnix('owners and modes');
    const staged = await setup();
    fs.chmodSync(staged.config, Number.parseInt(mode, 8));
    const why = `mode 0${mode})`;
    expect(await refusalOf(staged, run)).toContain(
      `refusing to read ${staged.config}: others may write it (${why}`,
    );
  });

  it.each(['770', '720', '1777'])('unless others can write to their folder: %s', async (mode) => {
    needsUnix('owners and modes');
    const staged = await setup();
    fs.chmodSync(staged.folder, Number.parseInt(mode, 8));
    const why = `others may write it (mode 0${mode.slice(-3)})`;
    expect(await refusalOf(staged)).toContain(`refusing to use ${staged.folder}: ${why}`);
  });

  it.each([
    ['list', ['context', 'list']],
    ['change', ['context', 'set', 'x', '--base-url', 'https://a.example']],
    ['agent', ['mcp', 'serve']],
  ] as const)('by no command otherwise, and left unchanged: %s', async (_what, argv) => {
    needsUnix('owners and modes');
    const { home, config } = await setup();
    const before = fs.readFileSync(config);
    fs.chmodSync(config, 0o666);
    const { exitCode, stderr, stdout } = await socialInProcess(argv, { home });
    expect(stdout + stderr).toContain('others may write it');
    expect(exitCode).toBe(13);
    expect(fs.readFileSync(config)).toEqual(before);
  });
});

it('settings that are not UTF-8 are rejected, and left unchanged to the byte', async () => {
  const { home, config } = await setup();
  const bytes = Buffer.from('{"contexts":{"prod":{"account":"\xff"}}}', 'latin1');
  fs.writeFileSync(config, bytes);
  for (const argv of [get, ['config', 'set', 'retries', '1'], ['context', 'list']]) {
    const { exitCode, stderr } = await socialInProcess(argv, { home });
    expect(exitCode).toBe(13);
    expect(stderr).toContain(
      `${config} is damaged: it is not valid UTF-8; the file was not changed`,
    );
  }
  expect(fs.readFileSync(config)).toEqual(bytes);
});

it.runIf(canBecome)(
  'a user that the system knows only by number needs no home folder',
  async ({ skip }) => {
    // The checkout may lie below a folder that only its owner can enter, as the home of the superuser is.
    const copy = freshHome();
    for (const folder of ['bin', 'dist'])
      fs.cpSync(join(root, folder), join(copy, folder), { recursive: true });
    spawnSync('chmod', ['-R', 'a+rX', copy]);
    const service = await recordingServer({ body: post('PostSpringLaunch') });
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const become = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const run = (...argv: readonly string[]) =>
      execa('setpriv', [...become, process.execPath, join(copy, 'bin/social.js'), ...argv], {
        cwd: copy,
        env: { ...bareEnv('', env), HOME: undefined },
        extendEnv: false,
        reject: false,
      });
    skip((await run('--version')).exitCode !== 0, `user ${NOBODY} cannot run ${process.execPath}`);
    expect(await run(...get)).toMatchObject({ exitCode: 0 });
    const changed = await run('config', 'set', 'retries', '1');
    expect(changed.exitCode).toBe(13);
    expect(changed.stderr).toContain('permission denied');
  },
);
