// A counting semaphore for calls: up to a number of them at once, the others queued in order. A call whose signal
// aborts while it waits never starts.

import { setMaxListeners } from 'node:events';

export type Semaphore = ReturnType<typeof createSemaphore>;

export function createSemaphore(size: number) {
  const queue = new Set<() => void>();
  const running = new Set<Promise<unknown>>();
  let free = size;

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(enter);
        reject(signal.reason as Error);
      };
      const enter = () => {
        queue.delete(enter);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      queue.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });

  return {
    /** Does the work when its turn comes. Rejects with the reason of the signal when that aborts the waiting. */
    async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      signal.throwIfAborted();
      // All that share a signal listen to it; Node would warn past ten.
      setMaxListeners(0, signal);
      if (free > 0) free--;
      else await turn(signal);
      const done = work();
      running.add(done);
      try {
        return await done;
      } finally {
        running.delete(done);
        const [next] = queue;
        if (next === undefined) free++;
        else next();
      }
    },
    /** Resolves when no work is running any more. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
