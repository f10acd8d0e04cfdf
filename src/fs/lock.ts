// An exclusive lock of a file between processes: `x.lock` beside `x` names its owner. It is made by link(2), so it
// never exists without that name. It is never taken from an owner that may be alive, such as one on another machine,
// however old it is. This file also names temporary files, and deletes those of dead processes.

import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, platform, uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, ifPossible, unsentFailure } from '../base/errors.ts';
import { randomId } from '../base/hash.ts';
import { ownJson } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { cannotWrite, codeOf, hasCode, ioFailure, withIoFailure } from './io-errors.ts';
import { makePrivateFolder } from './permissions.ts';
import { followLinks, readIfPresent } from './safe-read.ts';

const MAX_LOCK_BYTES = 4096;
/** The errors of file systems without hard links; EISDIR comes from exFAT on Windows. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'];
const MAX_SLEEP_MS = 10;

interface LockOptions {
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
  const target = withIoFailure(path, cannotWrite, () => followLinks(path));
  const lock = `${target}.lock`;
  const self = newOwner();
  await acquire(lock, self, path, options);
  try {
    // A process that was killed while it took this lock left a temporary file. Saving a file deletes those too, but a
    // log is only appended to.
    ifPossible(() => removeStaleTemporaries(target));
    return await work();
  } finally {
    release(lock, self);
  }
}

/** Long enough to delete the lock of a dead process, even if it died while it was deleting another lock. */
const LONG_LOCK_WAIT_MS = 800;

/** Holds the lock for as long as a batch takes. Fails soon if another process holds it. */
export const withLongFileLock = <T>(
  path: string,
  { signal }: Pick<Runtime, 'signal'>,
  work: () => T | Promise<T>,
): Promise<T> => withFileLock(path, work, { waitMs: LONG_LOCK_WAIT_MS, signal });

/** The content of a lock file. It distinguishes its process from a later one with the same process ID. */
export interface LockOwner {
  readonly pid: number;
  /** The start of the process in the system's own unit; empty if it is unknown. */
  readonly startedAt: string;
  /** The name of the machine: for messages only, because clones and containers share names. */
  readonly host: string;
  /** The boot and the namespaces within which a process ID is unique; empty if they are unknown. */
  readonly system: string;
  /** Distinguishes this lock from all others of the same process. */
  readonly nonce: string;
}

/** Describes this process as the owner of one lock; the functions below call it `self`. */
export const newOwner = (): LockOwner => ({
  pid: processId(),
  startedAt: startOf('self') ?? '',
  host: hostname(),
  system: thisSystem(),
  nonce: newNonce(),
});

const newNonce = () => randomId().replaceAll('-', '');

/** Takes the lock: at once if it is free or its owner dead, else after short jittered sleeps. */
async function acquire(
  lock: string,
  self: LockOwner,
  subject: string,
  { waitMs = 5000, signal }: LockOptions,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt++) {
    const obstacle = withIoFailure(subject, cannotWrite, () => tryAcquire(lock, self));
    if (obstacle === 'acquired') return;
    // A lock that may be free by now is tried again, even after the deadline.
    if (obstacle !== undefined && performance.now() >= deadline)
      throw lockedBy(subject, obstacle, self);
    await sleep(1 + Math.random() * Math.min(attempt, MAX_SLEEP_MS));
    signal?.throwIfAborted();
  }
}

/** Returns the lock that is in the way; `undefined` if it may be free by now. Throws as `readLock` does. */
function tryAcquire(lock: string, self: LockOwner): LockState | 'acquired' | undefined {
  const held = readLock(lock);
  const obstacle = held && isProvablyDead(held.owner, self) ? removeDead(held, self) : held;
  if (obstacle !== undefined) return obstacle;
  return tryCreate(lock, self) ? 'acquired' : undefined;
}

/** Makes the lock file with this owner in it; false if it exists. Makes a missing folder. Throws the system's error. */
function tryCreate(lock: string, self: LockOwner): boolean {
  makePrivateFolder(dirname(lock));
  const temporary = temporaryName(lock);
  try {
    writeFileSync(temporary, `${JSON.stringify(self)}\n`, { flag: 'wx', mode: 0o600 });
    return link(temporary, lock, self);
  } finally {
    ifPossible(() => rmSync(temporary, { force: true }));
  }
}

