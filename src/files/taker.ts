// Takes a lock file again and again for one owner: at once where it is free, else by short jittered sleeps,
// and from a dead holder. Gives up with the living one's name.

import { isProvablyDead, thisProcess } from './holder.ts';
import * as lockFile from './lock-file.ts';
import { cannotWrite, codeOf, failure } from './trouble.ts';

const LONGEST_SLEEP_MS = 10;
/** Who did not run for a while (a machine that sleeps or has too much to do) has not waited: nor has the holder worked. */
const MOST_COUNTED_MS = 100;
/** A maker names itself right away; a lock that is nameless for so long has lost its maker. */
const NAMELESS_MS = 500;

export interface Taker {
  /** The lock's inode, or undefined while somebody has it. Throws `Failure('local_io')`. */
  takeNow(): number | undefined;
  /** Waits at most `waitMs` milliseconds. Throws `Failure('local_io')` that names the holder. */
  takeSoon(waitMs: number): Promise<number>;
  giveBack(inode: number): void;
  /** Removes the owner's mark; the next take makes another. */
  close(): void;
}

export function createTaker(path: string): Taker {
  const holder = thisProcess();
  let mark: lockFile.Mark | undefined;

  /** Tries with our mark, and once more with a new one where somebody has removed it. */
  const withMark = <T>(attempt: (mark: lockFile.Mark) => T): T => {
    try {
      mark ??= lockFile.makeMark(path, holder);
      return attempt(mark);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      mark = lockFile.makeMark(path, holder);
      return attempt(mark);
    }
  };
  const writing = <T>(attempt: (mark: lockFile.Mark) => T): T => {
    try {
      return withMark(attempt);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  const takeNow = () => writing((ours) => lockFile.take(path, ours));
  const isGone = (seen: lockFile.Sighting, seenForMs: number): boolean => {
    const isAbandoned =
      seen.held === undefined ? seenForMs >= NAMELESS_MS : isProvablyDead(seen.held, holder);
    return isAbandoned && writing((ours) => lockFile.breakLock(path, seen, ours));
  };

  return {
    takeNow,
    async takeSoon(waitMs) {
      let last = performance.now();
      let waited = 0;
      let first: { inode?: number | undefined; at: number } = { at: last };
      for (let attempt = 1; ; attempt++) {
        const seen = lockFile.look(path);
        const now = performance.now();
        waited += Math.min(now - last, MOST_COUNTED_MS);
        last = now;
        if (seen?.inode !== first.inode) first = { inode: seen?.inode, at: now };
        const isFree = seen === undefined || isGone(seen, now - first.at);
        const inode = isFree ? takeNow() : undefined;
        if (inode !== undefined) return inode;
        if (!isFree && waited >= waitMs) throw lockedBy(path, seen, holder.host);
        await sleep(1 + Math.random() * Math.min(attempt, LONGEST_SLEEP_MS));
      }
    },
    giveBack: (inode) => lockFile.giveBack(path, inode),
    close() {
      if (mark !== undefined) lockFile.removeMark(mark);
      mark = undefined;
    },
  };
}

function lockedBy(path: string, { held, since }: lockFile.Sighting, here: string) {
  if (held === undefined)
    return failure(`${path} is locked by a process that has not named itself`);
  const elsewhere = held.host === here ? '' : ` on ${held.host}`;
  return failure(`${path} is locked by pid ${held.pid} since ${since.toISOString()}${elsewhere}`);
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
