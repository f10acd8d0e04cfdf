// Waits that a signal ends: with its reason, at once, and without a listener that stays.

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { iterateUntilAborted, onAbort, raceAbort, sleep } from '../../src/base/abort.ts';

const never = () => new Promise<never>(() => undefined);
const reason = new Error('stopped');
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('a promise', () => {
  it('resolves or rejects as usual while nothing is aborted', async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(raceAbort(Promise.reject(reason), signal)).rejects.toBe(reason);
    expect(listeners(signal)).toBe(0);
  });

  it('is abandoned when the signal aborts, before or while it runs', async () => {
    await expect(raceAbort(never(), AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const { signal } = controller;
    const raced = raceAbort(never(), signal);
    expect(listeners(signal)).toBe(1);
    controller.abort(reason);
    await expect(raced).rejects.toBe(reason);
    expect(listeners(signal)).toBe(0);
  });
});

describe('chunks', () => {
  it('arrive in order, to the end', async () => {
    async function* chunks() {
      yield await Promise.resolve('a');
      yield 'b';
    }
    const { signal } = new AbortController();
    const seen: string[] = [];
    for await (const chunk of iterateUntilAborted(chunks(), signal)) seen.push(chunk);
    expect(seen).toEqual(['a', 'b']);
    expect(listeners(signal)).toBe(0);
  });

  it('end with the reason of the signal, also while none arrives', async () => {
    const controller = new AbortController();
    async function* chunks() {
      yield 'a';
      yield await never();
    }
    const rest = iterateUntilAborted(chunks(), controller.signal);
    expect(await rest.next()).toEqual({ done: false, value: 'a' });
    const waiting = rest.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await rest.next()).toEqual({ done: true, value: undefined });
  });
});

describe('many waiters on one signal', () => {
  it('share one listener, are notified once when it aborts, and can leave', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const forget = onAbort(controller.signal, () => void told.push('gone'));
    onAbort(controller.signal, () => void told.push('first'));
    onAbort(controller.signal, () => void told.push('second'));
    forget();
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    expect(told).toEqual(['first', 'second']);
  });

  it('sleep until their time, or until it aborts', async () => {
    const controller = new AbortController();
    const over = new Error('over');
    const start = performance.now();
    await sleep(20, controller.signal);
    expect(performance.now() - start).toBeGreaterThan(18);
    const long = sleep(2 ** 40, controller.signal);
    controller.abort(over);
    await expect(long).rejects.toBe(over);
    await expect(sleep(1, controller.signal)).rejects.toBe(over);
  });
});
