// Chunks to lines, and lines to the rows of a CSV or TSV: at each limit, and wherever a chunk ends.

import { describe, expect, it } from 'vitest';
import { cellsOf, csvReader, lineSplitter, tsvRow } from '../../../src/batch/read/lines.ts';

const split = (chunks: readonly (string | Uint8Array)[], most?: number) => {
  const splitter = lineSplitter(most);
  return [...chunks.map((chunk) => splitter.push(Buffer.from(chunk as string))), splitter.end()];
};
const line = (number: number, text: string) => ({ number, text });
const invalid = (number: number, fault: string) => ({ number, text: '', fault });

describe('lines', () => {
  it('are given with the chunk that ends them, and none after the last line break', () => {
    expect(split(['a', '\n', 'b\n\nc', 'd\n'])).toEqual([
      [],
      [line(1, 'a')],
      [line(2, 'b'), line(3, '')],
      [line(4, 'cd')],
      [],
    ]);
    expect(split([])).toEqual([[]]);
    expect(split(['a\nb'])).toEqual([[line(1, 'a')], [line(2, 'b')]]);
  });

  it('lose a byte order mark at the start alone', () => {
    expect(split(['\ufeffa\n\ufeffb\n'])[0]).toEqual([line(1, 'a'), line(2, '\ufeffb')]);
  });

  it.each([
    [undefined, 64 * 1024, '64 KiB'],
    [2048, 2048, '2 KiB'],
  ])('of a limit of %s may have %i bytes: %s', (most, bytes, words) => {
    for (const [full, more] of [
      ['a'.repeat(bytes), 'a'],
      ['é'.repeat(bytes / 2), 'é'],
    ] as const) {
      const tooLong = invalid(1, `is longer than ${words}`);
      expect(split([`${full}\nb`], most)).toEqual([[line(1, full)], [line(2, 'b')]]);
      expect(split([full, '\nb'], most)).toEqual([[], [line(1, full)], [line(2, 'b')]]);
      expect(split([`${full}${more}\n`], most)).toEqual([[tooLong], []]);
      expect(split([full, more], most)).toEqual([[], [], [tooLong]]);
    }
  });

  it.each([1, 2])('of a limit of %i MiB say so', (mib) => {
    const bytes = mib * 1024 * 1024;
    const full = Buffer.alloc(bytes, 'a');
    const tooLong = invalid(1, `is longer than ${mib} MiB`);
    expect(split([full, 'a', '\n'], bytes)).toEqual([[], [], [tooLong], []]);
    expect(split([full, '\n'], bytes)[1]).not.toContainEqual(tooLong);
  });

  it('that are too long are not held: what follows in them is not looked at', () => {
    const more = Buffer.from([0x61, 0xff]);
    expect(split(['a'.repeat(2049), more, '\n', 'b\n'], 2048)).toEqual([
      [],
      [],
      [invalid(1, 'is longer than 2 KiB')],
      [line(2, 'b')],
      [],
    ]);
    expect(split(['a'.repeat(2049), '\nb\nc'], 2048)).toEqual([
      [],
      [invalid(1, 'is longer than 2 KiB'), line(2, 'b')],
      [line(3, 'c')],
    ]);
  });

  it('that are not UTF-8 are told apart from those that are', () => {
    const chunk = Buffer.concat([Buffer.from('é\n'), Buffer.from([0xff]), Buffer.from('\nü\r\n')]);
    expect(split([chunk])[0]).toEqual([
      line(1, 'é'),
      invalid(2, 'is not valid UTF-8'),
      line(3, 'ü'),
    ]);
  });
});

describe('rows of a CSV', () => {
  const rows = (lines: readonly string[], delimiter?: string) => {
    const reader = csvReader(delimiter);
    return [...lines.map((text, i) => reader.push({ number: i + 1, text })), reader.end()];
  };

  it('skip blank lines and comments between rows, and keep them in a cell', () => {
    expect(rows(['a,b', ' ', '#c', 'd#', '"e', '', '#f', '  ', '"'])).toEqual([
      { number: 1, cells: ['a', 'b'] },
      undefined,
      undefined,
      { number: 4, cells: ['d#'] },
      undefined,
      undefined,
      undefined,
      undefined,
      { number: 5, cells: ['e\n\n#f\n  \n'] },
      undefined,
    ]);
    expect(rows(['a,b;c'], ';')[0]).toEqual({ number: 1, cells: ['a,b', 'c'] });
  });

  it('say what is wrong under the number of their first line, and go on', () => {
    expect(rows(['"a', 'b"c', 'd', '"e'])).toEqual([
      undefined,
      { number: 1, cells: [], fault: 'has text after a closing quote' },
      { number: 3, cells: ['d'] },
      undefined,
      { number: 4, cells: [], fault: 'has an unclosed quote' },
    ]);
    const reader = csvReader();
    reader.push({ number: 1, text: '"a' });
    const fault = 'contains a NUL byte';
    expect(reader.push({ number: 2, text: '', fault })).toEqual({ number: 1, cells: [], fault });
    expect(reader.push({ number: 3, text: 'b' })).toEqual({ number: 3, cells: ['b'] });
    expect(reader.end()).toBeUndefined();
  });

  it('are left open for at most 64 KiB', () => {
    const most = `"${'a'.repeat(64 * 1024 - 1)}`;
    expect(rows([most])[0]).toBeUndefined();
    expect(rows([`${most}a`])[0]).toEqual({
      number: 1,
      cells: [],
      fault: 'has a quoted cell of more than 64 KiB',
    });
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

it('rows of a TSV have a cell between tabs, without the quotes that enclose it', () => {
  expect(tsvRow({ number: 3, text: '"a""b"\tc"d"\t"e"f\t""\t"' })).toEqual({
    number: 3,
    cells: ['a"b', 'c"d"', '"e"f', '', '"'],
  });
  const fault = 'contains a NUL byte';
  expect(tsvRow({ number: 4, text: 'a\tb', fault })).toEqual({ number: 4, cells: [], fault });
});
