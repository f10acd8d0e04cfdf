// A counting semaphore for calls: up to a number of them at once, the others queued in order. A call whose signal
// aborts while it waits never starts.

import { setMaxListeners } from 'node:events';

export interface Semaphore {
  /** Does the work when its turn comes. Rejects with the reason of the signal when that aborts the waiting. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Resolves when no work is running any more. */
  idle(): Promise<void>;
}

export function createSemaphore(size: number): Semaphore {
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
    async run(signal, work) {
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
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
