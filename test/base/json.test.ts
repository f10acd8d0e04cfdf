// JSON that loses nothing, judged against texts rather than against another parser.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isExactNumber, parseJson, toJson } from '../../src/base/json.ts';

const seed = 20260302;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a number', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E+400',
    '1e-400',
    '4.9e-324',
    '1.2345e-310',
    '0.12345678901234567890',
    '123456789012345678901234567890',
    '1.0000000000000000000000001',
  ])('%s, which a double would change, keeps its digits', (digits) => {
    const value = parseJson(`{"n":${digits}}`) as { n: unknown };
    expect(isExactNumber(value.n)).toBe(true);
    expect(String(value.n)).toBe(digits);
    expect(toJson(value)).toBe(`{"n":${digits}}`);
    expect(toJson(parseJson(`[${digits},${digits}]`))).toBe(`[${digits},${digits}]`);
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['0', 0],
    ['-2.5', -2.5],
    ['1e3', 1000],
    ['0.1', 0.1],
    ['0e500', 0],
    ['0.00000000000000000000', 0],
    ['1.7976931348623157', 1.7976931348623157],
  ])('%s, which a double holds, is a plain number or keeps its digits', (digits, plain) => {
    const value = parseJson(digits);
    expect(isExactNumber(value) ? Number(String(value)) : value).toBe(plain);
  });

  it('of any digits keeps its value', () => {
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,24})?(?:[eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const written = toJson(parseJson(`{"a":${text}}`)).slice(5, -1);
        if (written === text) return;
        // Otherwise a double had room for it: then writing and reading it again changes nothing more.
        expect(written).toBe(JSON.stringify(Number(text)));
        expect(significant(written)).toBe(significant(text));
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('that looks risky inside of a string is left alone', () => {
    const text =
      '{"9007199254740993":"#1e400 \\"9007199254740993\\" \\u0023","n":9007199254740993}';
    expect(toJson(parseJson(text))).toBe(text.replace('\\u0023', '#'));
  });
});

/** A number's digits and place value, whatever way it is written. */
function significant(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = (whole + fraction).replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return `${sign}${trimmed}e${power}`;
}

describe('a value', () => {
  it('of any kind comes back as it was', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }),
        fc.integer({ min: 0, max: 4 }),
        (value, indent) => {
          const text = JSON.stringify(value);
          expect(JSON.parse(toJson(parseJson(text), indent))).toEqual(JSON.parse(text));
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  it('with any string in it, however hostile, comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(toJson([text]))).toEqual([text]);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('is written like JSON.stringify would', () => {
    const value = { a: [1, { b: null }, []], c: {}, d: 'é\n"\\', e: undefined };
    expect(toJson(value)).toBe(JSON.stringify(value));
    expect(toJson(value, 2)).toBe(JSON.stringify(value, undefined, 2));
  });

  it('keeps __proto__ and constructor as plain keys', () => {
    const text = '{"__proto__":{"admin":true},"constructor":1,"n":9007199254740993}';
    const value = parseJson(text) as Record<string, unknown>;
    expect(toJson(value)).toBe(text);
    expect(value['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it.each([
    ['\u009b', '\\u009b'],
    ['\u007f', '\\u007f'],
    ['\u202e', '\\u202e'],
    ['\u2066', '\\u2066'],
    ['\u200f', '\\u200f'],
    ['\u061c', '\\u061c'],
    ['\ufeff', '\\ufeff'],
    ['\u2028', '\\u2028'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\u001b', '\\u001b'],
  ])('writes what could move or hide text as an escape: %j', (character, escape) => {
    expect(toJson({ a: `x${character}y` })).toBe(`{"a":"x${escape}y"}`);
    expect(toJson({ [character]: 1 })).toBe(`{"${escape}":1}`);
  });

  it('as large as an answer may be is read, also with a risky number in it', () => {
    const long = 'x'.repeat(8 * 1024 * 1024);
    const value = parseJson(`{"s":"${long}","n":9007199254740993}`) as { s: string; n: unknown };
    expect(value.s).toHaveLength(long.length);
    expect(String(value.n)).toBe('9007199254740993');
  });
});

describe('a text that is no JSON', () => {
  it.each([
    '',
    '{',
    '{"secret":"hunter2"',
    '[1,]',
    "{'a':1}",
    'NaN',
    '01',
    '1e',
    '{"a":1}x',
    '9007199254740993x',
  ])('%j is refused without being quoted', (text) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError('not complete JSON'));
  });

  it('may nest 64 deep and no deeper', () => {
    expect(toJson(parseJson(nested(64)))).toBe(nested(64));
    expect(() => parseJson(nested(65))).toThrow(new RangeError('nested deeper than 64 levels'));
    expect(() => parseJson('{"a":'.repeat(200_000))).toThrow(RangeError);
    expect(parseJson(JSON.stringify('['.repeat(100)))).toBe('['.repeat(100));
    expect(parseJson(JSON.stringify(`"\\${'{'.repeat(100)}`))).toHaveLength(102);
  });
});
