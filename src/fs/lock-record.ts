// A lock file itself: a second name of its holder's mark, removed only by that holder
// or, when the holder is dead for certain, by one other process. Never waits.

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder, removeStaleTemporaries, temporaryName } from './atomic-write.ts';
import { codeOf } from './io-errors.ts';
import { type LockOwner, formatOwner, type ProcessIdentity, parseOwner } from './lock-owner.ts';
import { readIfPresent } from './safe-read.ts';

const MAX_BYTES = 4096;
/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * A file that says who we are, made once and linked to the lock's name each time the lock is taken:
 * so a lock bears its holder's name from its first moment, and to take it costs next to nothing.
 */
export interface LockRecord {
  readonly file: string;
  readonly inode: number;
  readonly holder: ProcessIdentity;
}

/** A lock as somebody else sees it; nameless when its maker could not link and died before writing. */
export interface LockState {
  readonly inode: number;
  readonly held: LockOwner | undefined;
  readonly since: Date;
}

/** A new mark beside the lock at `path`; makes the folder when it is missing. Throws the system's error. */
export function makeLockRecord(path: string, holder: ProcessIdentity): LockRecord {
  makePrivateFolder(dirname(path));
  removeStaleTemporaries(path);
  const held = formatOwner(holder);
  const file = temporaryName(path, held.nonce);
  return { file, inode: writeNew(file, held), holder };
}

/** Removes a mark; a lock that bears it stays. */
export function removeLockRecord(mark: LockRecord): void {
  fs.rmSync(mark.file, { force: true });
}

/** Takes the lock and returns its inode, or undefined while somebody has it. Throws the system's error. */
export function createLockFile(path: string, mark: LockRecord): number | undefined {
  try {
    fs.linkSync(mark.file, path);
    return mark.inode;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    if (!NO_LINKS.has(codeOf(error) ?? '')) throw error;
    return takeWithoutLinks(path, mark);
  }
}

/** Removes the lock unless it is no longer ours. Never throws: what stays is taken over when we are gone. */
export function releaseLock(path: string, inode: number): void {
  try {
    if (inodeOf(path) === inode) fs.unlinkSync(path);
  } catch {
    return;
  }
}

/** The lock as it is now, or undefined when there is none. */
export function readLockState(path: string): LockState | undefined {
  const seen = fs.lstatSync(path, { throwIfNoEntry: false });
  const text = readIfPresent(path, MAX_BYTES)?.toString();
  if (seen === undefined || text === undefined) return undefined;
  // Linking changes the inode's own time, so this is when the lock was taken.
  return { inode: seen.ino, held: parseOwner(text), since: seen.ctime };
}

/** The second lock, held by whoever removes an abandoned one. */
export const breakerPath = (path: string): string => `${path}.break`;

/**
 * Removes an abandoned lock; false when somebody else is about to. Two processes may see the same dead holder,
 * and the slower one must not remove the lock that the faster one took since: whoever removes
 * holds a second lock, the breaker, and looks again under it.
 */
export function breakLock(
  path: string,
  abandoned: LockState,
  mark: LockRecord,
  isDead: (held: LockOwner) => boolean,
): boolean {
  const breaker = breakerPath(path);
  const inode = createLockFile(breaker, mark);
  if (inode === undefined) {
    const other = readLockState(breaker);
    if (other?.held !== undefined && isDead(other.held)) breakLock(breaker, other, mark, isDead);
    return false;
  }
  try {
    const now = readLockState(path);
    const isSame = now?.inode === abandoned.inode && now.held?.nonce === abandoned.held?.nonce;
    if (isSame) fs.rmSync(path, { force: true });
    return true;
  } finally {
    releaseLock(breaker, inode);
  }
}

/** Nameless for a moment, so it may have been taken for abandoned in between. */
function takeWithoutLinks(path: string, { holder }: LockRecord): number | undefined {
  try {
    const inode = writeNew(path, formatOwner(holder));
    return inodeOf(path) === inode ? inode : undefined;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** The inode of a new private file that names a holder. */
function writeNew(path: string, held: LockOwner): number {
  const fd = fs.openSync(path, 'wx', 0o600);
  try {
    fs.writeSync(fd, `${JSON.stringify(held)}\n`);
    return fs.fstatSync(fd).ino;
  } catch (error) {
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

const inodeOf = (path: string): number | undefined =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.ino;
