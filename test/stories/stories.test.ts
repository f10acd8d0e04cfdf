// Every `.story` beside this file is run in the sandbox and compared with itself. A story is read as it is typed: `$ `
// a command, `@ ` the scene (pipe, columns, time passing), `# ` prose; below a command its output, stderr behind `! `,
// and the exit code if it is not 0. `vitest -u` writes the output into the file.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDuration } from '../../src/base/durations.ts';
import { withoutIds } from '../support/request-ids.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';
import { splitWords } from '../support/shell-words.ts';

const folder = fileURLToPath(new URL('.//', import.meta.url));
const stories = readdirSync(folder).filter((name) => name.endsWith('.story'));

/** Prompts are off, so that an error names each missing value. */
const usual = { SOCIAL_CONTEXT: 'sandbox', SOCIAL_NO_INPUT: '1', NO_COLOR: '1' };

test('the folder has stories', () => {
  expect(stories.length).toBeGreaterThan(3);
});

test.each(stories)('%s', async (name) => {
  const script = readFileSync(folder + name, 'utf8')
    .split('\n')
    .filter((line) => /^(?:[$@#] |$)/.test(line));
  const told: string[] = [];
  const stage = testCli();
  const scene: RunOptions = { columns: 80 };
  for (const line of script) {
    if (line === '' && (told.at(-1) === '' || told.length === 0)) continue;
    told.push(line);
    if (line.startsWith('@ ')) direct(line.slice(2), scene, stage.clock);
    if (!line.startsWith('$ social')) continue;
    const { exitCode, stdout, stderr } = await stage.social(
      splitWords(line.slice('$ social'.length)),
      { ...scene, env: { ...usual, ...scene.env } },
    );
    told.push(
      ...lines(stdout).map((each) => (each === '' ? '.' : each)),
      ...lines(stderr).map((each) => `! ${each}`),
    );
    if (exitCode !== 0) told.push(`[exit ${exitCode}]`);
  }
  await expect(`${told.join('\n').trimEnd()}\n`).toMatchFileSnapshot(folder + name);
});

function direct(direction: string, scene: RunOptions, clock: { now: number }): void {
  const [word = '', value = ''] = direction.split(' ');
  if (word === 'pipe') scene.columns = undefined;
  else if (word === 'columns') scene.columns = Number(value);
  else if (word === 'wait') clock.now += parseDuration(value)!;
  else if (word === 'env') scene.env = { ...scene.env, ...Object.fromEntries([value.split('=')]) };
  else throw new Error(`no such direction: ${direction}`);
}

/** Returns whole lines, without the sandbox's own note, which every call prints. */
function lines(text: string): string[] {
  const all = withoutIds(text).split('\n');
  return (all.at(-1) === '' ? all.slice(0, -1) : all).filter(
    (line) => !line.startsWith('sandbox: this is'),
  );
}
