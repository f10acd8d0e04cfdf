// Calls that take turns: never more at once than there is room for, in the order in which they came.

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../src/base/semaphore.ts';

const tick = () => new Promise((resolve) => void setImmediate(resolve));

/** Calls that run until they are ended by their names. */
function calls(size: number) {
  const semaphore = createSemaphore(size);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const call = (name: string, signal = new AbortController().signal) =>
    semaphore.run(signal, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  return { semaphore, begun, call, end: (name: string, error?: Error) => ends.get(name)!(error) };
}

describe('a semaphore', () => {
  it('lets in as many as it has room for, the others in their order', async () => {
    const { begun, call, end } = calls(2);
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => call(name));
    await tick();
    expect(begun).toEqual(['a', 'b']);
    end('b');
    expect(await all[1]).toBe('b');
    await tick();
    expect(begun).toEqual(['a', 'b', 'c']);
    const error = new Error('no');
    end('a', error);
    await expect(all[0]).rejects.toBe(error);
    await tick();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    end('c');
    end('d');
    await tick();
    end('e');
    expect(await Promise.all(all.slice(2))).toEqual(['c', 'd', 'e']);
    // What became free is free for two again, and no more.
    const more = ['f', 'g', 'h'].map((name) => call(name));
    await tick();
    expect(begun.slice(5)).toEqual(['f', 'g']);
    for (const name of ['f', 'g']) end(name);
    await tick();
    end('h');
    await Promise.all(more);
  });

  it('never starts a call whose signal has aborted', async () => {
    const { begun, call, end } = calls(1);
    const reason = new Error('stopped');
    await expect(call('x', AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const all = [call('a'), call('b', controller.signal), call('c', controller.signal), call('d')];
    await tick();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(2);
    controller.abort(reason);
    await expect(all[1]).rejects.toBe(reason);
    await expect(all[2]).rejects.toBe(reason);
    end('a');
    await tick();
    expect(begun).toEqual(['a', 'd']);
    end('d');
    expect(await Promise.all([all[0], all[3]])).toEqual(['a', 'd']);
  });

  it('listens to a signal only while a call waits, and as often as there are calls', async () => {
    const { call, end } = calls(1);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const names = Array.from({ length: 15 }, (_, i) => `call ${i}`);
    const all = names.map((name) => call(name, signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(14);
    for (const name of names) {
      await tick();
      end(name);
    }
    await Promise.all(all);
    process.off('warning', onWarning);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('is idle once no call runs, also where one has failed', async () => {
    const { semaphore, call, end } = calls(2);
    await semaphore.idle();
    const all = [call('a'), call('b')];
    let isIdle = false;
    const idle = semaphore.idle().then(() => (isIdle = true));
    const error = new Error('no');
    end('a', error);
    await expect(all[0]).rejects.toBe(error);
    await tick();
    expect(isIdle).toBe(false);
    end('b');
    await idle;
    expect(await all[1]).toBe('b');
  });
});
