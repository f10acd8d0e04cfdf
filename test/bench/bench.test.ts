// The benchmark runs, and prints its measurements as JSON too. The figures are not tested.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { root } from '../support/program.ts';

interface Table {
  readonly title: string;
  readonly rows: readonly Record<string, unknown>[];
}

describe('the benchmark', () => {
  it.runIf(existsSync('/usr/bin/time'))(
    'reports the batch as JSON with all the others',
    async () => {
      const words = ['batch', '--items', '40', '--rounds', '1', '--json'];
      const { stdout } = await execa(process.execPath, [
        join(root, 'test/bench/bench.mjs'),
        ...words,
      ]);
      const told = JSON.parse(stdout) as { machine: string; batch: readonly Table[] };
      expect(Object.keys(told)).toEqual(['machine', 'batch']);
      const names = told.batch.map(({ rows }) => rows.map(({ what }) => what));
      for (const reads of names.slice(0, 2))
        expect(reads).toEqual(
          expect.arrayContaining(['undici request, bare loop', 'social posts get --from']),
        );
      expect(names[2]).toEqual(['without', '--journal']);
      for (const row of told.batch.flatMap(({ rows }) => rows))
        expect(row['items/s']).toBeTypeOf('number');
    },
  );
});
