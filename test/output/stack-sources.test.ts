// A stack under --debug: it names the sources where the build's maps are, and the built files where they are not.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { freshHome, root, bareEnv } from '../support/program.ts';

/** The program as it is built in a folder of this name, without what `left` names. */
function placed(name: string, left: RegExp) {
  const place = join(freshHome(), name);
  for (const folder of ['bin', 'dist'])
    cpSync(join(root, folder), join(place, folder), {
      recursive: true,
      filter: (path) => !left.test(path),
    });
  return place;
}

async function stackIn(place: string, env: Record<string, string> = {}) {
  const { exitCode, stderr } = await execa(
    process.execPath,
    [join(place, 'bin/social.js'), 'posts', 'get', 'short', '--debug'],
    { env: bareEnv(freshHome(), env), extendEnv: false, reject: false },
  );
  expect(exitCode).toBe(2);
  return stderr;
}

/** What stands in the sources at the place that the first frame names. */
function textAt(stack: string, place: string): string {
  const [, path = '', line, column] = /at .*?\((.*\.ts):(\d+):(\d+)\)/.exec(stack) ?? [];
  expect(path.startsWith(join(place, 'src'))).toBe(true);
  const source = readFileSync(join(root, path.slice(place.length)), 'utf8');
  return source.split('\n')[Number(line) - 1]!.slice(Number(column) - 1);
}

describe('a stack', () => {
  it.each([
    ['from the code cache', {}],
    ['past the code cache', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ])('names the line of the source, %s', async (_what, env) => {
    expect(textAt(await stackIn(root, env), root)).toMatch(/^new Failure\(/);
  });

  it('does so in a folder with a blank in its name, and with the cache of a user', async () => {
    const place = placed('a program', /dist.cache/);
    expect(textAt(await stackIn(place), place)).toMatch(/^new Failure\(/);
  });

  it('names the built file where there are no maps, as in the package', async () => {
    const place = placed('installed', /\.map$/);
    const stack = await stackIn(place);
    expect(stack).not.toContain('.ts:');
    expect(stack).toContain(join(place, 'dist'));
    expect(stack).toMatch(/at .*dist.[\w-]+\.cjs:1:\d+/);
  });
});
