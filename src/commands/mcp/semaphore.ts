// Turns for calls: so many at once, the others in the order in which they came. Who gives up while waiting was never
// let in.

export interface Semaphore {
  /** Does the work when its turn comes. Rejects with the reason of the signal where that ends the waiting. */
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way any more. */
  over(): Promise<void>;
}

/** Lets so many in at once. */
export function createSemaphore(most: number): Semaphore {
  const line = new Set<() => void>();
  const working = new Set<Promise<unknown>>();
  let free = most;

  const letIn = (): void => {
    const [first] = line;
    if (first === undefined) free++;
    else first();
  };

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const called = () => {
        line.delete(called);
        signal.removeEventListener('abort', left);
        resolve();
      };
      const left = () => {
        line.delete(called);
        reject(signal.reason as Error);
      };
      line.add(called);
      signal.addEventListener('abort', left, { once: true });
    });

  return {
    async take(signal, work) {
      signal.throwIfAborted();
      if (free > 0) free--;
      else await turn(signal);
      const done = work();
      working.add(done);
      try {
        return await done;
      } finally {
        working.delete(done);
        letIn();
      }
    },
    async over() {
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}
