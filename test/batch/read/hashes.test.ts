// The hash of a text, and the parts of a list: small, and right at every edge.

import { describe, expect, it } from 'vitest';
import { type Hash, hashOf } from '../../../src/base/hash.ts';
import { parseShard, isInShard } from '../../../src/batch/options.ts';

const hash = (high: number, low: number): Hash => ({ high, low });
describe('the hash of a text', () => {
  it('is of two whole numbers of 32 bits, and another one for another text', () => {
    const texts = Array.from({ length: 2000 }, (_, i) => `${i % 2 ? 'é' : ''}${i}`);
    const seen = new Set<string>();
    for (const text of texts) {
      const { high, low } = hashOf(text);
      for (const half of [high, low]) expect(half).toBe(half >>> 0);
      seen.add(`${high} ${low}`);
      expect(hashOf(text)).toEqual({ high, low });
    }
    expect(seen.size).toBe(texts.length);
  });
});

describe('a part of a list', () => {
  it.each([
    ['1/1', { index: 1, count: 1 }],
    ['3/8', { index: 3, count: 8 }],
    ['8/8', { index: 8, count: 8 }],
    ['10000/10000', { index: 10_000, count: 10_000 }],
  ])('%s', (text, shard) => {
    expect(parseShard(text)).toEqual(shard);
  });

  it.each([
    '',
    '1',
    '0/1',
    '2/1',
    '9/8',
    '1/10001',
    '10001/10001',
    '1/0',
    '0/0',
    '1/2/3',
    ' 1/2',
    '1/2 ',
    'a/b',
    '-1/2',
    '1.0/2',
    '000001/2',
  ])('is none: "%s"', (text) => {
    expect(parseShard(text)).toBeUndefined();
  });

  it('has the records whose hash says so', () => {
    expect(isInShard(hash(0, 9), { index: 1, count: 3 })).toBe(true);
    expect(isInShard(hash(2, 9), { index: 3, count: 3 })).toBe(true);
    expect(isInShard(hash(2, 9), { index: 2, count: 3 })).toBe(false);
  });
});
