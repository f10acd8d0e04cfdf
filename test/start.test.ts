// The launcher, and what the build has prepared for a TAB.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../src/cli/command-tree.ts';
import { version } from '../src/base/version.ts';
import { launcher } from './support/launcher.ts';
import { apart, bareEnv, freshHome, root, type Setting, social } from './support/program.ts';
import { needsUnix } from './support/unix.ts';

describe('the launcher', () => {
  it.each(['0.10.48', '20.18.3'])('refuses Node %s in one sentence', (old) => {
    const pretend = `
      Object.defineProperty(process.versions, 'node', { value: '${old}' });
      Object.defineProperty(process, 'version', { value: 'v${old}' });
      require(${JSON.stringify(launcher)});`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(`social needs Node 20.19 or newer; this is v${old}\n`);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('says so when the program is not built', () => {
    const folder = freshHome();
    const lone = join(folder, 'bin', 'social.js');
    mkdirSync(join(folder, 'bin'));
    copyFileSync(launcher, lone);
    const { status, stderr } = spawnSync(process.execPath, [lone], { encoding: 'utf8' });
    expect(stderr).toBe('social is not built: npm run build\n');
    expect(status).toBe(1);
  });
});

describe('compiled code', () => {
  const cache = (home: string) => join(home, '.cache/social');
  const kept = (home: string) => readdirSync(cache(home));
  const helpOf = async (home: string, setting: Setting = {}) => {
    const { exitCode, stdout, stderr } = await social(['--help'], { home, ...setting });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  };
  /** Runs the program until a run has nothing to keep. */
  async function runUntilKept(home: string, argv: readonly string[], rounds = 20): Promise<void> {
    const before = existsSync(cache(home)) ? states(home) : [];
    expect((await social(argv, { home })).exitCode).toBe(0);
    if (isDeepStrictEqual(states(home), before)) return;
    expect(rounds).toBeGreaterThan(0);
    await runUntilKept(home, argv, rounds - 1);
  }
  const help = ['--help'];
  const states = (home: string) =>
    kept(home).map((name) => [name, statSync(join(cache(home), name)).mtimeMs]);
  const v8Tag = cachedDataVersionTag();
  const key = `${version}-${process.version}-${process.platform}-${process.arch}-${v8Tag}`;

  it('is kept in a private folder of the user, and nothing else is', async () => {
    needsUnix('modes');
    const home = freshHome();
    const first = await helpOf(home);
    await runUntilKept(home, help);
    expect(await helpOf(home)).toBe(first);
    expect(readdirSync(home)).toEqual(['.cache']);
    expect(kept(home).map((name) => name.replace(/-[\w-]{8}(?=\.cjs)/, ''))).toEqual(
      ['first', 'main', 'program', 'rolldown-runtime', 'tab'].map((name) => `${key}-${name}.cjs`),
    );
    expect(statSync(cache(home)).mode & 0o777).toBe(0o700);
    for (const name of kept(home))
      expect(statSync(join(cache(home), name)).mode & 0o777).toBe(0o600);
  });

  it('is not read from or written to a folder that others may write', async () => {
    needsUnix('modes');
    const home = freshHome();
    mkdirSync(cache(home), { recursive: true });
    chmodSync(cache(home), 0o777);
    await helpOf(home);
    expect(kept(home)).toEqual([]);
    const other = freshHome();
    await keepStrange(other);
    chmodSync(cache(other), 0o770);
    expect(await helpOf(other)).toContain('Topics: ');
  });

  it.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_TEST_CONTEXT', 'NODE_V8_COVERAGE'])(
    'is neither kept nor used with %s',
    async (name) => {
      const home = freshHome();
      const env = { [name]: join(home, 'value') };
      await helpOf(home, { env });
      expect(existsSync(cache(home))).toBe(false);
      await keepStrange(home);
      expect(await helpOf(home, { env })).toContain('Topics: ');
    },
  );

  it('is not kept by a run that fails, by the agent’s server, or within another program', async () => {
    const home = freshHome();
    expect((await social(['no-such-word'], { home })).exitCode).toBe(2);
    expect((await social(['mcp', 'serve'], { home })).exitCode).toBe(0);
    const host = `process.argv.splice(1, 0, 'host'); require(${JSON.stringify(launcher)});`;
    const argv = ['-e', host, '--', '--help'];
    const { stdout } = spawnSync(process.execPath, argv, { env: bareEnv(home), encoding: 'utf8' });
    expect(stdout).toContain('Topics: ');
    expect(kept(home)).toEqual([]);
  });

  it.runIf(existsSync('/proc')).each(['/proc', '/proc/self', '/dev/null', '/sys'])(
    'is not kept where the home is %s',
    async (home) => {
      expect(await helpOf(home)).toContain('Topics: ');
    },
  );

  it('is not kept on a disk that is read-only or nearly full', async () => {
    const home = freshHome();
    mkdirSync(cache(home), { recursive: true });
    for (const options of ['ro', 'size=1m', 'ro,size=1m']) {
      const setup = `mount -t tmpfs -o ${options},mode=0700 none ${cache(home)}
        trap 'ls -A ${cache(home)}' EXIT; "$@"; exit`;
      const { exitCode, stdout, stderr } = await apart('-rm', setup, ['--help'], { HOME: home });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      // The listing of the folder comes after the help, and is empty.
      expect(stdout).toBe(await helpOf(home));
    }
  });

  it('is written whole by two processes at once', async () => {
    const home = freshHome();
    const [first, second] = await Promise.all([helpOf(home), helpOf(home)]);
    expect(second).toBe(first);
    await runUntilKept(home, help);
    expect(await helpOf(home)).toBe(first);
    expect(kept(home).filter((name) => !name.endsWith('.cjs'))).toEqual([]);
  });

  it('is written again for another command, which has other functions, and then no more', async () => {
    const home = freshHome();
    await runUntilKept(home, help);
    const before = states(home);
    const post = ['posts', 'get', '--help'];
    await runUntilKept(home, post);
    const after = states(home);
    for (const state of before) expect(after).not.toContainEqual(state);
    await social(post, { home });
    await helpOf(home);
    expect(states(home)).toEqual(after);
  });

  it('is written for eight commands at most', async () => {
    const home = freshHome();
    const name = `${key}-main.cjs`;
    const written = new Set<number>();
    const areas = ['posts', 'accounts', 'webhooks', 'auth', 'context', 'config', 'history'];
    for (const area of [...areas, 'doctor', 'sandbox', 'completion', 'skill', 'api']) {
      expect((await social([area, '--help'], { home })).exitCode).toBe(0);
      written.add(statSync(join(cache(home), name)).mtimeMs);
    }
    expect(written.size).toBe(8);
  });

  it('of older versions is removed, that of newer ones is not, nor is a file of another kind', async () => {
    const home = freshHome();
    mkdirSync(join(cache(home), 'v24.1.0-x64-abc-0'), { recursive: true, mode: 0o700 });
    const older = [`0.0.9-v99.0.0-linux-x64-1-main.cjs`, `${version}-v9.11.0-linux-x64-1-main.cjs`];
    const newer = [`${version}-v100.0.0-linux-x64-1-main.cjs`, `10.0.0-v20.0.0-linux-x64-1-a.cjs`];
    const half = `${key}-main.cjs.4711.new`;
    for (const name of [...older, ...newer, half, 'notes.txt'])
      writeFileSync(join(cache(home), name), '');
    const old = `${version}-v100.0.0-linux-x64-1-old.cjs`;
    writeFileSync(join(cache(home), old), '');
    utimesSync(join(cache(home), old), 0, 0);
    await helpOf(home);
    const left = kept(home).filter((name) => !name.startsWith(key));
    expect(left).toEqual([...newer, 'notes.txt'].toSorted());
    expect(kept(home)).not.toContain(half);
  });

  it.each(['--stack-size=900', '--no-opt'])('is rejected by V8 with %s', async (flag) => {
    const home = freshHome();
    const { path, strange } = await keepStrange(home);
    const judge = `
      const bytes = require('fs').readFileSync(${JSON.stringify(path)}).subarray(40);
      const script = new (require('vm').Script)(${JSON.stringify(strange)}, { cachedData: bytes });
      console.log(script.cachedDataRejected, require('v8').cachedDataVersionTag() === ${v8Tag});`;
    const judged = (argv: readonly string[]) =>
      spawnSync(process.execPath, [...argv, '-e', judge], { encoding: 'utf8' }).stdout;
    expect(judged([])).toBe('false true\n');
    expect(judged([flag])).toBe('true false\n');
  });

  /**
   * Keeps code that only prints a word, as if it were that of the program. Returns its file and its source, which is
   * another one of the same length.
   */
  async function keepStrange(home: string) {
    await runUntilKept(home, help);
    const name = kept(home).find((some) => some.includes('-program-'))!;
    const source = readFileSync(join(root, 'dist', name.slice(key.length + 1)), 'utf8');
    const wrapper = '(function (exports, require, module, __filename, __dirname) { ';
    const strange = `process.stdout.write('Strange');process.exit();`.padEnd(source.length);
    const wrapped = `${wrapper}${strange}\n})`;
    const script = new Script(wrapped, { columnOffset: -wrapper.length });
    const path = join(cache(home), name);
    writeFileSync(path, fileOf(crc32(source), script.createCachedData()), { mode: 0o600 });
    return { path, strange: wrapped };
  }
  const fileOf = (source: number, code: Uint8Array) => {
    const numbers = Buffer.from(Uint32Array.from([source, 0, 0, 0, 0, 0, 0, 0, 0]).buffer);
    const rest = Buffer.concat([numbers, code]);
    return Buffer.concat([Buffer.from(Uint32Array.of(crc32(rest)).buffer), rest]);
  };
  const rewrite = (path: string, change: (bytes: Buffer) => Buffer) =>
    writeFileSync(path, change(readFileSync(path)));
  const otherOf = (path: string) =>
    join(
      path,
      '..',
      readdirSync(join(path, '..')).find((name) => name.includes('-tab-'))!,
    );

  it('runs instead of the source', async () => {
    const home = freshHome();
    await keepStrange(home);
    expect(await helpOf(home)).toBe('Strange');
  });

  it.each<[string, (path: string) => void]>([
    ['cut', (path) => rewrite(path, (bytes) => bytes.subarray(0, -100))],
    ['cut in its head', (path) => rewrite(path, (bytes) => bytes.subarray(0, 10))],
    ['empty', (path) => rewrite(path, () => Buffer.alloc(0))],
    ['full of zeros', (path) => rewrite(path, (bytes) => bytes.fill(0))],
    [
      'changed in a byte',
      (path) => rewrite(path, (bytes) => bytes.fill(bytes[300]! ^ 1, 300, 301)),
    ],
    ['of another source', (path) => rewrite(path, (bytes) => fileOf(1, bytes.subarray(40)))],
    ['of another chunk', (path) => copyFileSync(otherOf(path), path)],
    ['that the group may read', (path) => chmodSync(path, 0o640)],
    ['that all may write', (path) => chmodSync(path, 0o602)],
    ['with another name', (path) => linkSync(path, `${path}.other`)],
    [
      'behind a link',
      (path) => {
        renameSync(path, `${path}.other`);
        symlinkSync(`${path}.other`, path);
      },
    ],
    [
      'in place of which is a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'of another version',
      (path) => renameSync(path, path.replace(process.version, `${process.version}1`)),
    ],
  ])('%s is not run', async (_odd, spoil) => {
    needsUnix('modes');
    const home = freshHome();
    const { path } = await keepStrange(home);
    spoil(path);
    expect(await helpOf(home)).toContain('Topics: ');
    expect(await helpOf(home)).toContain('Topics: ');
  });

  it.runIf(process.getuid?.() === 0)('of another user is not run', async () => {
    const home = freshHome();
    const { path } = await keepStrange(home);
    chownSync(path, 65_534, 65_534);
    expect(await helpOf(home)).toContain('Topics: ');
  });

  it('is not for a run that wants the lines of the sources', async () => {
    const home = freshHome();
    await keepStrange(home);
    const env = { NODE_OPTIONS: '--enable-source-maps' };
    expect(await helpOf(home, { env })).toContain('Topics: ');
  });

  it.runIf(spawnSync('prlimit', ['--version']).status === 0)(
    'that a limit of file sizes cuts is not kept',
    () => {
      const home = freshHome();
      const argv = ['--fsize=100000', process.execPath, launcher, '--help'];
      for (let round = 0; round < 4; round++) {
        const { status, stderr } = spawnSync('prlimit', argv, { env: bareEnv(home) });
        expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
      }
      expect(kept(home).filter((name) => /-(?:tab|program)-|\.new$/.test(name))).toEqual([]);
      expect(kept(home)).toContain(`${key}-main.cjs`);
    },
  );
});

describe('the command line that the build has prepared for completion', () => {
  it('is that of the program', async () => {
    const { stdout } = await social(['__tree']);
    const kept = JSON.parse(readFileSync(join(root, 'dist/completion.json'), 'utf8')) as unknown;
    expect(kept).toEqual(JSON.parse(stdout) as CommandTree);
  });
});
