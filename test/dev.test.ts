// The program from its sources: npm run dev, where nothing is built.

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { freshHome, root, bareEnv } from './support/program.ts';

/** The sources alone, with one word of them changed. */
function sources() {
  const place = freshHome();
  for (const part of ['src', 'scripts', 'package.json'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  const changed = join(place, 'src/sandbox/responses.ts');
  writeFileSync(changed, readFileSync(changed, 'utf8').replace('There is no', 'Nobody has'));
  return place;
}

it('npm run dev runs a command from the sources as they are', async () => {
  const place = sources();
  const words = ['-C', 'sandbox', '-q', 'posts', 'get', 'PostNowhereToSee', '--debug'];
  const { exitCode, stderr } = await execa('npm', ['run', '-s', 'dev', '--', ...words], {
    cwd: place,
    env: bareEnv(freshHome()),
    extendEnv: false,
    reject: false,
  });
  expect(stderr).toContain('Nobody has post PostNowhereToSee.');
  expect(exitCode).toBe(5);
  const [, path = '', line] = /at withAdvice \((.*):(\d+):\d+\)/.exec(stderr) ?? [];
  expect(path).toBe(join(place, 'src/client/advice.ts'));
  expect(readFileSync(path, 'utf8').split('\n')[Number(line) - 1]).toContain('.with(');
});
