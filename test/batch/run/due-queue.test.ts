// The queue of what is due: always the earliest first, whatever was taken from its middle.

import { describe, expect, it } from 'vitest';
import { createDueQueue } from '../../../src/batch/run/due-queue.ts';

/** Numbers below 1, the same at each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** All slots, in the order in which they are due. */
const drained = (queue: ReturnType<typeof createDueQueue>) =>
  Array.from({ length: queue.size() }, () => queue.remove(0));

describe('what is due', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 100, 1023, 1024, 1025, 3000])(
    'of %i slots comes in its order',
    (count) => {
      const random = seeded(count);
      const due = Array.from({ length: count }, () => random());
      const queue = createDueQueue((slot) => due[slot]!);
      expect([queue.size(), queue.dueAt()]).toEqual([0, undefined]);
      due.forEach((_at, slot) => queue.push(slot));
      expect([queue.size(), queue.dueAt()]).toEqual([count, Math.min(...due)]);
      expect(drained(queue)).toEqual(due.map((_at, i) => i).toSorted((a, b) => due[a]! - due[b]!));
      expect([queue.size(), queue.dueAt()]).toEqual([0, undefined]);
    },
  );

  it.each([
    ['rises', (slot: number) => slot],
    ['falls', (slot: number) => -slot],
    ['is twice the same', (slot: number) => slot >> 1],
  ])('keeps its order where each time %s', (_what, dueAt) => {
    for (let count = 1; count < 20; count++) {
      const queue = createDueQueue(dueAt);
      for (let slot = 0; slot < count; slot++) queue.push(slot);
      const times = drained(queue).map(dueAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });

  it('loses nothing and doubles nothing when slots are taken from the middle and put back', () => {
    const random = seeded(7);
    const due = Array.from({ length: 40 }, () => Math.floor(30 * random()));
    const queue = createDueQueue((slot) => due[slot]!);
    const inside = new Set<number>();
    const twice: number[] = [];
    for (let step = 0; step < 300; step++) {
      const slot = Math.floor(due.length * random());
      if (!inside.has(slot)) {
        queue.push(slot);
        inside.add(slot);
      } else {
        const taken = queue.remove(Math.floor(queue.size() * random()));
        if (!inside.delete(taken)) twice.push(taken);
      }
      expect(queue.size()).toBe(inside.size);
      const times = [...inside].map((each) => due[each]!);
      expect(queue.dueAt()).toBe(times.length === 0 ? undefined : Math.min(...times));
    }
    expect(twice).toEqual([]);
    const times = drained(queue).map((slot) => due[slot]!);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('is emptied into what was in it, and can be filled again', () => {
    const queue = createDueQueue((slot) => -slot);
    for (const slot of [4, 9, 2]) queue.push(slot);
    expect(new Set(queue.clear())).toEqual(new Set([2, 4, 9]));
    expect([queue.size(), queue.dueAt(), [...queue.clear()]]).toEqual([0, undefined, []]);
    queue.push(3);
    expect([queue.size(), queue.remove(0)]).toEqual([1, 3]);
  });
});
