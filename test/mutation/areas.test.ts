// The areas of mutation testing name what is there: no path leads nowhere, no file is in two areas, and no file of the
// riskiest rooms is in none.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/program.ts';
import areas from './areas.json' with { type: 'json' };

const mutated = Object.values(areas).flatMap(({ mutate }) => mutate);
const filesOf = (room: string) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => `${room}/${name}`);

/** Types and constants. */
const left = new Set(
  ['batch/types.ts', 'batch/report/report-case.ts'].map((name) => `src/${name}`),
);

describe('the areas of mutation testing', () => {
  it.each(Object.entries(areas))('lead to files: %s', (_area, { mutate, tests }) => {
    expect([...mutate, ...tests].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('have each file once', () => {
    expect(mutated.filter((path, i) => mutated.indexOf(path) !== i)).toEqual([]);
  });

  it.each(['src/fs', 'src/batch', 'src/wait', 'src/client/transport', 'src/config/auth'])(
    'leave out no file of %s (if one is new, add it to test/mutation/areas.json)',
    (room) => {
      expect(filesOf(room).filter((path) => !mutated.includes(path) && !left.has(path))).toEqual(
        [],
      );
    },
  );
});
