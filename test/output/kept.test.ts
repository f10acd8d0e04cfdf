// The outcome of a change is the last column of a table to be hidden.

import { describe, expect, it } from 'vitest';
import { fitTable } from '../../src/output/table.ts';

describe('a column that is kept', () => {
  const columns = ['STARTED', 'COMMAND', 'IDS', 'OUTCOME', 'CHANGE'].map((heading) => ({
    heading,
    isWhole: true,
    isKept: heading === 'OUTCOME',
  }));
  const row = [
    '2 minutes ago',
    'accounts mastodon favourite',
    '113000000000000001',
    'x'.repeat(14),
  ];

  it.each([
    [200, ['STARTED', 'COMMAND', 'IDS', 'OUTCOME', 'CHANGE']],
    [80, ['STARTED', 'COMMAND', 'IDS', 'OUTCOME']],
    [70, ['STARTED', 'COMMAND', 'OUTCOME']],
    [40, ['STARTED', 'OUTCOME']],
  ])('is there in %i columns', (width, shown) => {
    const { text, hidden } = fitTable(columns, [[...row, '0123456789ab']], width);
    expect(text.split('\n')[0]!.trim().split(/ +/)).toEqual(shown);
    expect(hidden).toBe(columns.length - shown.length);
  });
});
