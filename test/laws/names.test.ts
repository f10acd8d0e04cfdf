// One thing has one name: headings and placeholders that were replaced by another word do not come back.

import { expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

const sandbox = { SOCIAL_CONTEXT: 'sandbox', NO_COLOR: '1' };

it.each([
  ['context list', ['CONTEXT', 'CURRENT', 'BASE URL', 'PROTECTED']],
  ['auth status', ['CONTEXT', 'CURRENT', 'BASE URL', 'TOKEN SOURCE', 'WHY']],
  ['history list', ['TIME', 'OUTCOME', 'COMMAND', 'IDS', 'CREATED', 'CHANGE']],
])('social %s has the headings of its list', async (line, headings) => {
  const { social, clock } = testCli();
  const run = (words: string) => social(words.split(' '), { env: sandbox, columns: 250 });
  await run('posts reply PostAutumnRecaps --target TargetAutumnMast --text Hi');
  clock.now += 1000;
  const [first = ''] = (await run(line)).stdout.split('\n');
  expect(first.split(/ {2,}/)).toEqual(headings);
});

it('a folder is called a folder in every flag', async () => {
  const { stdout } = await testCli().social(['commands', '--json']);
  expect(stdout).toContain('<folder>');
  expect(stdout).not.toMatch(/<(?:dir|directory|path-to-\w+)>/);
});

it('a context, its base URL and its token have the same keys wherever they are shown', async () => {
  const { social } = testCli();
  const keys = async (line: string) => {
    const { stdout } = await social([...line.split(' '), '--json'], { env: sandbox });
    return Object.keys([JSON.parse(stdout)].flat()[0] as object);
  };
  for (const line of ['context list', 'context show', 'auth status']) {
    expect(await keys(line)).toEqual(expect.arrayContaining(['context', 'baseUrl']));
    expect(await keys(line)).not.toEqual(expect.arrayContaining(['name']));
    expect(await keys(line)).not.toEqual(expect.arrayContaining(['origin']));
  }
});
