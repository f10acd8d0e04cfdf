// A list that the program saved at a path of the user's: a first line that says so, and a record per line.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export const MARK = '# made by social, which replaces this file in a later run';

/** Returns the records of a saved list, as they are written. */
export function savedLines(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  if (text === '') return [];
  const [mark, ...lines] = text.split('\n');
  expect([mark, lines.pop()]).toEqual([MARK, '']);
  return lines;
}
