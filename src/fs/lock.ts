// An exclusive lock of a file between processes: `x.lock` beside `x` names its owner. It is made by link(2), so it
// never exists without that name. It is never taken from an owner that may be alive: neither because of its age nor
// from another machine.

import { linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { unsentFailure, type Failure } from '../base/errors.ts';
import { ownJson } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import {
  followLinks,
  makePrivateFolder,
  removeStaleTemporaries,
  temporaryName,
} from './atomic-write.ts';
import { cannotWrite, hasCode, ioFailure, withIoFailure } from './io-errors.ts';
import {
  isProvablyAlive,
  isProvablyDead,
  type ProcessIdentity,
  thisProcess,
} from './lock-owner.ts';
import { readIfPresent } from './safe-read.ts';

const MAX_BYTES = 4096;
/** The errors of file systems without hard links; EISDIR comes from exFAT on Windows. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'];
const MAX_SLEEP_MS = 10;

export interface LockOptions {
  /** Milliseconds to wait for a lock that another process holds (default 5000). */
  readonly waitMs?: number;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while this process holds the lock of the file at `path`, or at the end of its symbolic links, and always
 * releases it. The file need not exist. Throws `Failure('local_io')` that names the owner if the lock is not free
 * within `waitMs`.
 */
export async function withFileLock<T>(
  path: string,
  work: () => T | Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const lock = withIoFailure(path, cannotWrite, () => `${followLinks(path)}.lock`);
  const owner = newOwner(thisProcess());
  await acquire(lock, owner, path, options);
  try {
    return await work();
  } finally {
    release(lock, owner);
  }
}

/** Long enough to break the lock of a process that died, even while it was breaking another lock. */
const LONG_LOCK_MS = 800;

/** Holds the lock for as long as a batch takes, so another batch is not waited for. */
export const withLongFileLock = <T>(
  path: string,
  { signal }: Pick<Runtime, 'signal'>,
  work: () => T | Promise<T>,
): Promise<T> => withFileLock(path, work, { waitMs: LONG_LOCK_MS, signal });

/** The content of a lock file. */
export interface LockOwner extends ProcessIdentity {
  /** Distinguishes this lock from all others of the same process. */
  readonly nonce: string;
}

export const newOwner = (holder: ProcessIdentity): LockOwner => ({
  ...holder,
  nonce: crypto.randomUUID().replaceAll('-', ''),
});

/** Takes the lock: at once if it is free or its owner dead, else after short jittered sleeps. */
async function acquire(
  lock: string,
  owner: LockOwner,
  subject: string,
  { waitMs = 5000, signal }: LockOptions,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    const obstacle = withIoFailure(subject, cannotWrite, () => tryAcquire(lock, owner));
    if (obstacle === 'acquired') return;
    if (obstacle !== undefined && performance.now() >= deadline)
      throw lockedBy(subject, obstacle, owner);
    await sleep(1 + Math.random() * Math.min(attempt, MAX_SLEEP_MS));
    signal?.throwIfAborted();
  }
}

/** Returns `undefined` for a lock that may be free by now. Throws the system's error. */
function tryAcquire(lock: string, owner: LockOwner): LockState | 'acquired' | undefined {
  const held = readLock(lock);
  const obstacle = held !== undefined && isDead(held, owner) ? removeDead(held, owner) : held;
  if (obstacle !== undefined) return obstacle;
  return tryCreate(lock, owner) ? 'acquired' : undefined;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Makes the lock file with its owner in it; false if it exists. Makes a missing folder. Throws the system's error. */
function tryCreate(lock: string, owner: LockOwner): boolean {
  makePrivateFolder(dirname(lock));
  const temporary = temporaryName(lock, owner.nonce);
  try {
    writeFileSync(temporary, `${JSON.stringify(owner)}\n`, { flag: 'wx', mode: 0o600 });
    return link(temporary, lock, owner);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function link(temporary: string, lock: string, owner: LockOwner): boolean {
  try {
    linkSync(temporary, lock);
    return true;
  } catch (error) {
    // A network file system may have made the link and lost the response.
    if (hasCode(error, ['EEXIST'])) return readLock(lock)?.owner?.nonce === owner.nonce;
    // A process of another container took the temporary file for a leftover and deleted it.
    if (hasCode(error, ['ENOENT'])) return false;
    if (hasCode(error, NO_LINKS))
      throw ioFailure(
        `cannot lock ${lock}: its file system has no hard links; move the file elsewhere`,
        error,
      );
    throw error;
  }
}

interface LockState {
  /** The lock file. */
  readonly file: string;
  /** Undefined if the file names no process: another program made it, or a power cut emptied it. */
  readonly owner: LockOwner | undefined;
  readonly since: Date;
}

/** Reads the lock; `undefined` if there is none. Throws the system's error. */
export function readLock(file: string): LockState | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const text = readIfPresent(file, MAX_BYTES)?.toString();
  // The file may be gone by now; a dangling link stays, and names no process.
  if (found === undefined || (text === undefined && found.isFile())) return undefined;
  const named = ownJson(text ?? '') as LockOwner | null | undefined;
  const isOwner = Number.isSafeInteger(named?.pid) && typeof named?.nonce === 'string';
  // Linking changes the ctime of the inode, so it is the time when the lock was taken.
  return { file, owner: isOwner ? named : undefined, since: found.ctime };
}

const isDead = ({ owner }: LockState, here: ProcessIdentity): boolean =>
  owner !== undefined && isProvablyDead(owner, here);

/**
 * Deletes the lock of a dead owner. Two processes may see the same dead owner, and the slower one must not delete the
 * lock that the faster one has taken since: the process that deletes holds a second lock, the breaker, and reads the lock again
 * under it. Returns the breaker of another process, whose owner may be dead as well.
 */
export function removeDead(dead: LockState, owner: LockOwner): LockState | undefined {
  const breaker = `${dead.file}.break`;
  if (!tryCreate(breaker, owner)) {
    const other = readLock(breaker);
    return other !== undefined && isDead(other, owner) ? removeDead(other, owner) : other;
  }
  try {
    removeStaleTemporaries(dead.file);
    if (readLock(dead.file)?.owner?.nonce === dead.owner?.nonce) rmSync(dead.file, { force: true });
    return undefined;
  } finally {
    release(breaker, owner);
  }
}

/** Deletes the lock unless another process has it by now. Never throws. */
function release(lock: string, owner: LockOwner): void {
  try {
    if (readLock(lock)?.owner?.nonce === owner.nonce) rmSync(lock);
  } catch {
    // A lock that stays is broken once this process has ended.
  }
}

/** Names the owner. If it may have ended unnoticed, names the file to delete too. */
function lockedBy(
  subject: string,
  { file, owner, since }: LockState,
  here: ProcessIdentity,
): Failure {
  if (owner === undefined) {
    const hint = `if no other social command is running, delete ${file}`;
    return unsentFailure('local_io', { what: `${subject} is locked by an unknown process`, hint });
  }
  const what = `${subject} is locked by pid ${owner.pid} since ${since.toISOString()}${placeOf(owner, here)}`;
  if (isProvablyAlive(owner, here)) return ioFailure(what);
  return unsentFailure('local_io', { what, hint: `if that process has ended, delete ${file}` });
}

function placeOf({ host, system }: LockOwner, here: ProcessIdentity): string {
  if (system === here.system) return '';
  return host === here.host
    ? ` in another container, boot or machine called ${host}`
    : ` on ${host}`;
}
