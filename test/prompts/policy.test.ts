// Whether a question can be asked, and the notice of the accessible mode: once a machine.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/base/runtime.ts';
import { announceAccessible, mayPrompt } from '../../src/prompts/policy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Chosen = Parameters<typeof announceAccessible>[0];

/** Announces the mode with these settings; what was written, and what is kept. */
async function announced(more: Partial<Chosen>, folder = join(temporaryFolder(), 'state')) {
  let written = '';
  const runtime = {
    stateDir: () => folder,
    stderr: { write: async (text: string) => void (written += text) },
  } as unknown as Runtime;
  const settings = { accessible: true, quiet: false, output: undefined, ...more } as Chosen;
  await announceAccessible(settings, runtime);
  return { written, kept: fs.existsSync(folder) ? fs.readdirSync(folder) : [], folder };
}
const NOTICE = 'accessible mode is on: plain lines, numbered questions, no redrawing\n';

describe('the notice of the accessible mode', () => {
  it('is written once per machine', async () => {
    const first = await announced({});
    expect(first.written).toBe(NOTICE);
    expect(first.kept).toHaveLength(1);
    expect(fs.statSync(join(first.folder, first.kept[0]!)).size).toBe(0);
    expect((await announced({}, first.folder)).written).toBe('');
    for (const output of ['table', 'tsv'] as const)
      expect((await announced({ output })).written).toBe(NOTICE);
  });

  it.each<Partial<Chosen>>([
    { accessible: false },
    { quiet: true },
    { output: 'json' },
    { output: 'ndjson' },
  ])('is not written, and not recorded, with %j', async (more) => {
    expect(await announced(more)).toMatchObject({ written: '', kept: [] });
  });

  it('is written each time when that cannot be recorded', async () => {
    const file = join(temporaryFolder(), 'file');
    fs.writeFileSync(file, '');
    for (let time = 0; time < 2; time++)
      expect((await announced({}, join(file, 'state'))).written).toBe(NOTICE);
  });
});

it.each([
  [false, true, true, true],
  [true, true, true, false],
  [false, false, true, false],
  [false, true, false, false],
])('with --no-input %s, stdin %s and stderr %s a terminal: %s', (noInput, stdin, stderr, may) => {
  const runtime = { stdin: { isTTY: stdin }, stderr: { isTTY: stderr } } as Runtime;
  expect(mayPrompt({ noInput }, runtime)).toBe(may);
});
