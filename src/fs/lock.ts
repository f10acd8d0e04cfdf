// An exclusive lock between processes, for as long as a piece of work takes.
// Never takes a lock from a holder that may live: neither by the clock nor from another host.

import { Failure } from '../base/errors.ts';
import { cannotWrite, codeOf, ioFailure } from './io-errors.ts';
import {
  type LockOwner,
  type ProcessIdentity,
  isProvablyAlive,
  isProvablyDead,
  thisProcess,
} from './lock-owner.ts';
import * as lockFile from './lock-record.ts';

// Takes a lock file again and again for one owner: at once where it is free, else by short jittered sleeps,
// and from a dead holder. Gives up with the living one's name.

const LONGEST_SLEEP_MS = 10;
/** Who did not run for a while (a machine that sleeps or has too much to do) has not waited: nor has the holder worked. */
const MOST_COUNTED_MS = 100;
/** A maker names itself right away; a lock that is nameless for so long has lost its maker. */
const NAMELESS_MS = 500;
/** What can stand in a line that is there to be copied. */
const PLAIN_ID = /^[\w-]+$/;

/** What is locked, for messages, and how long and for whom to wait. */
export interface LockWait {
  /** The file that the lock is of, as the user knows it. */
  readonly subject: string;
  /** Milliseconds to wait for a lock that another process holds. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The ids of holders that the user says have ended. */
  readonly deadHolders?: readonly string[] | undefined;
}

export interface LockTaker {
  /** The lock's inode, or undefined while somebody has it. Throws `Failure('local_io')`. */
  takeNow(): number | undefined;
  /** Waits. Throws `Failure('local_io')` that names the holder, or the reason of the signal. */
  takeSoon(): Promise<number>;
  giveBack(inode: number): void;
  /** Removes the owner's mark; the next take makes another. */
  close(): void;
}

function createLockTaker(path: string, waiting: LockWait): LockTaker {
  const { subject, waitMs, signal } = waiting;
  const holder = thisProcess();
  let mark: lockFile.LockRecord | undefined;

  /** Tries with our mark, and once more with a new one where somebody has removed it. */
  const withMark = <T>(attempt: (mark: lockFile.LockRecord) => T): T => {
    try {
      mark ??= lockFile.makeLockRecord(path, holder);
      return attempt(mark);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      mark = lockFile.makeLockRecord(path, holder);
      return attempt(mark);
    }
  };
  const writing = <T>(attempt: (mark: lockFile.LockRecord) => T): T => {
    try {
      return withMark(attempt);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  const takeNow = () => writing((ours) => lockFile.createLockFile(path, ours));
  const isDead = (held: LockOwner): boolean =>
    isProvablyDead(held, holder) ||
    (waiting.deadHolders?.includes(held.nonce) === true && !isProvablyAlive(held, holder));
  const isAbandoned = ({ held }: lockFile.LockState, seenForMs: number): boolean =>
    held === undefined ? seenForMs >= NAMELESS_MS : isDead(held);
  /** What stands in the way: the lock, or a process that was about to remove it. */
  const obstacle = (seen: lockFile.LockState, seenForMs: number): lockFile.LockState =>
    isAbandoned(seen, seenForMs)
      ? (lockFile.readLockState(lockFile.breakerPath(path)) ?? seen)
      : seen;

  return {
    takeNow,
    async takeSoon() {
      let last = performance.now();
      let waited = 0;
      let first: { inode?: number | undefined; at: number } = { at: last };
      for (let attempt = 1; ; attempt++) {
        const seen = lockFile.readLockState(path);
        const now = performance.now();
        waited += Math.min(now - last, MOST_COUNTED_MS);
        last = now;
        if (seen?.inode !== first.inode) first = { inode: seen?.inode, at: now };
        const isFree =
          seen === undefined ||
          (isAbandoned(seen, now - first.at) &&
            writing((ours) => lockFile.breakLock(path, seen, ours, isDead)));
        const inode = isFree ? takeNow() : undefined;
        if (inode !== undefined) return inode;
        if (!isFree && waited >= waitMs)
          throw lockedBy(subject, obstacle(seen, now - first.at), holder);
        await sleep(1 + Math.random() * Math.min(attempt, LONGEST_SLEEP_MS));
        signal?.throwIfAborted();
      }
    },
    giveBack: (inode) => lockFile.releaseLock(path, inode),
    close() {
      if (mark !== undefined) lockFile.removeLockRecord(mark);
      mark = undefined;
    },
  };
}

/** Names the holder; where that may have ended without a trace here, also the way to take its lock over. */
function lockedBy(
  subject: string,
  { held, since }: lockFile.LockState,
  here: ProcessIdentity,
): Failure {
  if (held === undefined)
    return ioFailure(`${subject} is locked by a process that has not named itself`);
  const what = `${subject} is locked by pid ${held.pid} since ${since.toISOString()}${placeOf(held, here)}`;
  if (isProvablyAlive(held, here) || !PLAIN_ID.test(held.nonce)) return ioFailure(what);
  const hint = `if that process has ended, run the same command with --force-unlock ${held.nonce}`;
  return new Failure('local_io', { ...ioFailure(what).facts, hint });
}

function placeOf({ host, system }: LockOwner, here: ProcessIdentity): string {
  if (system === here.system) return '';
  return host === here.host
    ? ` in another container, boot or machine that is called ${host}`
    : ` on ${host}`;
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

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

export interface LockTimeout {
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
  retryPolicy?: LockTimeout,
): Promise<T> {
  const lock = createLock(path, retryPolicy);
  try {
    return await lock.run(work);
  } finally {
    lock.close();
  }
}

/** A lock at `path`, for whoever takes it again and again. Touches nothing until the first `run`. */
export function createLock(path: string, retryPolicy: LockTimeout = {}): Lock {
  const { waitMs = 5000, subject = path, signal, deadHolders } = retryPolicy;
  const taker = createLockTaker(path, { waitMs, subject, signal, deadHolders });
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
