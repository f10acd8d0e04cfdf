// The benchmark runs. Its figures are not tested.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { root } from '../support/program.ts';

it.runIf(existsSync('/usr/bin/time'))(
  'the benchmark prints a row for each way',
  async () => {
    const script = join(root, 'test/bench/bench.mjs');
    const words = [script, 'batch', '--items', '40', '--rounds', '1'];
    const { stdout } = await execa(process.execPath, words);
    for (const way of ['undici, bare loop', 'social posts get', 'without', '--journal'])
      expect(stdout).toMatch(new RegExp(`^${way} +\\d+ `, 'm'));
  },
  120_000,
);
