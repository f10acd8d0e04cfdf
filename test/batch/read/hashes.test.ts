// The table of hashes, the slots of what is under way, and the parts of a list: small, and right at every edge.

import { describe, expect, it } from 'vitest';
import { type Hash, hashOf } from '../../../src/base/hash.ts';
import { hashTable } from '../../../src/batch/read/hash-table.ts';
import { createFreeList } from '../../../src/client/transport/timeouts.ts';
import { parseShard, isInShard } from '../../../src/batch/options.ts';

const hash = (high: number, low: number): Hash => ({ high, low });
const sorted = (table: ReturnType<typeof hashTable>) =>
  [...table.entries()]
    .map(([{ high, low }, mark]) => [high, low, mark] as const)
    .toSorted(([a, b], [c, d]) => a - c || b - d);

describe('a table of hashes', () => {
  it('is empty at first, and tells the mark that stood before', () => {
    const table = hashTable();
    expect([table.size, [...table.entries()]]).toEqual([0, []]);
    expect(table.get(hash(1, 2))).toBe(0);
    expect(table.set(hash(1, 2), 5)).toBe(0);
    expect(table.set(hash(1, 2), 127)).toBe(5);
    expect(table.get(hash(1, 2))).toBe(127);
    expect(table.size).toBe(1);
    expect(sorted(table)).toEqual([[1, 2, 127]]);
  });

  it('tells hashes apart that agree in one half, or would stand at one place', () => {
    const table = hashTable();
    // 1024 slots at first: all of these ask for the last one, or the first.
    const all = [
      hash(1, 1023),
      hash(2, 1023),
      hash(1, 2047),
      hash(2, 2047),
      hash(1, 0),
      hash(2, 0),
    ];
    for (const [i, each] of all.entries()) expect(table.set(each, i + 1)).toBe(0);
    expect(all.map((each) => table.get(each))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(table.get(hash(3, 1023))).toBe(0);
    expect(table.size).toBe(6);
  });

  it('keeps every mark while it grows, also of hashes that crowd at a few places', () => {
    for (const lowOf of [(i: number) => i, (i: number) => i * 64, (i: number) => (i % 70) * 20]) {
      const table = hashTable();
      const count = 1400;
      // An assertion each would take longer than all else.
      const wrong: number[] = [];
      for (let i = 0; i < count; i++) {
        if (table.set(hash(i, lowOf(i)), 1 + (i % 127)) !== 0) wrong.push(i);
        // Right before and after it grows: 1024 slots of which four in five are filled, half as many more each time.
        const last = [818, 819, 820, 821, 1228, 1229, 1230].includes(i) ? i : -1;
        for (let j = 0; j <= last; j++)
          if (table.get(hash(j, lowOf(j))) !== 1 + (j % 127)) wrong.push(j);
      }
      expect(wrong).toEqual([]);
      expect(table.size).toBe(count);
      expect(sorted(table)).toEqual(
        Array.from({ length: count }, (_, i) => [i, lowOf(i), 1 + (i % 127)]),
      );
      expect(table.get(hash(count, lowOf(count)))).toBe(0);
    }
  });
});

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
