// JSON of several lines: told apart from lines by how it begins, and cut into its values.

import { describe, expect, it } from 'vitest';
import { jsonValues, startsJsonValues } from '../../../src/batch/read/formats.ts';

describe('the start of a list', () => {
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
  ])('is recognised as JSON values: %j', (text) => {
    expect(startsJsonValues(text)).toBe(true);
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
  ])('is recognised as lines: %j', (text) => {
    expect(startsJsonValues(text)).toBe(false);
  });
});

describe('JSON values', () => {
  const line = (number: number, text: string) => ({ number, text });
  const invalid = (number: number, fault: string) => ({ number, text: '', fault });

  it.each<readonly [text: string, values: readonly object[]]>([
    [
      '[{"a":\n[1]},"b",\n7,8]',
      [line(1, '{"a":\n[1]}'), line(2, '"b"'), line(3, '7'), line(3, '8')],
    ],
    ['7 8', [line(1, '7'), line(1, '8')]],
    ['["\\"]", ""]', [line(1, '"\\"]"'), line(1, '""')]],
    ['["a]\\"[", {"b":"}{"}]', [line(1, '"a]\\"["'), line(1, '{"b":"}{"}')]],
    ['["a\\\\"]', [line(1, '"a\\\\"')]],
    ['[]', []],
  ])('are reported with the line on which they start: %j', (text, values) => {
    expect(jsonValues(text)).toEqual(values);
  });

  it.each<readonly [text: string, values: readonly object[]]>([
    ['["a"]],"b"', [line(1, '"a"'), invalid(1, 'closes an array that was not open')]],
    ['\n]"a"', [invalid(2, 'closes an array that was not open')]],
    ['["a"\n', [line(1, '"a"'), invalid(1, 'is JSON that ends too early')]],
    ['[7', [line(1, '7'), invalid(1, 'is JSON that ends too early')]],
    ['"a', [invalid(1, 'is JSON that ends too early')]],
    ['{"a":1', [invalid(1, 'is JSON that ends too early')]],
    ['[', [invalid(1, 'is JSON that ends too early')]],
  ])('end at invalid JSON, with one error: %j', (text, values) => {
    expect(jsonValues(text)).toEqual(values);
  });
});
