// The short form of the adversary: some rounds of each section, with a seed that stays. `npm run adversary` is the
// whole.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Figures {
  readonly section: string;
  readonly rounds: number;
  readonly runs: number;
  readonly checks: number;
  readonly failures: readonly object[];
}

const program = fileURLToPath(new URL('adversary.mjs', import.meta.url));

/** How many rounds each section has here, and the seed of the first. */
const sections: readonly (readonly [section: string, rounds: number, seed: number])[] = [
  ['kills', 3, 6],
  ['answers', 2, 1],
  ['keys', 4, 7],
  ['secrets', 6, 1],
  ['links', 6, 8],
  ['proxies', 4, 4],
  ['fifos', 3, 2],
  ['stopped', 3, 4],
];

describe.concurrent('the adversary', () => {
  it.each(sections)('finds nothing in some rounds of %s', async (section, rounds, seed) => {
    const argv = [
      program,
      section,
      '--seed',
      `${seed}`,
      '--rounds',
      `${rounds}`,
      '--slack',
      '5',
      '--json',
    ];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => child.on('close', resolve));
    const [figures] = JSON.parse(said) as readonly [Figures];
    expect(figures.failures).toEqual([]);
    expect(figures).toMatchObject({ section, rounds });
    // Not every round starts the program: some look for what another left behind.
    expect(figures.runs).toBeGreaterThan(rounds / 2);
    expect(figures.checks).toBeGreaterThan(rounds * 4);
    expect(code).toBe(0);
  });
});
