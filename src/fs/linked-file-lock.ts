// The lock of a file, whatever name it is reached by. Symbolic links lead to the lock beside the real file. Hard links
// are found by the file's number, in a lock of this machine alone: no folder is common to all names of a file.

import { type BigIntStats, fstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Runtime } from '../base/runtime.ts';
import { followLinks, makePrivateFolder } from './atomic-write.ts';
import { cannotRead, cannotWrite, ioFailure, withIoFailure } from './io-errors.ts';
import { currentUser, thisProcess } from './lock-owner.ts';
import { createLock, type Lock, type LockTimeout } from './lock.ts';
import { isOwnFolder } from './permissions.ts';
import { tempFolder } from './temp-folder.ts';

export interface FileLockOptions extends LockTimeout {
  /** Whether the file is held for so long that it may get another name meanwhile. */
  readonly isLong?: boolean;
}

/** Runs `work` once under the lock of the file at `path`; see `Lock`. */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options?: FileLockOptions,
): Promise<T> {
  const lock = createFileLock(path, options);
  try {
    return await lock.run(work);
  } finally {
    lock.close();
  }
}

/** Enough to break the lock of a process that died, even while it was breaking another's. */
const LONG_LOCK_MS = 800;

/** The same for as long as a batch takes: another batch is not waited for. */
export const withLongFileLock = <T>(
  path: string,
  { signal, deadHolders }: Pick<Runtime, 'signal' | 'deadHolders'>,
  work: () => T | Promise<T>,
): Promise<T> =>
  withFileLock(path, work, { waitMs: LONG_LOCK_MS, signal, deadHolders, isLong: true });

/** The lock of the file at `path`, to be taken again and again. The file need not exist. */
export function createFileLock(path: string, options: FileLockOptions = {}): Lock {
  const byName = lastLock({ subject: path, ...options });
  const byNumber = lastLock({ subject: path, ...options });
  return {
    run: async (work) => {
      const real = withIoFailure(path, cannotWrite, () => followLinks(path));
      return byName.at(`${real}.lock`).run(() => {
        const numbered = numberLockOf(real, options.isLong === true);
        return numbered === undefined ? work() : byNumber.at(numbered).run(work);
      });
    },
    close() {
      byNumber.close();
      byName.close();
    },
  };
}

/** One lock at a time: a link may lead elsewhere the next time, and a file that was replaced has another number. */
function lastLock(timeout: LockTimeout) {
  let last: { readonly at: string; readonly lock: Lock } | undefined;
  return {
    at(at: string): Lock {
      if (last?.at === at) return last.lock;
      last?.lock.close();
      last = { at, lock: createLock(at, timeout) };
      return last.lock;
    },
    close: () => last?.lock.close(),
  };
}

/** Where the lock by number is, if the file needs one. Throws `Failure('local_io')` where it does and can have none. */
function numberLockOf(real: string, isLong: boolean): string | undefined {
  const seen = withIoFailure(real, cannotRead, () =>
    statSync(real, { bigint: true, throwIfNoEntry: false }),
  );
  if (seen === undefined) return undefined;
  const hasMoreNames = seen.nlink > 1n;
  if (!hasMoreNames && !isLong) return undefined;
  try {
    const name = `${thisProcess().system}-${seen.dev}-${seen.ino}.lock`;
    return join(numberFolder(), name.replaceAll(/[^\w.-]/g, '_'));
  } catch (error) {
    if (hasMoreNames) throw error;
    return undefined;
  }
}

/** Made where it is missing. It stands where every user may write, so its owner and mode are checked. */
function numberFolder(): string {
  const folder = join(tempFolder(), `social-locks-${currentUser()?.uid ?? 'user'}`);
  makePrivateFolder(folder);
  if (!isOwnFolder(folder)) throw ioFailure(`refusing to use ${folder}: others can write to it`);
  return folder;
}

/**
 * The file that a path or a descriptor leads to, as a text that is the same for the same file, through links, other
 * spellings and redirections. A path at which there is no file yet is identified by its folder. `undefined` for what is
 * no regular file or cannot be read.
 */
export function fileIdentity(place: string | number): string | undefined {
  try {
    if (typeof place === 'number') return numberOf(fstatSync(place, { bigint: true }));
    const seen = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (seen !== undefined) return numberOf(seen);
    const real = followLinks(place);
    return join(realpathSync(dirname(real)), basename(real));
  } catch {
    return undefined;
  }
}

const numberOf = (seen: BigIntStats): string | undefined =>
  seen.isFile() ? `${seen.dev} ${seen.ino}` : undefined;
