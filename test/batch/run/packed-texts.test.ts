// Texts that are put aside come back as they were, and what no text needs any longer is let go.

import { describe, expect, it } from 'vitest';
import { createPackedTexts } from '../../../src/batch/run/packed-texts.ts';

const BLOCK = 256 * 1024;

describe('a text that is put aside', () => {
  it('comes back as it was, between others, empty, longer than a block, and of any letters', () => {
    const texts = createPackedTexts();
    const all = ['one', '', 'é🎉', 'x'.repeat(BLOCK - 20), 'over', 'ü'.repeat(BLOCK), 'end', '€'];
    const places = all.map((text) => texts.put(text));
    expect(places.map((place) => texts.get(place))).toEqual(all);
    expect(places.map(({ length }) => length)).toEqual(all.map((text) => Buffer.byteLength(text)));
  });

  it('fills a block to its last byte before there is another', () => {
    const texts = createPackedTexts();
    const [first, second, third] = ['a'.repeat(BLOCK - 3), 'bcd', 'e'].map((text) =>
      texts.put(text),
    );
    expect([first!.at, second!.at, third!.at]).toEqual([0, BLOCK - 3, BLOCK]);
    expect(texts.get(second!)).toBe('bcd');
    expect(texts.get(third!)).toBe('e');
  });

  it('is let go with its block, once none of the block is wanted and there is a later one', () => {
    const texts = createPackedTexts();
    const [one, two] = [texts.put('one'), texts.put('two')];
    const next = texts.put('x'.repeat(BLOCK));
    texts.drop(one);
    expect(texts.get(two)).toBe('two');
    texts.drop(two);
    expect(() => texts.get(two)).toThrow(TypeError);
    expect(texts.get(next)).toHaveLength(BLOCK);
  });

  it('leaves its block to the next ones while that is the last', () => {
    const texts = createPackedTexts();
    const one = texts.put('one');
    texts.drop(one);
    expect(texts.get(one)).toBe('one');
    const two = texts.put('two');
    expect([two.at, texts.get(two)]).toEqual([3, 'two']);
    texts.drop(two);
    // Nobody wants anything of the block any longer when the next begins.
    const three = texts.put('x'.repeat(BLOCK));
    expect(() => texts.get(two)).toThrow(TypeError);
    expect(texts.get(three)).toHaveLength(BLOCK);
  });

  it('is kept where the next block begins while it is wanted', () => {
    const texts = createPackedTexts();
    const kept = texts.put('kept');
    texts.drop(texts.put('gone'));
    texts.put('x'.repeat(BLOCK));
    expect(texts.get(kept)).toBe('kept');
  });
});
