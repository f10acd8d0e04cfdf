// What each kind of start loads, as a law: nothing that the start does not use. Times are for test/bench.

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toCompletionTree } from '../../src/commands/completion/completion-tree.ts';
import type { CommandTree } from '../../src/cli/read-command-tree.ts';
import { version } from '../../src/base/version.ts';
import { targets, targetPost } from '../support/posts.ts';
import { launcher } from '../support/launcher.ts';
import { root, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal } from '../support/terminal.ts';
import { recording } from './loads.ts';

/** Node's modules that cost a start milliseconds each. */
const costly = [
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'http2',
  'https',
  'net',
  'os',
  'perf_hooks',
  'tls',
  'tty',
  'v8',
  'worker_threads',
  'zlib',
];

interface Kind {
  readonly what: string;
  readonly argv: readonly string[];
  readonly packages: readonly string[];
  /** Of the costly ones. */
  readonly builtins: readonly string[];
  readonly exitCode?: number;
  readonly input?: string;
}

const line = ['commander'];
const call = [...line, 'zod'];
/** What sets plain cells out, with what it brings; texts that are not plain are measured by another string-width. */
const tables = [
  '@colors/colors',
  'ansi-regex',
  'cli-table3',
  'emoji-regex',
  'is-fullwidth-code-point',
  'string-width',
  'strip-ansi',
];

/** What each kind of start may load: these, and nothing else. */
const kinds: readonly Kind[] = [
  { what: '--version', argv: ['--version'], packages: [], builtins: [] },
  { what: '--help', argv: ['--help'], packages: [], builtins: [] },
  {
    what: 'help of an area',
    argv: ['posts', '--help'],
    packages: [...line, 'zod'],
    builtins: [],
  },
  {
    what: 'a usage error',
    argv: ['posts', 'get', 'short'],
    exitCode: 2,
    packages: [...line, 'zod'],
    builtins: [],
  },
  {
    what: 'a read as JSON',
    argv: ['posts', 'get', 'PostForTheTestsA', '--json'],
    packages: call,
    builtins: ['http', 'net'],
  },
  {
    what: 'a read as a table',
    argv: ['posts', 'get', 'PostForTheTestsA', '-o', 'table'],
    packages: [...call, ...tables],
    builtins: ['http', 'net'],
  },
  {
    what: 'a batch of one',
    argv: ['posts', 'get', '--from', '-', '--json'],
    input: 'PostForTheTestsA\n',
    packages: call,
    builtins: ['crypto', 'fs/promises', 'http', 'net', 'os', 'tty'],
  },
  {
    what: 'a batch with something to share connections',
    argv: ['posts', 'get', '--from', '-', '--concurrency', '1', '--json'],
    input: 'PostForTheTestsA\nPostForTheTestsB\n',
    // The service knows one of them.
    exitCode: 11,
    packages: [...call, 'undici'],
    builtins: ['crypto', 'fs/promises', 'http', 'http2', 'net', 'os', 'tty'],
  },
  {
    what: 'a batch of changes, which share no connection',
    argv: ['posts', 'retry', '--from', '-', '--concurrency', '1', '--json', '-y'],
    input: 'PostForTheTestsA\nPostForTheTestsB\n',
    packages: call,
    builtins: ['crypto', 'fs/promises', 'http', 'net', 'os', 'tty'],
  },
  {
    what: 'the script of completion',
    argv: ['completion', 'bash'],
    packages: [...line, 'zod'],
    builtins: [],
  },
  {
    what: 'a TAB for which nothing is prepared',
    argv: ['__complete'],
    packages: [...line, 'fastest-levenshtein', 'zod'],
    builtins: [],
  },
  {
    what: 'the sandbox',
    argv: ['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--json'],
    packages: call,
    builtins: ['crypto', 'http', 'net', 'os'],
  },
  {
    what: 'an agent that asks nothing',
    argv: ['mcp', 'serve'],
    packages: [...line, '@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod'],
    builtins: [],
  },
];

