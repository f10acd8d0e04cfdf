// A lock that is taken once, for one piece of work.

import { createLock, type LockTimeout } from '../../src/fs/lock.ts';

/** Runs `work` once under the lock at `path`. */
export async function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  timeout?: LockTimeout,
): Promise<T> {
  const lock = createLock(path, timeout);
  try {
    return await lock.run(work);
  } finally {
    lock.close();
  }
}
