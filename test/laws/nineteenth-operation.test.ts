// Operations that the service could add: the code of CONTRIBUTING.md and of inventions.md, added to a copy of src/,
// compiles, builds and is used: what was built by `social`, its source in this process by `run`. A test fails here if
// generic code knows a single operation: that code would have to be changed too. The copy also has the addresses that
// its publisher sets in package.json.

import { savedLines } from '../support/saved-list.ts';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as program from '../../src/program.ts';
import type * as serve from '../../src/sandbox/serve.ts';
import { hostOf } from '../support/in-process.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { mcpClient } from '../support/mcp-client.ts';
import { freshHome, root, type Setting, social } from '../support/program.ts';
import { assertNoToken, CANARY } from '../support/token-leak-check.ts';

const CODE = 'wintergreen7';
const ACCOUNT = 'AccountDiscordAa';
const WORDS = ['accounts', 'discord', 'invite'];
const place = mkdtempSync(join(tmpdir(), 'social-nineteenth-'));
const launcher = join(place, 'bin/social.js');

const addresses = {
  homepage: 'https://docs.example/social',
  bugs: { url: 'https://bugs.example/social' },
};

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const [, guide = ''] = textOf('CONTRIBUTING.md').split('## The nineteenth operation');

/** Returns the blocks of code in a text, each with the file and the object that the words before it name. */
function blocksIn(text: string) {
  const found = text.matchAll(/(?:`(\w+)` of )?`(src\/[^`]+\.ts)`[^]*?```ts\n([^]*?)```/g);
  return Array.from(found, ([, object, file, code]) => ({ object, file: file!, code: code! }));
}

const blocks = [
  ...blocksIn(guide.split(/^## /m)[0]!),
  ...blocksIn(textOf('test/laws/inventions.md')),
];

/** A method goes into the object of its area; everything else to the end of the file. */
function added(source: string, { object, code }: (typeof blocks)[number]): string {
  if (object === undefined) return `${source}\n${code}`;
  const start = `export const ${object}: HandlersOf<'${object}'> = {\n`;
  expect(source).toContain(start);
  return source.replace(start, () => start + code);
}

const node = (script: string, ...args: readonly string[]) =>
  execa(process.execPath, [script, ...args], { cwd: place, reject: false });

let printed = '';

beforeAll(async () => {
  for (const part of ['src', 'bin', 'scripts', 'package.json', 'package-lock.json', 'SKILL.md'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  for (const block of blocks) {
    const path = join(place, block.file);
    writeFileSync(path, added(readFileSync(path, 'utf8'), block));
  }
  const manifest = JSON.parse(textOf('package.json')) as object;
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, ...addresses }));
  const config = JSON.parse(textOf('tsconfig.json')) as object;
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));
  const done = await Promise.all([
    node(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--singleThreaded'),
    node('scripts/build.mjs'),
  ]);
  const failed = done.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length > 0)
    throw new Error(failed.map(({ stdout, stderr }) => stdout + stderr).join());
  printed = done.map(({ stdout, stderr }) => stdout + stderr).join('');
  const { stdout } = await execa(process.execPath, [launcher, '__tree'], built);
  writeFileSync(join(place, 'dist/completion.json'), stdout);
}, 120_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The program that was built with the operation, and one code cache for all its runs: the build fills none. */
const built = { program: launcher, env: { XDG_CACHE_HOME: join(place, 'cache') } };

/** Runs the source of the copy in this process. */
async function run(
  argv: readonly string[],
  { home = freshHome(), env = {}, input = '' }: Setting = {},
) {
  const path = join(place, 'src/program.ts');
  const { runProgram } = (await import(path)) as typeof program;
  const said = { stdout: '', stderr: '' };
  const exitCode = await runProgram(argv, hostOf({ home, env, input }, said));
  assertNoToken({ argv, env, ...said });
  return { exitCode, ...said };
}

const invite = (...more: readonly string[]) => run([...WORDS, ...more]);

it('three kinds of file are enough to add operations', () => {
  expect(blocks.map(({ file }) => file)).toEqual([
    'src/api/schema/account.ts',
    'src/api/operations/accounts.ts',
    'src/sandbox/handlers/accounts.ts',
    'src/api/schema/credential.ts',
    'src/api/operations/credentials.ts',
    'src/sandbox/handlers/admin.ts',
    'src/api/operations/posts.ts',
    'src/sandbox/handlers/posts.ts',
  ]);
});

it('the program with new operations compiles and builds without a warning', () =>
  expect(printed).toBe(''));

describe('the operation of CONTRIBUTING.md', () => {
  it('is a command with help and completion', async () => {
    const { stdout, exitCode } = await social([...WORDS, '--help'], built);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('social accounts discord invite <invite-code> -a <id> [flags]');
    expect(stdout).toMatch(/-a, --account <id> +Account ID/);
    expect(stdout).toMatch(/--wait +Wait until paired or expired/);
    const typed = ['__complete', 'social accounts discord '];
    expect((await social(typed, built)).stdout).toMatch(/^invite\b/m);
  });

  it('validates its input before anything is sent', async () => {
    const { stderr, exitCode } = await invite('..', '-C', 'sandbox');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--account is required; use -a, or set SOCIAL_ACCOUNT');
    expect(stderr).toContain('invite code cannot be ".."');
  });

  it('is called with the account of the environment, and shown with labels and tones', async () => {
    const setting = { program: launcher, env: { ...built.env, SOCIAL_ACCOUNT: ACCOUNT } };
    const { stdout, exitCode } = await social(
      [...WORDS, CODE, '-C', 'sandbox', '-o', 'table'],
      setting,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status: +◌ pending$/m);
    expect(stdout).toMatch(/^questions: +2$/m);
    expect(stdout).toMatch(/^expires: +in 10 minutes$/m);
    expect(stdout).toMatch(/^invite code: +wintergreen7$/m);
  });

  it('is waited for', async () => {
    const waiting = `-a ${ACCOUNT} -C sandbox -o table --wait --interval 300ms`.split(' ');
    const { stdout, stderr, exitCode } = await invite(CODE, ...waiting);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status: +✓ connected$/m);
    expect(stderr).toMatch(/^\+\d+s connected$/m);
    const late = await invite('unanswered', ...waiting, '--wait-timeout', '100ms');
    expect(late.exitCode).toBe(8);
    expect(late.stderr).toContain('to resume, run the same command again');
  });

  it('shows its credential only in the result', async () => {
    const called = ['-a', ACCOUNT, '-C', 'sandbox', '--json'];
    const debugged = await invite(CODE, ...called, '--debug');
    expect(debugged.stderr).toContain(`/v1/accounts/${ACCOUNT}/discord-invites/[redacted]`);
    expect(debugged.stderr).not.toContain(CODE);
    expect(JSON.parse(debugged.stdout)).toMatchObject({
      inviteCode: CODE,
      guildId: expect.stringMatching(/^\d+$/) as unknown,
    });
    const path = `/v1/accounts/${ACCOUNT}/discord-invites/${CODE}`;
    const other = await run(['api', 'GET', path, '-C', 'sandbox']);
    expect(JSON.parse(other.stdout)).toMatchObject({ inviteCode: '[redacted]', status: 'pending' });
  });

  it('is in JSON Schema, without command-line properties', async () => {
    const own = await run(['schema', ...WORDS]);
    expect(JSON.parse(own.stdout)).toMatchObject({
      input: { required: ['inviteCode', 'accountId'] },
    });
    expect(own.stdout).not.toMatch(/"(?:tones|look|fromContext)":/);
  });

  it('is a tool for agents', async () => {
    const { tools, call } = await mcpClient(['-C', 'sandbox'], built);
    const name = 'accounts_discord_invite';
    expect((await tools()).map((tool) => tool.name)).toContain(name);
    const { isError, data } = await call(name, { inviteCode: CODE, accountId: ACCOUNT });
    expect({ isError, data }).toMatchObject({ isError: false, data: { status: 'pending' } });
  });
});

/** Runs commands on the sandbox of one home, with the operations of inventions.md. */
function sandbox() {
  const home = freshHome();
  const typed = (line: string, input = '') =>
    run([...line.split(' '), '-C', 'sandbox'], { home, input });
  const read = async (line: string) =>
    JSON.parse((await typed(`${line} --json`)).stdout) as unknown;
  return { home, typed, read };
}

const [READY, EXPIRED] = ['CredentialSystem', 'CredentialPagesA'];

describe('an operation that is waited for and settled', () => {
  it('is waited for by polling its read, whose result has another type', async () => {
    const { typed } = sandbox();
    const passed = await typed(`credentials test ${READY} --wait --interval 200ms --json`);
    expect(passed.exitCode).toBe(0);
    expect(passed.stderr).toMatch(/^\+\d+s credential testing → ready$/m);
    expect(JSON.parse(passed.stdout)).toMatchObject({ id: READY, status: 'ready' });
    const failed = await typed(`credentials test ${EXPIRED} --wait --interval 200ms`);
    expect(failed.exitCode).toBe(10);
    expect(failed.stderr).toContain('test failed: its secret has expired\n');
    expect(failed.stderr).toContain('renew it');
    const late = await typed(`credentials test ${READY} --wait --wait-timeout 100ms`);
    expect(late.exitCode).toBe(8);
    expect(late.stderr).toContain(`try: social -C sandbox credentials get ${READY} --wait\n`);
  });

  it('is a batch that a journal resumes', async () => {
    const { home, typed } = sandbox();
    const list = `${READY}\n${JSON.stringify({ credentialId: EXPIRED })}\n`;
    const journal = `--from - --journal ${join(home, 'j')} --wait --interval 200ms`;
    const first = await typed(`credentials test ${journal}`, list);
    expect(first.exitCode).toBe(11);
    expect(first.stderr).toContain('1 of 2 tested, 1 failed');
    const second = await typed(`credentials test ${journal}`, `${READY}\n`);
    expect(second.exitCode).toBe(0);
    expect(second.stderr).toContain('all 1 already done');
  });

  it.each(['', ' --journal'])('is settled after a lost response%s', async (flag) => {
    const { setting, journal } = await losingService();
    const more = flag === '' ? [] : ['--journal', journal];
    const lost = await run(['credentials', 'test', READY, '--yes', ...more], setting);
    expect(lost.exitCode).toBe(12);
    const settled = await run(['history', 'settle', ...more, '--json'], setting);
    expect(settled.exitCode).toBe(0);
    expect(settled.stderr).not.toContain('post');
    expect(JSON.parse(settled.stdout)).toMatchObject({
      items: [{ operation: 'credentials test', verdict: 'done', ids: [READY] }],
    });
  });
});

/** A sandbox that serves everything but the responses to changes, and what a command needs to use it. */
async function losingService() {
  const home = freshHome();
  const path = join(place, 'src/sandbox/serve.ts');
  const { startSandbox } = (await import(path)) as typeof serve;
  const { url, token, close } = await startSandbox({
    stateDir: join(home, 'served'),
    now: Date.now,
    note: () => undefined,
  });
  onTestFinished(close);
  const server = http.createServer((request, response) => {
    const { method, headers } = request;
    const onward = http.request(`${url}${request.url!}`, { method, headers }, (answer) => {
      if (method !== 'GET') return request.socket.destroy();
      response.writeHead(answer.statusCode!, answer.headers);
      return answer.pipe(response);
    });
    onward.setHeader('host', new URL(url).host);
    request.pipe(onward);
  });
  const losing = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const env = { SOCIAL_BASE_URL: losing, SOCIAL_TOKEN: token };
  return { setting: { home, env }, journal: join(home, 'j') };
}

describe('an operation with a list besides the ID', () => {
  const POST = 'PostSpringLaunch';
  const cancelled = (post: unknown) =>
    (post as { targets: { id: string; status: string }[] }).targets
      .filter(({ status }) => status === 'cancelled')
      .map(({ id }) => id);

  it('acts only on the targets that a triage saved', async () => {
    const { home, typed, read } = sandbox();
    const groups = join(home, 'triage');
    expect((await typed(`posts triage ${POST} --save ${groups}`)).exitCode).toBe(0);
    const list = join(groups, 'temporary.ndjson');
    const saved = JSON.stringify({ postId: POST, targetIds: ['TargetSpringMast'] });
    expect(savedLines(list)).toEqual([saved]);
    const refused = await typed(`posts cancel --from ${list}`);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('A cancelled target cannot be published any more.');
    const journal = `--journal ${join(home, 'j')} --yes`;
    const done = await typed(`posts cancel --from ${list} ${journal}`);
    expect([done.exitCode, done.stderr]).toEqual([0, expect.stringContaining('1 of 1 done')]);
    expect(cancelled(await read(`posts get ${POST}`))).toEqual(['TargetSpringMast']);
    const again = await typed(`posts cancel --from ${list} ${journal}`);
    expect(again.stderr).toContain('all 1 already done');
  });

  it('is settled for the targets that a record named', async () => {
    const { setting, journal } = await losingService();
    const input = JSON.stringify({ postId: POST, targetIds: ['TargetSpringMast'] });
    const journaled = (line: string) =>
      run([...line.split(' '), '--journal', journal], { ...setting, input });
    const lost = 'posts cancel --from - --yes';
    expect((await journaled(lost)).exitCode).toBe(12);
    expect((await journaled('history settle')).stdout).toContain('done');
    expect((await journaled(lost)).stderr).toContain('all 1 already done');
  });

  it('is rejected when two records name a target, and acts on the whole post when none is named', async () => {
    const { typed, read } = sandbox();
    const record = JSON.stringify({ postId: POST, targetIds: ['TargetSpringMast'] });
    const both = await typed('posts cancel --from - --yes', `${record}\n${POST}\n`);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('line 2: overlaps with line 1');
    expect((await typed(`posts cancel ${POST} --yes`)).exitCode).toBe(0);
    expect(cancelled(await read(`posts get ${POST}`))).toEqual([
      'TargetSpringLink',
      'TargetSpringMast',
    ]);
  });
});

describe('the addresses of package.json', () => {
  /** Returns an environment in which the program throws when it opens a connection. */
  const throwing = () => {
    const path = join(place, 'throwing.cjs');
    writeFileSync(
      path,
      `require('node:net').Socket.prototype.connect = function () {
        process.nextTick(() => { throw new Error('boom'); });
        return this;
      };`,
    );
    return { NODE_OPTIONS: `--require ${JSON.stringify(path)}` };
  };
  const get = ['posts', 'get', 'PostSpringLaunch', '--base-url', 'http://127.0.0.1:9'];
  const env = { ...built.env, SOCIAL_TOKEN: CANARY };

  it('are in internal errors and in help flags', async () => {
    const failed = await social(get, { program: launcher, env: { ...env, ...throwing() } });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      `error: internal error; please report it: ${addresses.bugs.url}\n`,
    );
    const { stdout } = await run(['help', 'flags']);
    for (const address of [addresses.homepage, addresses.bugs.url])
      expect(stdout).toContain(address);
  });
});
