// The quick width of a text is the width that string-width gives it, or none.

import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { quickWidth } from '../../src/output/quick-width.ts';

const everyCharacter = Array.from({ length: 0x1_10000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const quick = everyCharacter.filter((character) => quickWidth(character) !== undefined);

describe('the quick width', () => {
  it('is right for every character that has one', () => {
    expect(quick.length).toBeGreaterThan(1000);
    expect(quick.filter((each) => quickWidth(each) !== stringWidth(each))).toEqual([]);
  });

  it('is right for what those make together, with colours and joined with anything else', () => {
    const plain = fc.array(fc.constantFrom(...quick, '\u001b[32m', '\u001b[0m'));
    const text = fc.tuple(plain, fc.string({ unit: 'grapheme', maxLength: 2 }), plain);
    fc.assert(
      fc.property(text, ([before, between, after]) => {
        const whole = [...before, between, ...after].join('');
        expect(quickWidth(whole) ?? stringWidth(whole)).toBe(stringWidth(whole));
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  it('is not told for what is wide, combines, or acts on the terminal', () => {
    const others = ['春', '🌱', 'e\u0301', '\u00ad', '\u200b', '\u202e', '\u001b]8;;x\u0007', '\t'];
    expect(others.filter((each) => quickWidth(each) !== undefined)).toEqual([]);
  });
});