describe('a start loads no more than it uses', () => {
  it.each(kinds)('$what', async ({ argv, packages, builtins, exitCode = 0, input = '' }) => {
    const post = targetPost([targets.twitter('published')]);
    const { url } = await recordingServer(successResponse(JSON.stringify(post)));
    const { env, loads } = recording();
    const service = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token-of-tests' };
    const outcome = await social(argv, { env: { ...env, ...service }, input });
    expect(outcome).toMatchObject({ exitCode });
    const seen = loads();
    expect(seen.packages).toEqual([...packages].toSorted());
    expect(seen.builtins.filter((name) => costly.includes(name))).toEqual(builtins);
  });

  it('a question at a terminal', async () => {
    const { env, loads } = recording();
    const terminal = atTerminal(['-C', 'sandbox', '-q', 'posts', 'get', '--dry-run'], { env });
    await terminal.waitFor('? Post ID');
    terminal.press('ctrl-c');
    expect(await terminal.ended()).toMatchObject({ exitCode: 130 });
    const { packages } = loads();
    expect(packages).toContain('@inquirer/core');
    expect(packages).not.toContain('undici');
    expect(packages).not.toContain('wrap-ansi');
  });

  it('what reads the whole command line only for those who need it whole', async () => {
    const whole =
      /^src\/(?:commands\/(?:completion\/(?!complete\.|candidates\.)|commands\.ts)|cli\/read-command-tree\.ts)/;
    const few = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env: few.env });
    expect(few.loads().sources.filter((source) => whole.test(source))).toEqual([]);
    const all = recording();
    await social(['commands'], { env: all.env });
    expect(all.loads().sources).toContain('src/cli/read-command-tree.ts');
  });

  it('neither what other commands do besides, nor the schemas of other areas', async () => {
    const others =
      /^src\/(?:commands\/(?:connect|webhooks)\/|commands\/posts\/(?:retry|triage)\.ts|api\/schema\/(?:account|webhook)\.ts)/;
    const read = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env: read.env });
    expect(read.loads().sources.filter((source) => others.test(source))).toEqual([]);
    const change = recording();
    await social(['posts', 'retry', 'PostSpringLaunch', '-n'], { env: change.env });
    const loaded = change.loads().sources.filter((source) => others.test(source));
    expect(loaded).toEqual(['src/commands/posts/retry.ts']);
  });

  it('files that export values: a getter for each takes a start a millisecond', async () => {
    const { env, loads } = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env });
    const built = loads().files.filter((file) => file.startsWith('dist/'));
    const code = built.map((file) => readFileSync(join(root, file), 'utf8')).join('');
    expect(code.match(/\bexports\.\w+=/g)!.length).toBeGreaterThan(100);
    // What is given another value later, or has a name that something else is given, keeps its getter.
    expect(code.match(/defineProperty\(exports,"/g)?.length ?? 0).toBeLessThan(10);
  });

  it('no zod but the small form of it, though the server for agents needs the large one', async () => {
    const { env, loads } = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env });
    const built = loads().files.filter((file) => file.startsWith('dist/'));
    const code = built.map((file) => readFileSync(join(root, file), 'utf8')).join('');
    expect(code).toContain('ZodMiniString');
    // Of what both forms share, only what is used: the rest is in the copy of the agents' server.
    expect(code).not.toMatch(/\$Zod(?:Promise|DiscriminatedUnion|Email|Intersection)\b/);
    const { env: serving, loads: served } = recording();
    await social(['mcp', 'serve'], { env: serving });
    const server = served().files.find((file) => file.startsWith('dist/commands-server'));
    expect(readFileSync(join(root, server!), 'utf8')).toContain('$ZodDiscriminatedUnion');
  });

  it('the help at a terminal: no schema, not even that of the settings', async () => {
    const { env, loads } = recording();
    const terminal = atTerminal(['--help'], { env });
    expect(await terminal.ended()).toMatchObject({ exitCode: 0 });
    const { packages } = loads();
    expect(packages).toContain('commander');
    expect(packages).not.toContain('zod');
  });

  it.each([
    ['config', 'list'],
    ['context', 'list'],
    ['auth', '--help'],
    ['-C', 'sandbox', 'auth', 'status'],
    ['-C', 'sandbox', 'history', 'list'],
    ['-C', 'sandbox', 'name', 'list'],
    ['webhooks', '--help'],
    ['accounts', 'mastodon', 'mute', '113000000000000001', '-n', '-a', 'AccountMastodonA'],
  ])('what is not about posts without their schemas: %s %s %s %s', async (...argv) => {
    const { env, loads } = recording();
    const service = { SOCIAL_BASE_URL: 'https://api.test', SOCIAL_TOKEN: 'a-token-of-tests' };
    expect(await social(argv, { env: { ...env, ...service } })).toMatchObject({ exitCode: 0 });
    expect(loads().sources).toContain('src/config/file.ts');
    expect(loads().sources).not.toContain('src/api/schema/post.ts');
  });

  it('--version is the launcher and one file', async () => {
    const { env, loads } = recording();
    expect(await social(['--version'], { env })).toMatchObject({ stdout: `${version}\n` });
    expect(loads().files).toEqual(['bin/social.js', 'dist/start.cjs']);
  });
});

