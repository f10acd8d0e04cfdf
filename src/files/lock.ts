// An exclusive lock between processes, for as long as a piece of work takes.
// Never takes a lock from a holder that may live: neither by the clock nor from another host.

import { createTaker } from './taker.ts';

/** A lock as its owner keeps it. Callers within the owner's process queue; other processes are waited for. */
export interface Lock {
  /**
   * Runs `work` while nobody else holds the lock, and gives it back whatever happens. Throws
   * `Failure('local_io')` that names the holder when the lock is not free within the owner's patience.
   */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** Removes the small file that the owner keeps beside the lock. A later `run` makes another. */
  close(): void;
}

export interface Patience {
  /** Milliseconds to wait for a lock that another process holds; 5000 unless told. */
  readonly waitMs?: number;
  /** Ends the wait: `run` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** The ids of holders that the user says have ended: `--force-unlock`. */
  readonly deadHolders?: readonly string[] | undefined;
  /** What messages call the thing that is locked; the lock's path unless told. */
  readonly subject?: string;
}

/** Runs `work` once under the lock at `path`; see `Lock`. */
export async function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  patience?: Patience,
): Promise<T> {
  const lock = createLock(path, patience);
  try {
    return await lock.run(work);
  } finally {
    lock.close();
  }
}

/** A lock at `path`, for whoever takes it again and again. Touches nothing until the first `run`. */
export function createLock(path: string, patience: Patience = {}): Lock {
  const { waitMs = 5000, subject = path, signal, deadHolders } = patience;
  const taker = createTaker(path, { waitMs, subject, signal, deadHolders });
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;

  const holding = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const inode = taker.takeNow() ?? (await taker.takeSoon());
    try {
      return await work();
    } finally {
      taker.giveBack(inode);
    }
  };
  const leave = () => {
    queued--;
  };

  return {
    run(work) {
      const turn = queued++ === 0 ? holding(work) : last.then(() => holding(work));
      last = turn.then(leave, leave);
      return turn;
    },
    close: () => taker.close(),
  };
}
