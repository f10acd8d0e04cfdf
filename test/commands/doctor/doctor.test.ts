// `social doctor` on machines in every state: what it finds is so, its commands mend it, and it neither connects
// anywhere nor tells anything of a token.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/commands/doctor/finding.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome, launcher, shell, social } from '../../support/program.ts';
import {
  recordingServer,
  errorResponse,
  type StubResponse,
} from '../../support/recording-server.ts';
import { closedPort } from '../../support/misbehaving-server.ts';
import { NOON, testCli, type RunOptions } from '../../support/test-cli.ts';
import { loginTo } from '../../support/command-lines.ts';
import { needsUnix } from '../../support/unix.ts';

type Env = Readonly<Record<string, string>>;

/** A machine of the test's own: its commands run in this process, and as the built program where a shell needs it. */
function setup() {
  const { social: run, clock, folder } = testCli();
  const here = (env: Env) => ({ HOME: folder, SHELL: '/bin/bash', ...env });
  const examine = async (env: Env = {}, ...more: readonly string[]) => {
    const outcome = await run(['doctor', '--json', ...more], { env: here(env) });
    const findings = JSON.parse(outcome.stdout) as readonly Finding[];
    const failing = findings.filter(({ status }) => status === 'fail');
    expect(outcome.exitCode).toBe(failing.length > 0 ? 13 : 0);
    expect(outcome.stderr === '').toBe(failing.length === 0);
    return findings;
  };
  /** Does as a finding says, in a shell. */
  const mend = (fix: string, env: Env = {}) => {
    const places = {
      SOCIAL_CONFIG_DIR: join(folder, 'config'),
      SOCIAL_STATE_DIR: join(folder, 'state'),
    };
    return shell(fix, { home: folder, env: { ...here(env), ...places } });
  };
  return { run, clock, folder, examine, mend };
}

/** One on which nothing is wrong: a token in the file, the sandbox used, completion installed. */
async function setupSound(url = 'http://127.0.0.1:9') {
  const sound = setup();
  const login = loginTo(url, '-C', 'prod', '--insecure-storage');
  await sound.run(login, { stdin: `${CANARY}\n` });
  await sound.run(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch']);
  fs.writeFileSync(join(sound.folder, '.bashrc'), 'eval "$(social completion bash -q)"\n');
  return sound;
}

const ill = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== 'ok');

describe('on a fresh machine', () => {
  it('a state folder that cannot be made is told of', async () => {
    const home = freshHome();
    fs.writeFileSync(join(home, 'file'), '');
    const env = { SOCIAL_STATE_DIR: join(home, 'file', 'below', 'state') };
    const { stdout } = await socialInProcess(['doctor', '--json'], { home, env });
    const findings = JSON.parse(stdout) as readonly Finding[];
    expect(findings.find(({ check }) => check === 'state')).toMatchObject({
      status: 'warn',
      what: expect.stringContaining('cannot be made') as string,
    });
  });

  it('nothing fails, nothing is made, and what there is to do is said', async () => {
    const home = freshHome();
    const outcome = await social(['doctor', '--json'], { home, env: { SHELL: '/bin/bash' } });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    const findings = JSON.parse(outcome.stdout) as readonly Finding[];
    expect(ill(findings)).toEqual([
      {
        check: 'service',
        status: 'warn',
        what: 'no service is configured; -C sandbox needs none',
        fix: 'social auth login',
      },
      {
        check: 'completion',
        status: 'warn',
        what: 'not installed for bash',
        fix: "social completion bash -q > ~/.social.bash && echo '. ~/.social.bash' >> ~/.bashrc",
      },
    ]);
    expect(findings.find(({ check }) => check === 'cache')!.what).toMatch(
      /dist\/cache\/v[\d.]+-\w+$/,
    );
    expect(fs.readdirSync(home)).toEqual([]);
  });
});

