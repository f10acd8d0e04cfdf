// The width of a text is what string-width says, and a plain text is left alone where wrap-ansi would leave it alone.

import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import wrapAnsi from 'wrap-ansi';
import { isPlain, measuring, isLine } from '../../src/output/display-width.ts';

const everyCharacter = Array.from({ length: 0x1_10000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const plain = everyCharacter.filter(isPlain);

describe('the width of a text', () => {
  it('is right for every plain character', async () => {
    expect(plain.length).toBeGreaterThan(1000);
    const measure = await measuring(plain);
    expect(plain.filter((each) => measure(each) !== stringWidth(each))).toEqual([]);
  });

  it('is right for what those make together, with colours and joined with anything else', async () => {
    const part = fc.array(fc.constantFrom(...plain, '\u001b[32m', '\u001b[0m'));
    const text = fc.tuple(part, fc.string({ unit: 'grapheme', maxLength: 2 }), part);
    await fc.assert(
      fc.asyncProperty(text, async ([before, between, after]) => {
        const whole = [...before, between, ...after].join('');
        const measure = await measuring([whole]);
        expect(measure(whole)).toBe(stringWidth(whole));
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  it('is not taken for granted of what is wide, combines, or acts on the terminal', () => {
    const others = ['春', '🌱', 'e\u0301', '\u00ad', '\u200b', '\u202e', '\u001b]8;;x\u0007', '\t'];
    expect(others.filter(isPlain)).toEqual([]);
  });
});

it('leaves alone what wrap-ansi would leave as it is', () => {
  const piece = fc.constantFrom(
    ...plain,
    ' ',
    'word',
    '\u001b[32m',
    '\u001b[39m',
    '春',
    '\t',
    '\n',
  );
  const given = fc.tuple(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }));
  let left = 0;
  fc.assert(
    fc.property(given, ([pieces, columns]) => {
      const text = pieces.join('');
      if (!isLine(text, columns)) return;
      left++;
      expect(wrapAnsi(text, columns, { hard: true, trim: true })).toBe(text);
    }),
    { seed: 7, numRuns: 5000 },
  );
  expect(left).toBeGreaterThan(1000);
  expect(plain.filter((each) => isLine(each, 1) && wrapAnsi(each, 1) !== each)).toEqual([]);
});
