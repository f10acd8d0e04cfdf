// An exclusive lock between processes, held for as long as a piece of work takes. It is a file that names its owner.
// Never takes a lock from an owner that may live: neither by the clock nor from another host.

import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../base/errors.ts';
import { makePrivateFolder } from './atomic-write.ts';
import { removeStaleTemporaries, temporaryName } from './temporary-files.ts';
import { cannotWrite, codeOf, hasCode, ioFailure, withIoFailure } from './io-errors.ts';
import {
  formatOwner,
  isProvablyAlive,
  isProvablyDead,
  type LockOwner,
  parseOwner,
  type ProcessIdentity,
  thisProcess,
} from './lock-owner.ts';
import { readIfPresent } from './safe-read.ts';

const MAX_BYTES = 4096;
/** What file systems without hard links answer; EISDIR comes from exFAT on Windows. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'];
const MAX_SLEEP_MS = 10;
/**
 * A longer gap counts as this: a process that did not run (a suspended machine) has not waited, nor has the owner
 * worked.
 */
const MAX_COUNTED_MS = 100;
/** An owner writes its name at once; a lock that is nameless for so long has lost its owner. */
const NAMELESS_MS = 500;
/** An id that can be copied from a message into a shell. */
const PLAIN_ID = /^[\w-]+$/;

type LockRecord = ReturnType<typeof makeLockRecord>;
type LockState = NonNullable<ReturnType<typeof readLockState>>;

/**
 * A file beside the lock at `path` that names this process, made once and linked to the lock's name each time the lock
 * is taken: so a lock has its owner's name from its first moment, and taking it costs next to nothing. Makes the folder
 * when it is missing. Throws the system's error.
 */
export function makeLockRecord(path: string, holder: ProcessIdentity) {
  makePrivateFolder(dirname(path));
  removeStaleTemporaries(path);
  const held = formatOwner(holder);
  const file = temporaryName(path, held.nonce);
  return { file, inode: writeNew(file, held), holder };
}

/** Removes a record; a lock that is linked to it stays. */
export function removeLockRecord(record: LockRecord): void {
  rmSync(record.file, { force: true });
}

