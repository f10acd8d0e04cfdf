// JSON of several lines: told apart from lines by how it begins, and cut into its values.

import { describe, expect, it } from 'vitest';
import { jsonValueSplitter, startsJsonValues } from '../../../src/batch/read/json-values.ts';

describe('the start of a list', () => {
  const starts = (text: string) => startsJsonValues(Buffer.from(text));

  it.each([
    '["a"]',
    '[{',
    '[[',
    '[1',
    '[ -1',
    '[]',
    '[',
    ' \n [ \n "a"',
    '[\n\n  ',
    '{\n',
    '\n{ \t \n"a"',
    '{"posts":7,"failedTargets":',
    '{"posts":120,"failedTargets":',
    '\ufeff["a"]',
    '\ufeff \n[{',
  ])('is one of JSON values: %j', (text) => {
    expect(starts(text)).toBe(true);
  });

  it.each([
    '',
    'a["b"]',
    'x\n["a"]',
    '[a',
    '{"a":1}\n',
    '{"a":\n',
    '{ "a":1}\n',
    '{a\n',
    '{"posts":,"failedTargets":',
    '{"posts":x,"failedTargets":',
    '{"posts":1,"other":',
    'x{"posts":1,"failedTargets":',
    'a\ufeff["a"]',
  ])('is one of lines: %j', (text) => {
    expect(starts(text)).toBe(false);
  });
});

describe('JSON values', () => {
  const split = (...chunks: readonly string[]) => {
    const splitter = jsonValueSplitter();
    return [...chunks.map((chunk) => splitter.push(Buffer.from(chunk))), splitter.end()];
  };
  const line = (number: number, text: string) => ({ number, text });
  const invalid = (number: number, fault: string) => ({ number, text: '', fault });

  it('are given with the chunk that ends them, under the line in which they begin', () => {
    expect(split('[{"a":\n', '[1]},"b"', ',\n7,', '8', ']')).toEqual([
      [],
      [line(1, '{"a":\n[1]}'), line(2, '"b"')],
      [line(3, '7')],
      [],
      [line(3, '8')],
      [],
    ]);
    expect(split('7 8')).toEqual([[line(1, '7')], [line(1, '8')]]);
    expect(split('["\\"]", ""]')).toEqual([[line(1, '"\\"]"'), line(1, '""')], []]);
    expect(split('["a]\\"[", {"b":"}{"}]')).toEqual([
      [line(1, '"a]\\"["'), line(1, '{"b":"}{"}')],
      [],
    ]);
  });

  it('end where the JSON is broken, with one fault', () => {
    expect(split('["a"]]', '"b"', '["c"]')).toEqual([
      [line(1, '"a"'), invalid(1, 'closes an array that was not open')],
      [],
      [],
      [],
    ]);
    expect(split(']"a"')).toEqual([[invalid(1, 'closes an array that was not open')], []]);
    expect(split('["a"')).toEqual([[line(1, '"a"')], [invalid(1, 'is JSON that ends too early')]]);
    expect(split('[7')).toEqual([[], [line(1, '7'), invalid(1, 'is JSON that ends too early')]]);
    expect(split('"a')).toEqual([[], [invalid(1, 'is JSON that ends too early')]]);
    expect(split('{"a":1')).toEqual([[], [invalid(1, 'is JSON that ends too early')]]);
    expect(split('[')).toEqual([[], [invalid(1, 'is JSON that ends too early')]]);
    expect(split('[]')).toEqual([[], []]);
  });

  it('may have 8 MiB each, in one chunk or in several', () => {
    const long = 'a'.repeat(600);
    expect(split(`"${long}`, long, `${long}"`).flat()).toEqual([line(1, `"${long.repeat(3)}"`)]);
    const part = 'a'.repeat(4 * 1024 * 1024);
    expect(split(`["b",\n"${part.slice(1)}`, part, 'a', part)).toEqual([
      [line(1, '"b"')],
      [],
      [invalid(2, 'is a JSON value of more than 8 MiB')],
      [],
      [],
    ]);
  });
});
