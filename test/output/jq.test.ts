// `--jq` as it is felt: jq's own language over what the service said, before anything is sent where it does not
// compile, and stoppable where it does not end.

import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { JQ_PACKAGE } from '../../src/output/jq-filter.ts';
import manifest from '../../package.json' with { type: 'json' };
import { socialInProcess } from '../support/in-process.ts';
import { bareEnv, freshHome, root, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { startProcess, waitUntil } from '../support/signalled-process.ts';
import { serviceAt } from '../support/terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const id = 'PostSpringLaunch';
const hostile = 'one\u001b[31m two\u202e\nthree\t✓';
const data = JSON.stringify({
  id,
  status: 'partial',
  title: hostile,
  targets: [{ id: 'TargetSpringLink', platform: 'linkedin', status: 'failed' }],
  metadata: { likes: 1 },
}).replace('"likes":1', '"likes":9007199254740993');
const sandbox = ['-C', 'sandbox', '-q'];
const get = ['posts', 'get', id];

const at = async (
  expression: string,
  argv: readonly string[] = get,
  run: typeof social | typeof socialInProcess = socialInProcess,
) => {
  const service = await recordingServer(successResponse(data));
  const outcome = await run([...argv, '-q', '--jq', expression], {
    env: serviceAt(service.url),
  });
  const { exitCode, stdout, stderr } = outcome;
  const { requests, connections } = service;
  return { exitCode, stdout, stderr, requests: requests.length, connections: connections() };
};

it('can be used again in one process, also after an invalid expression or flag', async () => {
  const codes = [];
  for (const more of [['.id'], ['.id |'], ['.id', '--timeout', 'soon'], ['error("x")'], ['.id']])
    codes.push((await socialInProcess([...sandbox, ...get, '--jq', ...more])).exitCode);
  expect(codes).toEqual([0, 2, 2, 13, 0]);
});

/** Expressions, and what each prints. jq must not take the first for an option. */
const printed: readonly (readonly [expression: string, stdout: string])[] = [
  ['-1', '-1\n'],
  ['.status', 'partial\n'],
  ['.metadata', '{"likes":9007199254740993}\n'],
  ['.targets[] | [.platform, .status] | @tsv', 'linkedin\tfailed\n'],
  [
    '.targets[], 1, null',
    '{"id":"TargetSpringLink","platform":"linkedin","status":"failed"}\n1\nnull\n',
  ],
  ['empty', ''],
  ['# a comment\n.status | test("^PART"; "i")', 'true\n'],
  ['.title', `${hostile}\n`],
  ['[.title]', String.raw`["one\u001b[31m two\u202e\nthree\t✓"]` + '\n'],
  ['input_line_number', '0\n'],
];

describe('an expression', () => {
  it('prints strings raw and the rest as JSON, one result per line', async () => {
    const [first, ...more] = printed.map(([expression]) => expression);
    const all = [first, ...more.map((expression) => `(${expression})`)].join();
    const stdout = printed.map(([, text]) => text).join('');
    expect(await at(all, get, social)).toMatchObject({ exitCode: 0, stdout, requests: 1 });
    expect(await at('empty')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it.each([
    ['.status |', 'syntax error, unexpected end of file'],
    ['nothing(1)', 'nothing/1 is not defined'],
    ['', 'Top-level program not given (try ".")'],
  ])('%j is rejected before anything is sent', async (expression, why) => {
    const { exitCode, stdout, stderr, connections } = await at(expression);
    expect({ exitCode, stdout, connections }).toEqual({ exitCode: 2, stdout: '', connections: 0 });
    expect(stderr).toContain(`error: --jq is not a valid jq expression: ${why}\n`);
  });

  it('that fails on the data leaves stdout empty, and the error says what was done', async () => {
    const read = await at('.status, (.status | keys)');
    expect(read).toMatchObject({ exitCode: 13, stdout: '' });
    expect(read.stderr).toBe('error: --jq failed on the result: string ("partial") has no keys\n');
    const change = await at('.status | keys', ['posts', 'retry', id], social);
    expect(change).toMatchObject({ exitCode: 13, stdout: '', requests: 1 });
    expect(change.stderr).toContain('the operation succeeded; do not run it again');
    const unchanged = await at('.status | keys', [...get, '--json']);
    expect(unchanged.stderr).toContain('"sent":true,"outcome":"none","accepted":false');
    const any = await at('.status | keys', ['api', `/v1/posts/${id}`, '--json']);
    expect(any.stderr).toContain('"sent":true,"outcome":"none","accepted":false');
    const idle = ['posts', 'retry', id, '--platform', 'reddit', '--json'];
    const nothing = await at('.status | keys', idle);
    expect(nothing).toMatchObject({ exitCode: 13, requests: 1 });
    expect(nothing.stderr).toContain('"sent":true,"outcome":"none","accepted":false');
    expect(nothing.stderr).not.toContain('the operation succeeded');
    const told = await at('.status | keys', ['posts', 'retry', id, '--json']);
    const { error } = JSON.parse(told.stderr.trimEnd().split('\n').at(-1)!) as { error: object };
    expect(error).toMatchObject({ exitCode: 13, sent: true, outcome: 'none', accepted: true });
  });

  it.each([
    [['-o', 'tsv'], '--jq cannot be combined with -o tsv'],
    [['--curl'], '--jq cannot be combined with --curl'],
  ])('cannot be combined with %j', async (flags, why) => {
    const { exitCode, stderr, connections } = await at('.', [...get, ...flags]);
    expect({ exitCode, connections }).toEqual({ exitCode: 2, connections: 0 });
    expect(stderr).toContain(why);
  });
});

describe('the variables of an expression', () => {
  const env = {
    WHO: 'me',
    DB_PASSWORD: 'hidden one',
    REPLICA: 'postgres://user:hidden@db/x',
    COPY: 'a-token-of-the-test',
  };
  const read = async (expression: string) => {
    const service = await recordingServer(successResponse(data));
    const all = { ...serviceAt(service.url), ...env };
    const outcome = await socialInProcess([...get, '--jq', expression], { env: all });
    return { ...outcome, requests: service.requests.length };
  };

  it('are those of the program, without secrets', async () => {
    expect(await read('$ENV.WHO, env.WHO, ($ENV | has("PATH"))')).toMatchObject({
      exitCode: 0,
      stdout: 'me\nme\ntrue\n',
    });
    const { stdout } = await read('$ENV, env | tojson');
    expect(stdout).toContain('SOCIAL_BASE_URL');
    for (const secret of ['hidden', 'a-token-of-the-test']) expect(stdout).not.toContain(secret);
  });

  it.each(['SOCIAL_TOKEN', 'DB_PASSWORD', 'REPLICA', 'COPY'])(
    'that may hold a secret are refused before anything is sent: %s',
    async (name) => {
      for (const expression of [`$ENV.${name}`, `env["${name}"]`, `env | .${name}`]) {
        const { exitCode, stderr, requests } = await read(expression);
        expect([exitCode, requests]).toEqual([2, 0]);
        expect(stderr).toContain(`--jq cannot read ${name}: it may hold a secret`);
      }
    },
  );
});

describe('an expression that yields too much', () => {
  it.each([
    ['range(100000000)', 'it yields more than 16 MiB'],
    ['limit(1e9; repeat("abc"))', 'it yields more than 16 MiB'],
    ['.id * 2000000', 'it yields more than 16 MiB'],
    ['def f: [f]; f', 'it needs more than 512 MiB of memory'],
    ['input', 'it reads a second document, and there is one'],
  ])(
    '%s ends with words, and says that the change was made',
    async (expression, why) => {
      const { exitCode, stdout, stderr, requests } = await at(expression, ['posts', 'retry', id]);
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 13, stdout: '', requests: 1 });
      expect(stderr).toBe(
        `error: --jq failed on the result: ${why}\n  the operation succeeded; do not run it again\n`,
      );
    },
    60_000,
  );

  it('is complete by itself: parentheses of the program around it do not make it valid', async () => {
    for (const expression of ['.id) | (.', '.id) as $x (0; .; .), (.', 'module {}; .'])
      expect(await at(expression)).toMatchObject({ exitCode: 2, requests: 0 });
  });

  it('as a constant is refused before anything is sent', async () => {
    const { exitCode, stderr, requests } = await at('"x" * 10000000000');
    expect([exitCode, requests]).toEqual([2, 0]);
    expect(stderr).toContain('it needs more than 512 MiB of memory');
  });

  it('is none with a text of a million characters', async () => {
    const { exitCode, stdout } = await at('(.id | length) as $n | "x" * ($n * 62500)');
    expect([exitCode, stdout.length]).toEqual([0, 1_000_001]);
  });
});

it('an endless expression is stopped by SIGQUIT, which Ctrl-\\ sends; the change is on record', async () => {
  const service = await recordingServer(successResponse(data));
  const home = freshHome();
  const { child, ended } = startProcess(['posts', 'retry', id, '--jq', 'repeat(.)|empty'], {
    home,
    env: serviceAt(service.url),
  });
  // The answer is on record before jq is given it.
  const record = join(home, '.local/state/social/history.ndjson');
  await waitUntil(
    () => existsSync(record) && readFileSync(record, 'utf8').includes('"outcome":"accepted"'),
  );
  child.kill('SIGQUIT');
  expect(await ended).toMatchObject({ by: 'SIGQUIT', stdout: '' });
});

describe('a batch', () => {
  const ids = [id, 'PostNowhereToSee', 'PostAutumnRecaps'];

  it('filters the data of each item, and keeps failures unfiltered', async () => {
    const expression = '[.id, .status] | @tsv';
    const argv = [...sandbox, 'posts', 'get', ...ids, '--jq', expression];
    const { exitCode, stdout } = await socialInProcess(argv);
    expect(exitCode).toBe(11);
    const [first, failed, last] = stdout.trimEnd().split('\n');
    expect([first, last]).toEqual([`${id}\tpartial`, 'PostAutumnRecaps\tpublished']);
    expect(JSON.parse(failed!)).toMatchObject({
      line: 2,
      ok: false,
      error: { code: 'post_not_found' },
    });
  });

  it('loses only the items that the filter fails on, and then fails', async () => {
    const get2 = [...sandbox, 'posts', 'get', id, 'PostAutumnRecaps'];
    const fussy = `if .id == "${id}" then error("no") else .id end`;
    const { exitCode, stdout, stderr } = await socialInProcess([...get2, '--jq', fussy]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: 'PostAutumnRecaps\n' });
    expect(stderr).toBe('error: --jq failed on the result: no\n');
  });
});

it('takes precedence over a configured output format, also for a wait that fails', async () => {
  const pages = ['connect', 'facebook', 'pages', '-a', 'AccountFacebookB', '--require-ready'];
  const argv = [...sandbox, ...pages, '--jq', '.readiness.ready'];
  const { exitCode, stdout } = await socialInProcess(argv, { env: { SOCIAL_OUTPUT: 'table' } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: 'false\n' });
});

/** The program as npm installs it globally, less what is optional. */
function installed() {
  const modules = join(temporaryFolder(), 'node_modules');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(modules, 'social', part), { recursive: true });
  const run = (...argv: readonly string[]) =>
    execa(process.execPath, [join(modules, 'social', 'bin', 'social.js'), ...argv], {
      env: bareEnv(freshHome()),
      extendEnv: false,
      reject: false,
    });
  return { modules, run };
}

describe('jq without its package', () => {
  it('is the only thing that fails, and the suggested fix works', async () => {
    const { modules, run } = installed();
    const plain = await run(...sandbox, ...get, '--json');
    expect(plain.exitCode).toBe(0);
    const { exitCode, stdout, stderr } = await run(...sandbox, ...get, '--jq', '.id');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(
      `add it with npm install --global ${JQ_PACKAGE}, or pipe --json into jq`,
    );
    // npm installs the package beside the program.
    mkdirSync(join(modules, 'jq-web'));
    cpSync(join(root, 'node_modules/jq-web'), join(modules, 'jq-web'), { recursive: true });
    expect(await run(...sandbox, ...get, '--jq', '.id')).toMatchObject({ exitCode: 0, stdout: id });
  });

  it('names the bundled version', () => {
    expect(JQ_PACKAGE).toBe(`jq-web@${manifest.optionalDependencies['jq-web']}`);
  });
});
