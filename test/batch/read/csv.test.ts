// Rows of CSV and TSV: every cell as it was written, or what is wrong with it.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delimiter, rowsOf } from '../../../src/batch/read/csv.ts';

const linesOf = (texts: readonly string[]) => texts.map((text, i) => ({ number: i + 1, text }));

describe('rows of a CSV', () => {
  const rows = (texts: readonly string[], delimiter: Delimiter = ',') =>
    rowsOf(linesOf(texts), delimiter);

  it('skip blank lines between rows, and keep them in a cell', () => {
    expect(rows(['a,b', ' ', '#c', 'd#', '"e', '', '#f', '  ', '"'])).toEqual([
      { number: 1, cells: ['a', 'b'] },
      { number: 3, cells: ['#c'] },
      { number: 4, cells: ['d#'] },
      { number: 5, cells: ['e\n\n#f\n  \n'] },
    ]);
    expect(rows(['a,b;c'], ';')).toEqual([{ number: 1, cells: ['a,b', 'c'] }]);
    expect(rows(['a|b;c|"d|"'], '|')).toEqual([{ number: 1, cells: ['a', 'b;c', 'd|'] }]);
  });

  const misplaced = 'has a quote that neither encloses a cell nor is doubled';

  it('report faults by the number of their first line, and continue', () => {
    expect(rows(['"a', 'b"c', 'd', '"e'])).toEqual([
      { number: 1, cells: [], fault: misplaced },
      { number: 3, cells: ['d'] },
      { number: 4, cells: [], fault: 'has an unclosed quote' },
    ]);
  });

  it.each<readonly [text: string, cells: readonly string[]]>([
    ['a,', ['a', '']],
    ['"a",', ['a', '']],
    [',"a"', ['', 'a']],
    ['a,,"b",c', ['a', '', 'b', 'c']],
    ['"",""', ['', '']],
    ['""""', ['"']],
    ['"a""b""c"', ['a"b"c']],
  ])('have these cells: %s', (text, cells) => {
    expect(rows([text])).toEqual([{ number: 1, cells }]);
  });

  it.each(['"abc""" ', 'a,b"c"', '"a"b'])('reject a misplaced quote: %s', (text) => {
    expect(rows([text])).toMatchObject([{ fault: misplaced }]);
  });

  it('have the cells that they were made from', () => {
    const cell = fc.string({ unit: fc.constantFrom(',', '"', '\n', ' ', 'a', 'é', ';') });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
        const text = cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(',');
        expect(rows(text.split('\n'))).toEqual([{ number: 1, cells }]);
      }),
    );
  });
});

describe('rows of a TSV', () => {
  const rows = (texts: readonly string[]) => rowsOf(linesOf(texts), '\t');

  it('have their cells between tabs, without enclosing quotes', () => {
    expect(rows(['', '# no', '"a""b"\tc"d"\t"e"f\t""\t"'])).toEqual([
      { number: 2, cells: ['# no'] },
      { number: 3, cells: ['a"b', 'c"d"', '"e"f', '', '"'] },
    ]);
  });

  it('may have line breaks in quoted cells, as spreadsheets write them', () => {
    expect(rows(['a\t"b', '', 'c"', '"d', '""e"\tf'])).toEqual([
      { number: 1, cells: ['a', 'b\n\nc'] },
      { number: 4, cells: ['d\n"e', 'f'] },
    ]);
  });

  it('are lines of their own where quotes are text', () => {
    expect(rows(['1"\ta', '2"\tb', '"3\tc', '4"\td', '"'])).toEqual([
      { number: 1, cells: ['1"', 'a'] },
      { number: 2, cells: ['2"', 'b'] },
      { number: 3, cells: ['"3', 'c'] },
      { number: 4, cells: ['4"', 'd'] },
      { number: 5, cells: ['"'] },
    ]);
  });
});
