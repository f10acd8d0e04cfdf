// One timer and one listener for all requests under way: each is ended in its own time, and all when told to.

import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFreeList, trackInFlight } from '../../../src/client/transport/timeouts.ts';

/** Begins requests by name, and writes down what becomes of them. */
function watching(timeoutMs: number) {
  const told: string[] = [];
  const lived = new Map<string, number>();
  const watch = trackInFlight(() => performance.now());
  return {
    told,
    lived,
    begin(name: string, signal: AbortSignal) {
      const begun = performance.now();
      const end = watch.begin(
        {
          expire() {
            lived.set(name, performance.now() - begun);
            end();
          },
          cancel(reason) {
            told.push(`${name}: ${String(reason)}`);
            end();
          },
        },
        signal,
        timeoutMs,
      );
      return end;
    },
  };
}

describe('a request under way', () => {
  it('ends when its own time is over, and none before', async () => {
    const { signal } = new AbortController();
    const { lived, begin } = watching(60);
    begin('first', signal);
    const ended = begin('ended', signal);
    await sleep(20);
    begin('second', signal);
    ended();
    await expect.poll(() => lived.size).toBe(2);
    expect([...lived.keys()]).toEqual(['first', 'second']);
    for (const ms of lived.values()) expect(ms).toBeGreaterThanOrEqual(60);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('that has longer than there is between two looks has all of it', async () => {
    const { signal } = new AbortController();
    const { lived, begin } = watching(420);
    begin('first', signal);
    await sleep(200);
    begin('second', signal);
    await expect.poll(() => lived.size, { timeout: 5000 }).toBe(2);
    for (const ms of lived.values()) expect(ms).toBeGreaterThanOrEqual(419);
  });

  it('is cancelled with all others of its signal, and with no other', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { told, begin } = watching(60_000);
    for (const name of ['a', 'b', 'c']) begin(name, one.signal);
    const stay = begin('d', other.signal);
    begin('b2', one.signal)();
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
    one.abort('enough');
    expect(told).toEqual(['a: enough', 'b: enough', 'c: enough']);
    expect(getEventListeners(one.signal, 'abort')).toEqual([]);
    stay();
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });
});

describe('slots', () => {
  it('are used again, and hold what is in them', () => {
    const slots = createFreeList<string>();
    const [a, b] = [slots.put('a'), slots.put('b')];
    slots.take(a);
    slots.take(a);
    expect([slots.size, slots.all()]).toEqual([1, ['b']]);
    expect(slots.put('c')).toBe(a);
    slots.take(b);
    expect([slots.size, slots.all()]).toEqual([1, ['c']]);
  });
});
