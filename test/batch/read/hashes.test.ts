// The hash of a text, the slots of what is under way, and the parts of a list: small, and right at every edge.

import { describe, expect, it } from 'vitest';
import { type Hash, hashOf } from '../../../src/base/hash.ts';
import { createFreeList } from '../../../src/client/transport/timeouts.ts';
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

describe('slots', () => {
  it('hold what was put in until it is taken out, and are used again', () => {
    const slots = createFreeList<string>();
    expect([slots.size, slots.all()]).toEqual([0, []]);
    const [a, b, c] = ['a', 'b', 'c'].map((thing) => slots.put(thing)) as [number, number, number];
    expect(new Set([a, b, c]).size).toBe(3);
    expect([slots.size, slots.all()]).toEqual([3, ['a', 'b', 'c']]);
    slots.take(b);
    expect([slots.size, slots.all()]).toEqual([2, ['a', 'c']]);
    // A second time takes nothing else out.
    slots.take(b);
    expect(slots.size).toBe(2);
    expect(slots.put('d')).toBe(b);
    expect(slots.put('e')).not.toBe(b);
    expect([slots.size, slots.all().toSorted()]).toEqual([4, ['a', 'c', 'd', 'e']]);
    slots.take(99);
    expect(slots.size).toBe(4);
  });

  it('may be changed while they are gone through', () => {
    const slots = createFreeList<string>();
    const numbers = ['a', 'b', 'c'].map((thing) => slots.put(thing));
    const seen: string[] = [];
    for (const thing of slots.all()) {
      seen.push(thing);
      for (const number of numbers) slots.take(number);
    }
    expect([seen, slots.size]).toEqual([['a', 'b', 'c'], 0]);
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
