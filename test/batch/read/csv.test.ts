// Rows of CSV and TSV: every cell as it was written, or what is wrong with it.

import { describe, expect, it } from 'vitest';
import { cellsOf, csvRows, tsvRows } from '../../../src/batch/read/formats.ts';

const linesOf = (texts: readonly string[]) => texts.map((text, i) => ({ number: i + 1, text }));

describe('rows of a CSV', () => {
  const rows = (texts: readonly string[], delimiter = ',') => csvRows(linesOf(texts), delimiter);

  it('skip blank lines and comments between rows, and keep them in a cell', () => {
    expect(rows(['a,b', ' ', '#c', 'd#', '"e', '', '#f', '  ', '"'])).toEqual([
      { number: 1, cells: ['a', 'b'] },
      { number: 4, cells: ['d#'] },
      { number: 5, cells: ['e\n\n#f\n  \n'] },
    ]);
    expect(rows(['a,b;c'], ';')).toEqual([{ number: 1, cells: ['a,b', 'c'] }]);
  });

  it('report faults by the number of their first line, and continue', () => {
    expect(rows(['"a', 'b"c', 'd', '"e'])).toEqual([
      { number: 1, cells: [], fault: 'has text after a closing quote' },
      { number: 3, cells: ['d'] },
      { number: 4, cells: [], fault: 'has an unclosed quote' },
    ]);
  });

  it.each<readonly [text: string, cells: readonly string[] | string]>([
    ['', ['']],
    ['a,', ['a', '']],
    ['"a",', ['a', '']],
    [',"a"', ['', 'a']],
    ['a,,"b",c', ['a', '', 'b', 'c']],
    ['"",""', ['', '']],
    ['""""', ['"']],
    ['"a""b""c"', ['a"b"c']],
    ['"abc', 'has an unclosed quote'],
    ['"abc""', 'has an unclosed quote'],
    ['a,b"c"', 'has a quote inside an unquoted cell'],
    ['"a"b', 'has text after a closing quote'],
  ])('have these cells: %s', (text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });
});

it('a TSV row has its cells between tabs, without enclosing quotes', () => {
  expect(tsvRows(linesOf(['', '# no', '"a""b"\tc"d"\t"e"f\t""\t"']))).toEqual([
    { number: 3, cells: ['a"b', 'c"d"', '"e"f', '', '"'] },
  ]);
});
