// The code cache of an installed program: the package brings none, so each user has one, private, and nothing that
// lies in its place does harm.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { bareEnv, freshHome, root } from './support/program.ts';
import { needsUnix } from './support/unix.ts';

/** The program as a package installs it, and a way to run it for a user. */
function installed() {
  const place = freshHome();
  for (const folder of ['bin', 'dist'])
    cpSync(join(root, folder), join(place, folder), {
      recursive: true,
      filter: (path) => relative(root, path) !== 'dist/cache',
    });
  const home = freshHome();
  const run = (env: Record<string, string> = {}, line = 'webhooks events') =>
    execa(process.execPath, [join(place, 'bin/social.js'), ...line.split(' ')], {
      env: bareEnv(home, env),
      extendEnv: false,
      reject: false,
    });
  const cache = () => {
    const folder = join(home, '.cache/social');
    return existsSync(folder) ? join(folder, readdirSync(folder)[0]!) : undefined;
  };
  return { home, run, cache };
}

const expected = { exitCode: 0, stderr: '', stdout: expect.stringContaining('post.failed') };
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the code cache of a user', () => {
  it('is made by the first run, is private, and changes nothing that is seen', async () => {
    const { run, cache } = installed();
    expect(await run()).toMatchObject(expected);
    const folder = cache()!;
    expect(modeOf(folder)).toBe('700');
    const files = readdirSync(folder);
    expect(files).toContain('main.cjs.bin');
    expect(files.filter((name) => modeOf(join(folder, name)) !== '600')).toEqual([]);
    const before = files.map((name) => statSync(join(folder, name)).mtimeMs);
    expect(await run()).toMatchObject(expected);
    expect(files.map((name) => statSync(join(folder, name)).mtimeMs)).toEqual(before);
  });

  it('takes in what a run does for the first time, of all files that the run loads', async () => {
    const { run, cache } = installed();
    await run();
    const folder = cache()!;
    const sizes = () =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]),
      );
    const first = sizes();
    const get = '-C sandbox posts get PostSpringLaunch --json';
    expect(await run({}, get)).toMatchObject({ exitCode: 0 });
    const second = sizes();
    const grown = (name: string) => {
      const file = Object.keys(first).find((each) => each.startsWith(name))!;
      return second[file]! / first[file]!;
    };
    // Help calls nothing of what makes a request.
    expect(grown('cli-operation-command')).toBeGreaterThan(1.1);
    expect(grown('cli-program')).toBeGreaterThan(1);
    // Another run of the same writes nothing.
    await run({}, get);
    expect(sizes()).toEqual(second);
  });

  it('is made anew where it is damaged', async () => {
    const { run, cache } = installed();
    await run();
    const file = join(cache()!, 'main.cjs.bin');
    const good = readFileSync(file);
    for (const bad of [Buffer.alloc(0), Buffer.from('nonsense'), good.subarray(0, 99)]) {
      writeFileSync(file, bad);
      expect(await run()).toMatchObject(expected);
      expect(readFileSync(file).length).toBeGreaterThan(1000);
    }
  });

  it('is left alone where others could write to it', async () => {
    needsUnix('owners and modes');
    const { run, cache } = installed();
    await run();
    const folder = cache()!;
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'planted');
    chmodSync(folder, 0o777);
    expect(await run()).toMatchObject(expected);
    expect(readFileSync(join(folder, 'main.cjs.bin'), 'utf8')).toBe('planted');
  });

  it('is done without where none can be made, or none is wanted', async () => {
    const { home, run, cache } = installed();
    writeFileSync(join(home, '.cache'), 'a file in its place');
    expect(await run()).toMatchObject(expected);
    mkdirSync(join(home, 'own'));
    expect(await run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject(expected);
    expect(await run({ XDG_CACHE_HOME: join(home, 'own') })).toMatchObject(expected);
    expect(readdirSync(join(home, 'own/social'))).toHaveLength(1);
    expect(existsSync(join(home, '.cache/social'))).toBe(false);
    expect(cache()).toBeUndefined();
  });
});
