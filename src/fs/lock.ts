// An exclusive lock of a file between processes: `x.lock` beside `x` names its owner. It is made by link(2), so it never
// stands there without that name. Never taken from an owner that may live: neither by the clock nor from elsewhere.

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
/** The answers of file systems without hard links; EISDIR comes from exFAT on Windows. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'];
const MAX_SLEEP_MS = 10;

export interface LockOptions {
  /** Milliseconds to wait for a lock that another process holds (default 5000). */
  readonly waitMs?: number;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while nobody else holds the lock of the file at `path`, or at the end of its symbolic links, and releases
 * it in any case. The file need not exist. Throws `Failure('local_io')` that names the owner when the lock is not free
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

/** Enough to break the lock of a process that died, even while it was breaking another's. */
const LONG_LOCK_MS = 800;

/** Holds the lock for as long as a batch takes: another batch is not waited for. */
export const withLongFileLock = <T>(
  path: string,
  { signal }: Pick<Runtime, 'signal'>,
  work: () => T | Promise<T>,
): Promise<T> => withFileLock(path, work, { waitMs: LONG_LOCK_MS, signal });

/** The content of a lock file. */
export interface LockOwner extends ProcessIdentity {
  /** Tells this lock from every other one of the same process. */
  readonly nonce: string;
}

export const newOwner = (holder: ProcessIdentity): LockOwner => ({
  ...holder,
  nonce: crypto.randomUUID().replaceAll('-', ''),
});

/** Takes the lock: at once where it is free or its owner dead, else by short jittered sleeps. */
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

/** Undefined for a lock that may be free by now. Throws the system's error. */
function tryAcquire(lock: string, owner: LockOwner): LockState | 'acquired' | undefined {
  const held = readLock(lock);
  const obstacle = held !== undefined && isDead(held, owner) ? removeDead(held, owner) : held;
  if (obstacle !== undefined) return obstacle;
  return tryCreate(lock, owner) ? 'acquired' : undefined;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Makes the lock file with its owner in it; false while there is one. A folder that is missing is made. Throws the
 * system's error.
 */
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
    // A network file system may have made the link and lost the answer.
    if (hasCode(error, ['EEXIST'])) return readLock(lock)?.owner?.nonce === owner.nonce;
    // A process of another container took the temporary file for one that a crash left, and removed it.
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
  /** Undefined for a file that names nobody: this program did not make it, or a power cut emptied it. */
  readonly owner: LockOwner | undefined;
  readonly since: Date;
}

/** The lock as it is now, or undefined when there is none. Throws the system's error. */
export function readLock(file: string): LockState | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const text = readIfPresent(file, MAX_BYTES)?.toString();
  // A file may be gone since; a link that leads nowhere stays, and names nobody.
  if (found === undefined || (text === undefined && found.isFile())) return undefined;
  const named = ownJson(text ?? '') as LockOwner | null | undefined;
  const isOwner = Number.isSafeInteger(named?.pid) && typeof named?.nonce === 'string';
  // Linking changes the time of the inode, so this is when the lock was taken.
  return { file, owner: isOwner ? named : undefined, since: found.ctime };
}

const isDead = ({ owner }: LockState, here: ProcessIdentity): boolean =>
  owner !== undefined && isProvablyDead(owner, here);

/**
 * Removes the lock of a dead owner. Two processes may see the same dead owner, and the slower one must not remove the
 * lock that the faster one took since: the one that removes holds a second lock, the breaker, and reads again under it.
 * Returns the breaker of another process, which may be dead as well.
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

/** Removes the lock unless another process has it now. Never throws. */
function release(lock: string, owner: LockOwner): void {
  try {
    if (readLock(lock)?.owner?.nonce === owner.nonce) rmSync(lock);
  } catch {
    // A lock that stays is taken over after this process.
  }
}

/** Names the owner; where it may have ended without a trace here, also the file to delete then. */
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
