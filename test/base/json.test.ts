// JSON from outside: what is read, refused, and written so that it is safe to show.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasUnsafeNumber, indentJson, parseJson, toJson } from '../../src/base/json.ts';

const seed = 20260302;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a number', () => {
  it('is parsed as JavaScript does, and one that may have lost digits is reported', () => {
    expect(toJson(parseJson('[9007199254740993,-0.5,1e3]'))).toBe('[9007199254740992,-0.5,1000]');
    for (const unsafe of ['9007199254740993', '-9007199254740993', '[{"a":1e400}]'])
      expect(hasUnsafeNumber(parseJson(unsafe))).toBe(true);
    for (const safe of ['9007199254740991', '{"a":[0.5,"9007199254740993",null,true]}'])
      expect(hasUnsafeNumber(parseJson(safe))).toBe(false);
  });

  it('keeps its digits when JSON text is indented', () => {
    const text = '{"a":[1,{"b": 9007199254740993,"c":[],"d":{}}],"e":"{[\\",: ]}","f":1e400}';
    expect(indentJson(text).replaceAll(/9007199254740993|1e400/g, '0')).toBe(
      JSON.stringify(JSON.parse(text.replaceAll(/9007199254740993|1e400/g, '0')), null, 2),
    );
    expect(indentJson(text)).toContain('"b": 9007199254740993,\n');
  });

  it('of any value is indented as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
      { seed, numRuns: 500 },
    );
  });
});

describe('a value', () => {
  it('of any kind survives a round trip', () => {
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

  it('with any string in it, however hostile, survives a round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(toJson([text]))).toEqual([text]);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('is written as by JSON.stringify', () => {
    const value = { a: [1, { b: null }, []], c: {}, d: 'é\n"\\', e: undefined };
    expect(toJson(value)).toBe(JSON.stringify(value));
    expect(toJson(value, 2)).toBe(JSON.stringify(value, undefined, 2));
  });

  it('keeps __proto__ and constructor as plain keys', () => {
    const text = '{"__proto__":{"admin":true},"constructor":1}';
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
  ])('writes characters that could move or hide text as an escape: %j', (character, escape) => {
    expect(toJson({ a: `x${character}y` })).toBe(`{"a":"x${escape}y"}`);
    expect(toJson({ [character]: 1 })).toBe(`{"${escape}":1}`);
  });
});

describe('invalid JSON', () => {
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
  ])('%j is rejected without being quoted', (text) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError('not valid JSON'));
  });

  it('is also text that nests deeper than 64 levels', () => {
    expect(toJson(parseJson(nested(64)))).toBe(nested(64));
    expect(() => parseJson(nested(65))).toThrow(new RangeError('nested deeper than 64 levels'));
    expect(() => parseJson(nested(200_000))).toThrow(RangeError);
    expect(parseJson(JSON.stringify('['.repeat(100)))).toBe('['.repeat(100));
    expect(parseJson(JSON.stringify(`"\\${'{'.repeat(100)}`))).toHaveLength(102);
  });
});
