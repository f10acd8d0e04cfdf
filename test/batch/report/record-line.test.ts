// One item of a batch as a line on a terminal, as much of it as fits.

import { describe, expect, it } from 'vitest';
import { recordLine } from '../../../src/batch/report/record-line.ts';
import { makeColors } from '../../../src/output/color.ts';
import type { TableView } from '../../../src/output/table-view.ts';

const colors = {
  ...makeColors(false),
  good: (text: string) => `<g>${text}`,
  bad: (text: string) => `<b>${text}`,
};
const reading = { colors, now: 0, utc: true };
const spoken = { ...reading, accessible: true };
const columns = (...paths: readonly string[]) => paths.map((path) => ({ path, label: path }));
const list = (rows: readonly (readonly unknown[])[]): TableView =>
  ({ isList: true, columns: columns('platform', 'name', 'more'), rows }) as unknown as TableView;
const single = (row: readonly unknown[]): TableView =>
  ({
    isList: false,
    columns: columns('id', 'a', 'b', 'c', 'd'),
    rows: [row],
  }) as unknown as TableView;
const line = (view: TableView, width = 100, status = 'good' as const, how = reading) =>
  recordLine({ id: 'PostA', view, status }, width, how);

describe('the line of an item', () => {
  it.each([
    ['good', '<g>✓ PostA', 'PostA done'],
    ['bad', '<b>✗ PostA', 'PostA failed'],
    ['moving', '◌ PostA', 'PostA in progress'],
    ['accepted', '◌ PostA', 'PostA accepted'],
    ['still', '· PostA', 'PostA unchanged'],
  ] as const)('shows its status: %s', (status, sign, words) => {
    const item = { id: 'PostA', view: single([]), status };
    expect(recordLine(item, 100, reading)).toBe(`${sign}\n`);
    expect(recordLine(item, 100, spoken)).toBe(`${words}\n`);
  });

  it('has the first four fields of a result, without its id', () => {
    const row = ['PostA', 'one', null, 'PostA x', 'five'];
    expect(line(single(row))).toBe('<g>✓ PostA  one  -  PostA x\n');
    expect(line(single(row), 100, 'good', spoken)).toBe('PostA done: one, -, PostA x\n');
    expect(line({ ...single(row), rows: [] })).toBe('<g>✓ PostA\n');
  });

  it('has the first two fields of each row of a list', () => {
    const rows = [
      ['linkedin', 'A', 'left out'],
      ['PostA', 'B'],
    ];
    expect(line(list(rows))).toBe('<g>✓ PostA  linkedin A, B\n');
    expect(line(list(rows), 100, 'good', spoken)).toBe('PostA done: linkedin A, B\n');
    expect(line(list([]))).toBe('<g>✓ PostA\n');
  });

  it('is cut between two fields when the rest does not fit', () => {
    const plain = { ...reading, colors: makeColors(false) };
    const row = single(['aaaa', 'bb', 'ccc']);
    const at = (width: number) => line(row, width, 'good', plain);
    expect(at(23)).toBe('✓ PostA  aaaa  bb  ccc\n');
    expect(at(22)).toBe('✓ PostA  aaaa  bb …\n');
    expect(at(18)).toBe('✓ PostA  aaaa  bb …\n');
    expect(at(17)).toBe('✓ PostA  aaaa …\n');
    expect(at(13)).toBe('✓ PostA …\n');
    expect(at(1)).toBe('✓ PostA …\n');
    const rows = list([
      ['aaaa', ''],
      ['日本', ''],
    ]);
    expect(line(rows, 23, 'good', plain)).toBe('✓ PostA  aaaa , 日本 \n');
    expect(line(rows, 21, 'good', plain)).toBe('✓ PostA  aaaa  …\n');
  });

  it('has no control characters', () => {
    const plain = { ...reading, colors: makeColors(false) };
    expect(line(single(['é\u001b[31m']), 100, 'good', plain)).not.toContain('\u001b');
    expect(
      recordLine({ id: 'Post\u001bA', view: single([]), status: 'good' }, 5, plain),
    ).not.toContain('\u001b');
  });
});