describe('the help that the build has prepared', () => {
  it('is what the program itself says', async () => {
    const prepared = await social(['--help']);
    const said = await social(['--help'], { env: { SOCIAL_WARM_CACHE: '1' } });
    expect(prepared.stdout).toBe(said.stdout);
    expect(prepared).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is not shown where it has no room', async () => {
    const terminal = atTerminal(['--help'], { cols: 50 });
    const { text } = await terminal.ended();
    expect(Math.max(...text.split('\n').map((each) => each.length))).toBeLessThanOrEqual(50);
    expect(text.replace(/\s+/g, ' ')).toContain('Operate a social publishing service from the');
  });
});

describe('the command line that the build has prepared for completion', () => {
  const prepared = join(root, 'dist/completion.json');

  it('is that of the program', async () => {
    const { stdout } = await social(['commands', '--json', '--all']);
    const kept = JSON.parse(readFileSync(prepared, 'utf8')) as unknown;
    expect(kept).toEqual(toCompletionTree(JSON.parse(stdout) as CommandTree));
    expect(JSON.stringify(kept)).toContain('--failures-to');
  });

  it.each([
    ['missing', (path: string) => rmSync(path)],
    ['no JSON', (path: string) => writeFileSync(path, '{')],
  ])('is built anew where it is %s', async (_how, spoil) => {
    const copy = mkdtempSync(join(tmpdir(), 'social-copy-'));
    try {
      for (const part of ['bin', 'dist', 'package.json'])
        cpSync(join(root, part), join(copy, part), { recursive: true });
      spoil(join(copy, 'dist/completion.json'));
      for (const question of [
        '1 posts re',
        '3 -C sandbox --',
        '4 -C sandbox posts retry --target=x',
      ]) {
        const asked = ['__complete', ...question.split(' ')];
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          [join(copy, 'bin/social.js'), ...asked],
          { encoding: 'utf8', env: { HOME: copy } },
        );
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        expect(stdout).toBe((await social(asked)).stdout);
        expect(stdout).not.toBe('');
      }
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});

describe('what a shell asks at a TAB', () => {
  it.each(['1 posts re', '2 posts get --', '1 -C s', '4 -C sandbox posts get P', 'nonsense'])(
    '%s: next to nothing',
    async (asked) => {
      const { env, loads } = recording();
      const outcome = await social(['__complete', ...asked.split(' ')], { env });
      expect(outcome).toMatchObject({ stderr: '', exitCode: 0 });
      const { packages, sources, builtins } = loads();
      expect(packages).toEqual([]);
      const light = ['candidates', 'complete'].map((name) => `commands/completion/${name}`);
      light.push(
        'history/known-ids',
        'history/seen-file',
        'config/name-file',
        'api/schema/id-patterns',
        'base/paths',
        'base/sanitize',
        'code-cache',
        'start',
      );
      expect(sources.toSorted()).toEqual(light.map((name) => `src/${name}.ts`).toSorted());
      expect(builtins.filter((name) => costly.includes(name))).toEqual([]);
    },
  );
});

describe('the record of changes', () => {
  const record = /^src\/(?:history\/(?!seen|known-ids|record-during)|fs\/append-log)/;
  const sandbox = ['-C', 'sandbox', '-q'];

  it.each([['--help'], [...sandbox, 'posts', 'get', 'PostSpringLaunch', '--json']])(
    'is not loaded by %s %s',
    async (...args) => {
      const { env, loads } = recording();
      expect(await social(args, { env })).toMatchObject({ exitCode: 0 });
      expect(loads().sources.filter((source) => record.test(source))).toEqual([]);
    },
  );

  it('is loaded by a change', async () => {
    const mute = ['accounts', 'mastodon', 'mute', '113000000000000001', '-a', 'AccountMastodonA'];
    const { env, loads } = recording();
    await social([...sandbox, ...mute], { env });
    expect(loads().sources).toContain('src/history/recorder.ts');
  });
});

describe('the launcher', () => {
  it.each(['0.10.48', '18.20.4', '20.18.3'])('refuses Node %s in one sentence', (old) => {
    const pretend = `
      Object.defineProperty(process.versions, 'node', { value: '${old}' });
      Object.defineProperty(process, 'version', { value: 'v${old}' });
      require(${JSON.stringify(launcher)});`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(`social needs Node 20.19 or newer; this is v${old}\n`);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('says so when the program is not built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'social-'));
    try {
      const lone = join(folder, 'bin', 'social.js');
      mkdirSync(join(folder, 'bin'));
      copyFileSync(launcher, lone);
      const { status, stderr } = spawnSync(process.execPath, [lone], { encoding: 'utf8' });
      expect(stderr).toBe('social is not built: run npm ci\n');
      expect(status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