/** Takes the lock and returns its inode, or undefined while another process has it. Throws the system's error. */
export function createLockFile(path: string, record: LockRecord): bigint | undefined {
  try {
    return link(path, record) ?? createWithoutLinks(path, record);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Undefined where the file system has no links. */
function link(path: string, { file, inode }: LockRecord): bigint | undefined {
  try {
    linkSync(file, path);
    return inode;
  } catch (error) {
    if (hasCode(error, NO_LINKS)) return undefined;
    throw error;
  }
}

/** Nameless for a moment, so it may have been taken for abandoned in between. */
function createWithoutLinks(path: string, { holder }: LockRecord): bigint | undefined {
  const inode = writeNew(path, formatOwner(holder));
  return inodeOf(path) === inode ? inode : undefined;
}

/** The inode of a new private file that names an owner. */
function writeNew(path: string, held: LockOwner): bigint {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, `${JSON.stringify(held)}\n`);
    return fstatSync(fd, { bigint: true }).ino;
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Removes the lock unless another process has it now. Never throws. */
export function releaseLock(path: string, inode: bigint): void {
  try {
    if (inodeOf(path) === inode) unlinkSync(path);
  } catch {
    // A lock that stays is taken over after this process.
  }
}

/** The number of a file, exact: those of Windows are too large for a number, and neighbours would be the same. */
const inodeOf = (path: string): bigint | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/**
 * The lock as another process sees it, or undefined when there is none; nameless when its maker could not link and died
 * before writing.
 */
export function readLockState(path: string) {
  const seen = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const text = readIfPresent(path, MAX_BYTES)?.toString();
  // A file may be gone since; a link that leads nowhere stays, and names nobody.
  if (seen === undefined || (text === undefined && seen.isFile())) return undefined;
  // Linking changes the inode's own time, so this is when the lock was taken.
  return { inode: seen.ino, held: parseOwner(text ?? ''), since: seen.ctime };
}

/** The second lock, held by the process that removes an abandoned one. */
export const breakerPath = (path: string): string => `${path}.break`;

/**
 * Removes an abandoned lock; false when another process is about to. Two processes may see the same dead owner, and the
 * slower one must not remove the lock that the faster one took since: the one that removes holds a second lock, the
 * breaker, and checks again under it.
 */
export function breakLock(
  path: string,
  abandoned: LockState,
  record: LockRecord,
  isDead: (held: LockOwner) => boolean,
): boolean {
  const breaker = breakerPath(path);
  const inode = createLockFile(breaker, record);
  if (inode === undefined) {
    const other = readLockState(breaker);
    if (other?.held !== undefined && isDead(other.held)) breakLock(breaker, other, record, isDead);
    return false;
  }
  try {
    const now = readLockState(path);
    const isSame = now?.inode === abandoned.inode && now.held?.nonce === abandoned.held?.nonce;
    if (isSame) rmSync(path, { force: true });
    return true;
  } finally {
    releaseLock(breaker, inode);
  }
}

/** A lock as its owner has it. Callers within the owner's process queue; other processes are waited for. */
export interface Lock {
  /**
   * Runs `work` while nobody else holds the lock, and releases it in any case. Throws `Failure('local_io')` that names
   * the owner when the lock is not free within `waitMs`.
   */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** Removes the owner's record beside the lock. A later `run` makes another. */
  close(): void;
}

export interface LockTimeout {
  /** Milliseconds to wait for a lock that another process holds (default 5000). */
  readonly waitMs?: number;
  /** Ends the wait: `run` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** The ids of owners that the user says have ended: `--force-unlock`. */
  readonly deadHolders?: readonly string[] | undefined;
  /** The name of the locked thing in messages (default: the lock's path). */
  readonly subject?: string;
}

/** A lock at `path` that can be taken again and again. Touches nothing until the first `run`. */
export function createLock(path: string, timeout: LockTimeout = {}): Lock {
  const acquirer = createAcquirer(path, timeout);
  let last: Promise<unknown> = Promise.resolve();

  const holding = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const inode = acquirer.tryAcquire() ?? (await acquirer.acquire());
    try {
      return await work();
    } finally {
      releaseLock(path, inode);
    }
  };
  return {
    run(work) {
      const turn = last.then(() => holding(work));
      last = turn.catch(() => undefined);
      return turn;
    },
    close: acquirer.close,
  };
}

/**
 * Takes the lock file for one owner: at once where it is free, else by short jittered sleeps, also from a dead owner.
 */
function createAcquirer(path: string, timeout: LockTimeout) {
  const { waitMs = 5000, subject = path, signal, deadHolders = [] } = timeout;
  const here = thisProcess();
  let record: LockRecord | undefined;

  /** Tries with the owner's record, and once more with a new one where another process has removed it. */
  const writing = <T>(attempt: (record: LockRecord) => T): T =>
    withIoFailure(path, cannotWrite, () => {
      try {
        return attempt((record ??= makeLockRecord(path, here)));
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return attempt((record = makeLockRecord(path, here)));
      }
    });
  const isDead = (held: LockOwner): boolean =>
    isProvablyDead(held, here) ||
    (deadHolders.includes(held.nonce) && !isProvablyAlive(held, here));
  const isAbandoned = ({ held }: LockState, seenForMs: number): boolean =>
    held === undefined ? seenForMs >= NAMELESS_MS : isDead(held);
  /** The lock that stands in the way: this one, or that of a process that was about to remove it. */
  const obstacle = (seen: LockState, seenForMs: number): LockState =>
    isAbandoned(seen, seenForMs) ? (readLockState(breakerPath(path)) ?? seen) : seen;
  /** The lock's inode, or undefined while another process has it. */
  const tryAcquire = () => writing((own) => createLockFile(path, own));

  return {
    tryAcquire,
    async acquire(): Promise<bigint> {
      let last = performance.now();
      let waited = 0;
      let inode: bigint | undefined;
      let seenSince = last;
      for (let attempt = 1; ; attempt++) {
        const seen = readLockState(path);
        const now = performance.now();
        waited += Math.min(now - last, MAX_COUNTED_MS);
        last = now;
        if (seen?.inode !== inode) [inode, seenSince] = [seen?.inode, now];
        const seenForMs = now - seenSince;
        const isFree =
          seen === undefined ||
          (isAbandoned(seen, seenForMs) && writing((own) => breakLock(path, seen, own, isDead)));
        const acquired = isFree ? tryAcquire() : undefined;
        if (acquired !== undefined) return acquired;
        if (!isFree && waited >= waitMs) throw lockedBy(subject, obstacle(seen, seenForMs), here);
        await sleep(1 + Math.random() * Math.min(attempt, MAX_SLEEP_MS));
        signal?.throwIfAborted();
      }
    },
    close() {
      if (record !== undefined) removeLockRecord(record);
      record = undefined;
    },
  };
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Names the owner; where that may have ended without a trace here, also the way to take its lock over. */
function lockedBy(subject: string, { held, since }: LockState, here: ProcessIdentity): Failure {
  if (held === undefined) return ioFailure(`${subject} is locked by an unknown process`);
  const what = `${subject} is locked by pid ${held.pid} since ${since.toISOString()}${placeOf(held, here)}`;
  if (isProvablyAlive(held, here) || !PLAIN_ID.test(held.nonce)) return ioFailure(what);
  const hint = `if that process has ended, run the same command with --force-unlock ${held.nonce}`;
  return new Failure('local_io', { ...ioFailure(what).facts, hint });
}

function placeOf({ host, system }: LockOwner, here: ProcessIdentity): string {
  if (system === here.system) return '';
  return host === here.host
    ? ` in another container, boot or machine called ${host}`
    : ` on ${host}`;
}
