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
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../src/cli/command-tree.ts';
import { launcher } from './support/launcher.ts';
import {
  bareEnv,
  freshHome,
  noCompileCache,
  root,
  type Setting,
  social,
} from './support/program.ts';
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
  const help = async (home: string, setting: Setting = {}) => {
    const { exitCode, stdout, stderr } = await social(['--help'], { home, ...setting });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  };

  it('is kept in a private folder of the user, and nothing else is', async () => {
    needsUnix('modes');
    const home = freshHome();
    const first = await help(home);
    expect(readdirSync(home)).toEqual(['.cache']);
    expect(kept(home).map((name) => name.replace(/-.*?\.cjs/, ''))).toEqual([
      `program.${process.version}-${process.arch}`,
      `tab.${process.version}-${process.arch}`,
    ]);
    expect(statSync(cache(home)).mode & 0o777).toBe(0o700);
    for (const name of kept(home))
      expect(statSync(join(cache(home), name)).mode & 0o777).toBe(0o600);
    expect(await help(home)).toBe(first);
  });

  it('is not read from or written to a folder that others may write', async () => {
    needsUnix('modes');
    const home = freshHome();
    mkdirSync(cache(home), { recursive: true });
    chmodSync(cache(home), 0o777);
    await help(home);
    expect(kept(home)).toEqual([]);
  });

  it('is not kept where that is disabled, or a run has failed', async () => {
    const home = freshHome();
    await help(home, { env: noCompileCache });
    expect(readdirSync(home)).toEqual([]);
    expect((await social(['no-such-word'], { home })).exitCode).toBe(2);
    expect(kept(home)).toEqual([]);
  });

  it.runIf(existsSync('/proc'))('is not kept in a home that takes no folders', async () => {
    expect(await help('/proc')).toContain('Topics: ');
  });

  it('is written whole by two processes at once, and by the next one', async () => {
    const home = freshHome();
    const [first, second] = await Promise.all([help(home), help(home)]);
    expect(second).toBe(first);
    expect(kept(home)).toHaveLength(2);
    expect(await help(home)).toBe(first);
  });

  /** Keeps code that only prints a word, as if it were that of the program; returns its file. */
  async function keepOther(home: string): Promise<string> {
    await help(home);
    const name = kept(home).find((some) => some.startsWith('program-'))!;
    const source = readFileSync(join(root, 'dist', name.replace(/\.v.*$/, '')), 'utf8');
    const { wrap } = nodeModule as unknown as { readonly wrap: (text: string) => string };
    const columnOffset = -wrap('').indexOf('\n});');
    // V8 compares nothing but the length of the source.
    const strange = `process.stdout.write('Strange');process.exit();`.padEnd(source.length);
    const other = new Script(wrap(strange), { columnOffset });
    const code = other.createCachedData();
    const path = join(cache(home), name);
    writeFileSync(path, Buffer.concat([checksums(source, code), code]));
    return path;
  }
  const checksums = (source: string, code: Buffer) =>
    Buffer.from(Uint32Array.of(crc32(source), crc32(code)).buffer);
  const rewrite = (path: string, change: (bytes: Buffer) => Buffer) =>
    writeFileSync(path, change(readFileSync(path)));

  it('runs instead of the source', async () => {
    const home = freshHome();
    await keepOther(home);
    expect(await help(home)).toBe('Strange');
  });

  it.each<[string, (path: string) => void]>([
    ['cut', (path) => rewrite(path, (bytes) => bytes.subarray(0, -100))],
    ['empty', (path) => rewrite(path, () => Buffer.alloc(0))],
    [
      'changed in one byte',
      (path) => rewrite(path, (bytes) => bytes.fill(bytes[300]! ^ 1, 300, 301)),
    ],
    [
      'of another source',
      (path) =>
        rewrite(path, (bytes) =>
          Buffer.concat([checksums('other', bytes.subarray(8)), bytes.subarray(8)]),
        ),
    ],
    ['of another file', (path) => copyFileSync(join(path, '..', otherOf(path)), path)],
    ['that the group may write', (path) => chmodSync(path, 0o620)],
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
  ])('%s is not run', async (_odd, spoil) => {
    needsUnix('modes');
    const home = freshHome();
    spoil(await keepOther(home));
    expect(await help(home)).toContain('Topics: ');
    expect(await help(home)).toContain('Topics: ');
  });
  const otherOf = (path: string) =>
    readdirSync(join(path, '..')).find((name) => name.startsWith('tab-'))!;

  it.runIf(process.getuid?.() === 0)('of another user is not run', async () => {
    const home = freshHome();
    const path = await keepOther(home);
    chownSync(path, 65_534, 65_534);
    expect(await help(home)).toContain('Topics: ');
  });

  it('is not for a run that wants the lines of the sources', async () => {
    const home = freshHome();
    await keepOther(home);
    const env = { NODE_OPTIONS: '--enable-source-maps' };
    expect(await help(home, { env })).toContain('Topics: ');
  });

  it.runIf(spawnSync('prlimit', ['--version']).status === 0)(
    'that a full disk cuts is not kept',
    () => {
      const home = freshHome();
      const words = ['--fsize=100000', process.execPath, launcher, '--help'];
      const { status, stderr } = spawnSync('prlimit', words, { env: bareEnv(home) });
      expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
      expect(kept(home).map((name) => name.replace(/-.*/, ''))).toEqual(['tab']);
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
