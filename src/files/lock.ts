// An exclusive lock between processes: a file made with O_EXCL that names its holder.
// Never takes a lock from a holder that may live: neither by the clock nor from another host.

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import {
  type Held,
  heldBy,
  type Holder,
  isProvablyDead,
  parseHeld,
  thisProcess,
} from './holder.ts';
import { readIfPresent } from './regular.ts';
import { cannotWrite, codeOf, failure } from './trouble.ts';

/** A lock as its owner keeps it. Callers within the owner's process queue; other processes are waited for. */
export interface Lock {
  /**
   * Runs `work` while nobody else holds the lock, and gives it back whatever happens. Throws
   * `Failure('local_io')` that names the holder when the lock is not free within the owner's patience.
   */
  run<T>(work: () => T | Promise<T>): Promise<T>;
}

export interface Patience {
  /** Milliseconds to wait for a lock that another process holds; 5000 unless told. */
  readonly waitMs?: number;
}

const MAX_LOCK_BYTES = 4096;
const LONGEST_SLEEP_MS = 10;
/** A holder writes its name right after making the file; a file without a name for so long has lost its maker. */
const NAMELESS_MS = 1000;

/** Runs `work` under the lock at `path` once; see `Lock`. */
export function withLock<T>(
  path: string,
  work: () => T | Promise<T>,
  patience?: Patience,
): Promise<T> {
  return createLock(path, patience).run(work);
}

/** A lock at `path`, for whoever takes it again and again. Touches nothing until the first `run`. */
export function createLock(path: string, { waitMs = 5000 }: Patience = {}): Lock {
  const self = thisProcess();
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;

  const holding = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const fd = take(path, self) ?? (await takeSoon(path, self, waitMs));
    try {
      return await work();
    } finally {
      giveBack(path, fd);
    }
  };

  return {
    run(work) {
      const turn = queued++ === 0 ? holding(work) : last.then(() => holding(work));
      last = turn.then(
        () => queued--,
        () => queued--,
      );
      return turn;
    },
  };
}

/** The lock's descriptor, or undefined while somebody else has it. */
function take(path: string, self: Holder): number | undefined {
  try {
    const fd = makeFile(path);
    try {
      fs.writeSync(fd, heldBy(self));
    } catch (error) {
      giveBack(path, fd);
      throw error;
    }
    if (isOurs(fd)) return fd;
    fs.closeSync(fd);
    return undefined;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw cannotWrite(path, error);
  }
}

function makeFile(path: string): number {
  try {
    return fs.openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return fs.openSync(path, 'wx', 0o600);
  }
}

/** An open file keeps its inode, so a link count of none says that somebody removed our very file. */
const isOurs = (fd: number): boolean => fs.fstatSync(fd).nlink > 0;

function giveBack(path: string, fd: number): void {
  const ours = isOurs(fd);
  fs.closeSync(fd);
  if (ours) fs.unlinkSync(path);
}

async function takeSoon(path: string, self: Holder, waitMs: number): Promise<number> {
  const start = performance.now();
  const nameless = { inode: 0, since: start };
  for (let attempt = 1; ; attempt++) {
    const fd = take(path, self);
    if (fd !== undefined) return fd;
    const seen = look(path);
    if (seen !== undefined) {
      const now = performance.now();
      if (seen.inode !== nameless.inode) Object.assign(nameless, { inode: seen.inode, since: now });
      if (isAbandoned(seen, self, now - nameless.since)) breakLock(path, seen, self);
      else if (now - start >= waitMs) throw lockedBy(path, seen.held);
    }
    await sleep(1 + Math.random() * Math.min(attempt, LONGEST_SLEEP_MS));
  }
}

interface Sighting {
  readonly inode: number;
  readonly held: Held | undefined;
}

/** The lock file as it is now, or undefined when it has just gone. */
function look(path: string): Sighting | undefined {
  const inode = fs.lstatSync(path, { throwIfNoEntry: false })?.ino;
  const text = readIfPresent(path, MAX_LOCK_BYTES)?.toString();
  return inode === undefined || text === undefined ? undefined : { inode, held: parseHeld(text) };
}

function isAbandoned({ held }: Sighting, self: Holder, seenForMs: number): boolean {
  return held === undefined ? seenForMs >= NAMELESS_MS : isProvablyDead(held, self);
}

/**
 * Removes the lock of a dead holder. Two waiters may see the same dead holder, and the slower one must not
 * remove the lock that the faster one took since: whoever removes holds a second lock and looks again under it.
 */
function breakLock(path: string, dead: Sighting, self: Holder): void {
  const breaker = `${path}.break`;
  const fd = take(breaker, self);
  if (fd === undefined) {
    const other = look(breaker);
    if (other?.held !== undefined && isProvablyDead(other.held, self))
      breakLock(breaker, other, self);
    return;
  }
  try {
    const now = look(path);
    if (now?.inode === dead.inode && now.held?.nonce === dead.held?.nonce)
      fs.rmSync(path, { force: true });
  } finally {
    giveBack(breaker, fd);
  }
}

function lockedBy(path: string, held: Held | undefined) {
  const who =
    held === undefined
      ? 'an unnamed process'
      : `pid ${held.pid} since ${held.since} on ${held.host}`;
  return failure(`${path} is locked by ${who}`);
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
