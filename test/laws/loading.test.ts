// What each kind of start loads, as a law: nothing that the start does not use. Times are for test/bench.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/version.ts';
import { targets, targetPost } from '../support/posts.ts';
import { launcher, root, social } from '../support/program.ts';
import { recorder, success } from '../support/recorder.ts';
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
const call = [...line, 'undici', 'zod'];

/** What each kind of start may load: these, and nothing else. */
const kinds: readonly Kind[] = [
  { what: '--version', argv: ['--version'], packages: [], builtins: [] },
  { what: '--help', argv: ['--help'], packages: [], builtins: [] },
  {
    what: 'help of an area',
    argv: ['posts', '--help'],
    packages: [...line, 'zod'],
    builtins: ['os'],
  },
  {
    what: 'a usage error',
    argv: ['posts', 'get', 'short'],
    exitCode: 2,
    packages: [...line, 'zod'],
    builtins: ['os', 'tty'],
  },
  {
    what: 'a read as JSON',
    argv: ['posts', 'get', 'PostForTheTestsA', '--json'],
    packages: call,
    builtins: ['http', 'net', 'os', 'tty'],
  },
  {
    what: 'a read as a table',
    argv: ['posts', 'get', 'PostForTheTestsA', '-o', 'table'],
    packages: call,
    builtins: ['http', 'net', 'os', 'tty'],
  },
  {
    what: 'a batch',
    argv: ['posts', 'get', '--from', '-', '--json'],
    input: 'PostForTheTestsA\n',
    packages: call,
    builtins: ['crypto', 'fs/promises', 'http', 'net', 'os', 'tty'],
  },
  {
    what: 'the script of completion',
    argv: ['completion', 'bash'],
    packages: [...line, 'fastest-levenshtein', 'zod'],
    builtins: ['os'],
  },
  {
    what: 'the sandbox',
    argv: ['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--json'],
    packages: call,
    builtins: ['crypto', 'http', 'net', 'os', 'tty'],
  },
  {
    what: 'an agent that asks nothing',
    argv: ['mcp', 'serve'],
    packages: [...line, '@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod'],
    builtins: ['os'],
  },
];

describe('a start loads no more than it uses', () => {
  it.each(kinds)('$what', async ({ argv, packages, builtins, exitCode = 0, input = '' }) => {
    const post = targetPost([targets.twitter('published')]);
    const { url } = await recorder(success(JSON.stringify(post)));
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
    await terminal.waitFor('? Post to show');
    terminal.press('ctrl-c');
    expect(await terminal.ended()).toMatchObject({ exitCode: 130 });
    const { packages } = loads();
    expect(packages).toContain('@inquirer/core');
    expect(packages).not.toContain('undici');
    expect(packages).not.toContain('wrap-ansi');
  });

  it('what reads the whole command line only for those who need it whole', async () => {
    const whole =
      /^src\/cli\/(?:completion\/(?!answer|candidates)|read-tree\.ts|commands\/(?:commands|completion)\.ts)/;
    const few = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env: few.env });
    expect(few.loads().sources.filter((source) => whole.test(source))).toEqual([]);
    const all = recording();
    await social(['completion', 'bash'], { env: all.env });
    expect(all.loads().sources).toContain('src/cli/read-tree.ts');
  });

  it('no zod but the small form of it, though the server for agents needs the large one', async () => {
    const { env, loads } = recording();
    await social(['posts', 'get', 'PostSpringLaunch', '-n'], { env });
    const built = loads().files.filter((file) => file.startsWith('dist/'));
    const code = built.map((file) => readFileSync(join(root, file), 'utf8')).join('');
    expect(code).toContain('ZodMiniString');
    // What both forms share is there whole, for the agent's server names all of it; the large form is not.
    expect(code).not.toMatch(/ZodPromise/);
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

describe('what a shell asks at a TAB', () => {
  it.each([['context'], ['post', '-C', 'sandbox', 'posts', 'get'], ['nonsense']])(
    '%s: next to nothing',
    async (...words) => {
      const { env, loads } = recording();
      const outcome = await social(['__complete', ...words], { env });
      expect(outcome).toMatchObject({ stderr: '', exitCode: 0 });
      const { packages, sources, builtins } = loads();
      expect(packages).toEqual([]);
      const light = ['answer', 'candidates'].map((name) => `cli/completion/${name}`);
      light.push('cli/seen/kinds', 'folders', 'invisible', 'start');
      expect(sources.toSorted()).toEqual(light.map((name) => `src/${name}.ts`));
      expect(builtins.filter((name) => costly.includes(name))).toEqual(['os']);
    },
  );
});

describe('the record of changes', () => {
  const record = /^src\/(?:cli\/history\/(?!off|recorded)|files\/append)/;
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
    expect(loads().sources).toContain('src/cli/history/record.ts');
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