function link(temporary: string, lock: string, self: LockOwner): boolean {
  try {
    linkSync(temporary, lock);
    return true;
  } catch (error) {
    // A network file system may have made the link and lost the response.
    if (hasCode(error, ['EEXIST'])) return readLock(lock)?.owner?.nonce === self.nonce;
    // A process of another machine took the temporary file for a leftover and deleted it.
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

/** Reads the lock; `undefined` if there is none. Throws the system's error, or `Failure('local_io')`. */
export function readLock(file: string): LockState | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const text = readIfPresent(file, MAX_LOCK_BYTES)?.toString();
  // The file may be gone by now; a dangling link stays, and names no process.
  if (found === undefined || (text === undefined && found.isFile())) return undefined;
  const named = ownJson(text ?? '') as LockOwner | null | undefined;
  // The other fields are only compared and shown: a lock without them is never taken for that of a dead process.
  const isOwner = Number.isSafeInteger(named?.pid) && typeof named?.nonce === 'string';
  // Linking changes the ctime of the inode, so it is the time when the lock was taken.
  return { file, owner: isOwner ? named : undefined, since: found.ctime };
}

/**
 * Deletes the lock of a dead owner. Two processes may see the same dead owner, and the slower one must not delete the
 * lock that the faster one has taken since: the process that deletes holds a second lock, the breaker, and reads the
 * lock again under it. Returns the breaker of another process if that is in the way. If a dead process left the
 * breaker, only that is deleted, like any lock, and the caller tries again.
 */
export function removeDead(dead: LockState, self: LockOwner): LockState | undefined {
  const breaker = `${dead.file}.break`;
  if (!tryCreate(breaker, self)) {
    const other = readLock(breaker);
    return other && isProvablyDead(other.owner, self) ? removeDead(other, self) : other;
  }
  try {
    if (readLock(dead.file)?.owner?.nonce === dead.owner?.nonce) rmSync(dead.file, { force: true });
    return undefined;
  } finally {
    release(breaker, self);
  }
}

/** Deletes the lock unless another process has it by now. Never throws. */
function release(lock: string, self: LockOwner): void {
  try {
    if (readLock(lock)?.owner?.nonce === self.nonce) rmSync(lock);
  } catch {
    // A lock that stays is broken once this process has ended.
  }
}

/** Names the owner. If it may have ended unnoticed, names the file to delete too. */
function lockedBy(subject: string, { file, owner, since }: LockState, self: LockOwner): Failure {
  if (owner === undefined) {
    const hint = `if no other social command is running, delete ${file}`;
    return unsentFailure('local_io', { what: `${subject} is locked by an unknown process`, hint });
  }
  const isHere = isOnSameSystem(owner, self);
  const place = isHere ? '' : ` on ${owner.host}`;
  const what = `${subject} is locked by pid ${owner.pid} since ${since.toISOString()}${place}`;
  // An owner on this system with a known start lives: if it were dead, it would have lost the lock.
  if (isHere && owner.startedAt !== '') return ioFailure(what);
  return unsentFailure('local_io', { what, hint: `if that process has ended, delete ${file}` });
}

/** True only if the process is certainly gone: its ID is not in use on this system, or belongs to a later process. */
export function isProvablyDead(owner: LockOwner | undefined, self: LockOwner): boolean {
  if (owner === undefined || !isOnSameSystem(owner, self)) return false;
  if (!isRunning(owner.pid)) return true;
  const started = startOf(owner.pid);
  return started !== undefined && owner.startedAt !== '' && started !== owner.startedAt;
}

/** True if both run on the same boot of the same machine, and see the same processes. */
const isOnSameSystem = (owner: LockOwner, self: LockOwner): boolean =>
  self.system !== '' && owner.system === self.system;

export const processId = (): number => process.pid;

/** True if a process of this host has the ID, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Returns the start of a process, field 22 of `/proc/<pid>/stat`; `undefined` if it is unknown. The second field may
 * contain spaces and parentheses, so the count starts with the third, after the last parenthesis.
 */
function startOf(pid: number | 'self'): string | undefined {
  // On other systems another user may have made a folder of that name.
  if (platform() !== 'linux') return undefined;
  return ifPossible(() => {
    // A container may show the processes of its host, under other IDs.
    if (readlinkSync('/proc/self') !== String(processId())) return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  });
}

/** Identifies the boot and the namespaces. A namespace's number is reused only after its processes have ended. */
function thisSystem(): string {
  if (platform() !== 'linux') {
    // Boots have no ID there, so the minute of the start identifies them.
    const minute = Math.round((Date.now() / 1000 - uptime()) / 60);
    return `${hostname()} booted ${minute}`;
  }
  const system = ifPossible(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // The kernel shifts start times for a reader in another time namespace. Old kernels have no time namespaces.
    const time = ifPossible(() => readlinkSync('/proc/self/ns/time')) ?? '';
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${time}`;
  });
  return system ?? '';
}

/** Makes a new name for a temporary file or folder beside `target`, with the ID of this process. */
export const temporaryName = (target: string): string =>
  join(dirname(target), `.${basename(target)}.${processId()}-${newNonce()}.tmp`);

const TEMPORARY_END = /\.(\d+)-[0-9a-f]{32}\.tmp$/;

/**
 * Deletes what dead writers of `target`, and of its lock, left. A writer in another container, or on
 * another machine, may lose its file: a save then fails, but taking a lock tries again.
 */
export function removeStaleTemporaries(target: string): void {
  const folder = dirname(target);
  for (const name of readdirSync(folder)) {
    const pid = TEMPORARY_END.exec(name)?.[1];
    if (pid !== undefined && name.startsWith(`.${basename(target)}.`) && !isRunning(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