describe('on a sound machine', () => {
  it('everything is well, and the token is known by its source and its origin alone', async () => {
    const findings = await (await setupSound()).examine();
    expect(ill(findings)).toEqual([]);
    const said = Object.fromEntries(findings.map(({ check, what }) => [check, what]));
    expect(said).toMatchObject({
      service: 'http://127.0.0.1:9, context prod',
      token: 'from file, bound to http://127.0.0.1:9',
      completion: expect.stringContaining('.bashrc') as string,
      state: expect.stringContaining('private and writable') as string,
      sandbox: expect.stringMatching(/sandbox\.ndjson, \d+ records$/) as string,
    });
    expect(JSON.stringify(findings)).not.toMatch(new RegExp(`\\b${CANARY.length}\\b`));
  });

  it('is told to people with sign, word, and the command to copy on a line of its own', async () => {
    const { run, folder } = await setupSound();
    const { exitCode, stdout } = await run(['doctor', '-o', 'table'], {
      env: { HOME: folder, SHELL: '/bin/zsh' },
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^✓ ok {4}token {10}from file, bound to/m);
    expect(stdout).toMatch(/^! warn {2}completion {5}not installed for zsh$/m);
    expect(stdout).toMatch(
      /^ +try: social completion zsh -q > ~\/\.social\.zsh && echo '\. ~\/\.social\.zsh' >> ~\/\.zshrc$/m,
    );
    expect(stdout).not.toContain('\u001b');
  });
});

/** Ways to spoil a sound machine: what is done, and what is found of it. */
const ailments: readonly (readonly [
  name: string,
  spoil: (home: string) => void,
  found: Partial<Finding>,
])[] = [
  [
    'a folder that others may write into',
    (home) => fs.chmodSync(join(home, 'config'), 0o777),
    { check: 'configuration', status: 'fail' },
  ],
  [
    'settings that others may read',
    (home) => fs.chmodSync(join(join(home, 'config'), 'config.json'), 0o644),
    { check: 'configuration', status: 'warn' },
  ],
  [
    'damaged settings',
    (home) => fs.writeFileSync(join(join(home, 'config'), 'config.json'), '{"contexts":'),
    { check: 'configuration', status: 'fail' },
  ],
  [
    'tokens that others may read',
    (home) => fs.chmodSync(join(join(home, 'config'), 'credentials.json'), 0o644),
    { check: 'token', status: 'fail' },
  ],
  [
    'state that others may read',
    (home) => fs.chmodSync(join(home, 'state/sandbox.ndjson'), 0o644),
    { check: 'state', status: 'warn' },
  ],
  [
    'a journal that others may read',
    (home) => {
      const journals = join(home, 'state/journals');
      fs.mkdirSync(journals, { mode: 0o700 });
      fs.writeFileSync(join(journals, 'a.journal'), '', { mode: 0o640 });
    },
    { check: 'state', status: 'warn' },
  ],
  [
    'a damaged sandbox',
    (home) => fs.writeFileSync(join(home, 'state/sandbox.ndjson'), 'x\ny\n'),
    { check: 'sandbox', status: 'warn' },
  ],
  [
    'no completion',
    (home) => fs.rmSync(join(home, '.bashrc')),
    { check: 'completion', status: 'warn' },
  ],
  [
    'a setting of no use',
    (home) => {
      const path = join(join(home, 'config'), 'config.json');
      const before = JSON.parse(fs.readFileSync(path, 'utf8')) as object;
      fs.writeFileSync(path, JSON.stringify({ ...before, retries: 'many' }));
    },
    { check: 'settings', status: 'fail' },
  ],
];

describe('what is wrong is found, and its command mends it', () => {
  it.each(ailments)('%s', async (_name, spoil, found) => {
    const { folder, examine, mend } = await setupSound();
    spoil(folder);
    const findings = ill(await examine());
    expect(findings).toContainEqual(expect.objectContaining(found));
    const { fix } = findings.find(({ check }) => check === found.check)!;
    const { exitCode, stderr } = await mend(fix!);
    expect({ fix, exitCode, stderr }).toMatchObject({ fix, exitCode: 0 });
    const after = ill(await examine()).filter(({ check }) => check === found.check);
    expect(after).toEqual([]);
  });

  it('a completion of another version', async () => {
    const { folder, examine, mend } = setup();
    const file = join(folder, '.config/fish/completions/social.fish');
    fs.mkdirSync(join(file, '..'), { recursive: true });
    fs.writeFileSync(file, '# old\n');
    const env = { SHELL: '/usr/bin/fish' };
    const [stale] = ill(await examine(env)).filter(({ check }) => check === 'completion');
    expect(stale?.what).toBe(`${file} is from another version`);
    await mend(stale!.fix!, env);
    expect((await examine(env)).find(({ check }) => check === 'completion')).toMatchObject({
      status: 'ok',
      what: `fish, ${file}`,
    });
  });

  it.each<readonly [string, string, check: string, words: string, fix: string | undefined]>([
    [
      'SOCIAL_TIMEOUT',
      '10',
      'settings',
      'needs a whole number above 0 and a unit',
      'unset SOCIAL_TIMEOUT',
    ],
    ['SOCIAL_CONTEXT', 'nowhere', 'settings', 'does not exist', 'unset SOCIAL_CONTEXT'],
    ['SOCIAL_TOKEN', 'a b', 'token', 'position 2', undefined],
    ['SOCIAL_TOKEN_FILE', '/no/such/file', 'token', 'does not exist', undefined],
    ['HTTPS_PROXY', 'socks5://u:hunter2@p.example', 'proxy', 'proxy URL', 'unset HTTPS_PROXY'],
    [
      'NODE_EXTRA_CA_CERTS',
      '/dev/null',
      'certificates',
      'no certificate found',
      'unset NODE_EXTRA_CA_CERTS',
    ],
    [
      'NODE_TLS_REJECT_UNAUTHORIZED',
      '0',
      'certificates',
      'always checked',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    ],
    ['SOCIAL_BASE_URL', 'http://api.example', 'service', 'a token over http', undefined],
  ])('%s=%s', async (name, value, check, words, fix) => {
    const findings = await (await setupSound()).examine({ [name]: value });
    const found = ill(findings).find((each) => each.check === check);
    expect(found?.what).toContain(words);
    expect(found?.fix).toBe(fix);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  it('a token that belongs to another origin, and none at all', async () => {
    const { examine } = await setupSound();
    expect(ill(await examine({ SOCIAL_BASE_URL: 'https://other.example' }))).toEqual([
      {
        check: 'token',
        status: 'fail',
        what: expect.stringContaining('belongs to http://127.0.0.1:9') as string,
        // A login to prod would move the context to the other address.
        fix: 'social auth login -C <name> --base-url https://other.example',
      },
    ]);
    const none = await setup().examine({ SOCIAL_BASE_URL: 'https://a.example', SHELL: '' });
    expect(ill(none)).toEqual([
      {
        check: 'token',
        status: 'fail',
        what: 'none for https://a.example',
        fix: 'social auth login --base-url https://a.example',
      },
    ]);
  });
});

describe('without --network', () => {
  const canTrace = spawnSync('strace', ['-f', '-e', 'trace=connect', 'true']).status === 0;

  it.runIf(canTrace)('nobody is contacted, and no token command is run', async () => {
    needsUnix('tracing, namespaces and limits');
    const { run, folder, mend } = await setupSound('https://127.0.0.1:9');
    const touched = join(folder, 'touched');
    const set = ['context', 'set', 'cmd', '--base-url', 'https://127.0.0.1:9'];
    await run([...set, '--token-command', `touch ${touched}`]);
    const trace = `strace -f -qq -e trace=socket,connect -o "$HOME/calls"`;
    for (const context of ['prod', 'cmd', 'sandbox']) {
      await mend(`${trace} "${process.execPath}" "${launcher}" doctor -C ${context}`);
      expect(fs.readFileSync(join(folder, 'calls'), 'utf8')).not.toContain('AF_INET');
    }
    expect(fs.existsSync(touched)).toBe(false);
  });
});

const dated = (ms: number, answer: StubResponse): StubResponse => ({
  ...answer,
  headers: { ...answer.headers, date: new Date(ms).toUTCString() },
});

describe('with --network', () => {
  it.each<readonly [string, () => StubResponse, readonly Partial<Finding>[]]>([
    [
      'a service that has no such post',
      () => dated(NOON, errorResponse(404)),
      [
        {
          check: 'network',
          status: 'ok',
          what: 'the service responds and probably accepts the token',
        },
        { check: 'clock', status: 'ok' },
      ],
    ],
    [
      'a token that is refused',
      () => dated(NOON, errorResponse(401)),
      [{ check: 'network', status: 'fail', fix: 'social auth login -C prod' }, { check: 'clock' }],
    ],
    [
      'a clock that is a minute off',
      () => dated(NOON - 60_000, errorResponse(404)),
      [
        { check: 'network' },
        {
          check: 'clock',
          status: 'warn',
          what: expect.stringMatching(/^(?:59|6\d) s ahead of/) as string,
        },
      ],
    ],
    [
      'a clock that is a year off',
      () => dated(NOON + 365 * 86_400_000, errorResponse(404)),
      [
        { check: 'network' },
        { check: 'clock', status: 'fail', fix: 'sudo timedatectl set-ntp true' },
      ],
    ],
    [
      'an address that is another’s',
      () => dated(NOON, { status: 301, headers: { location: 'https://new.example/' } }),
      [
        {
          check: 'network',
          status: 'fail',
          what: expect.stringContaining('https://new.example/') as string,
        },
        { check: 'clock' },
      ],
    ],
  ])('%s', async (_name, answer, expected) => {
    const service = await recordingServer(answer());
    const env = { TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const findings = await (await setupSound(service.url)).examine(env, '--network');
    const online = findings.filter(({ check }) => ['network', 'clock'].includes(check));
    expect(online).toHaveLength(2);
    expect(online).toMatchObject(expected);
    expect(
      service.requests.map(({ method, headers }) => [method, headers['authorization']]),
    ).toEqual([['GET', `Bearer ${CANARY}`]]);
    expect(service.requests[0]!.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) as string,
      traceparent: env.TRACEPARENT,
    });
  });

  it('a service that is not there', async () => {
    const port = await closedPort();
    const { examine } = await setupSound(`http://127.0.0.1:${port}`);
    const findings = await examine({}, '--network');
    const [network] = findings.filter(({ check }) => check === 'network');
    expect(network).toMatchObject({ status: 'fail' });
    expect(network!.what).toContain('connection refused');
    expect(findings.filter(({ check }) => check === 'clock')).toHaveLength(1);
  });

  it('sends no token where there is none, or where it may not go', async () => {
    const service = await recordingServer(errorResponse(401));
    const env = { SOCIAL_BASE_URL: service.url };
    const findings = await setup().examine(env, '--network');
    expect(findings.find(({ check }) => check === 'network')).toMatchObject({
      status: 'ok',
      what: 'the service responds (HTTP 401); no token was sent',
    });
    const { examine } = await setupSound('https://own.example');
    const foreign = await examine(env, '--network');
    expect(foreign.find(({ check }) => check === 'token')?.status).toBe('fail');
    expect(service.requests.map(({ headers }) => headers['authorization'])).toEqual([
      undefined,
      undefined,
    ]);
  });
});

/** One finding in another world. */
const look = async (check: string, scene: RunOptions, folder?: string) => {
  const { stdout } = await testCli(folder).social(['doctor', '--json'], scene);
  return (JSON.parse(stdout) as Finding[]).find((each) => each.check === check);
};

describe('what only another machine shows', () => {
  it.each<readonly [string, RunOptions, Partial<Finding>]>([
    [
      'wide',
      { columns: 120, env: { TERM: 'xterm' } },
      { status: 'ok', what: '120 columns, colour, UTF-8' },
    ],
    [
      'narrow',
      { columns: 40, env: { TERM: 'xterm' } },
      { status: 'ok', what: expect.stringContaining('blocks') as string },
    ],
    [
      'without colour',
      { columns: 80, env: { TERM: 'xterm', NO_COLOR: '1' } },
      { what: '80 columns, no colour, UTF-8' },
    ],
    [
      'of ASCII',
      { columns: 80, env: { TERM: 'xterm', LANG: 'C' } },
      { status: 'warn', fix: 'export LC_ALL=C.UTF-8' },
    ],
    ['dumb', { columns: 80, env: { TERM: 'dumb' } }, { status: 'warn' }],
    ['a pipe', {}, { status: 'ok', what: expect.stringContaining('pipe') as string }],
  ])('a terminal: %s', async (_name, scene, expected) => {
    expect(await look('terminal', scene)).toMatchObject(expected);
  });

  it('a keychain that holds a token, has lost it, or is gone', async () => {
    const { social: run, folder } = testCli();
    const kept = new Map<string, string>();
    const keychain = {
      read: async (name: string) => kept.get(name),
      write: async (name: string, secret: string) => void kept.set(name, secret),
      remove: async (name: string) => void kept.delete(name),
    };
    const login = loginTo('https://a.example', '-C', 'prod');
    expect(await look('keychain', { keychain }, folder)).toMatchObject({ status: 'ok' });
    await run(login, { keychain, stdin: `${CANARY}\n` });
    expect(await look('keychain', { keychain }, folder)).toMatchObject({
      status: 'ok',
      what: 'available, stores the token of prod',
    });
    expect(await look('token', { keychain }, folder)).toMatchObject({
      what: 'from keychain, bound to https://a.example',
    });
    kept.clear();
    expect(await look('keychain', { keychain }, folder)).toMatchObject({
      status: 'fail',
      fix: 'social auth login -C prod',
    });
    expect(await look('keychain', {}, folder)).toMatchObject({
      status: 'fail',
      fix: 'social auth login -C prod --insecure-storage',
    });
  });

  it('a token command that was not found on this machine', async () => {
    const { social: run, folder } = testCli();
    const set = ['context', 'set', 'prod', '--base-url', 'https://a.example', '--token-command'];
    await run([...set, 'no-such-program-here show']);
    expect(await look('token', { env: { PATH: '/bin' } }, folder)).toMatchObject({
      status: 'fail',
    });
    await run([...set, 'sh -c true']);
    expect(await look('token', { env: { PATH: '/bin' } }, folder)).toMatchObject({
      status: 'ok',
      what: 'from the command sh, not run',
    });
  });

  it('a narrow terminal has what was seen below each name', async () => {
    const env = { TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1' };
    const { stdout } = await testCli().social(['doctor'], { columns: 50, env });
    expect(stdout).toContain(
      '\n! warn  service\n        no service is configured; -C sandbox needs\n        none\n',
    );
    expect(stdout).toContain('\n        try: social auth login\n');
    const wide = stdout.split('\n').filter((line) => line.length > 50 && /\S \S/.test(line.trim()));
    expect(wide).toEqual([]);
  });

  it('a clock from before the program was installed', async () => {
    const { social: run, clock, folder } = testCli();
    fs.mkdirSync(join(folder, 'program'));
    clock.now = NOON - 86_400_000 * 3650;
    const { exitCode, stdout } = await run(['doctor', '--json']);
    expect(exitCode).toBe(13);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'clock',
        status: 'fail',
        fix: 'sudo timedatectl set-ntp true',
      }),
    );
  });

  it('a flag that is wrong is a usage error, not a finding', async () => {
    const outcome = await testCli().social(['doctor', '--timeout', '10']);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
