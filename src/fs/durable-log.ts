// A private file of JSON lines that several processes append to: a line is on the disk before its writer goes on.
// Written under a lock, so that what a full disk or a killed writer left of a line can be cut off.

import { constants, fdatasyncSync, fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ownJson } from '../base/json.ts';
import { syncFolder, wholeOrNot, writeAll } from './atomic-write.ts';
import { cannotRecord, withIoFailure } from './io-errors.ts';
import { createFileLock, type LockOptions } from './lock.ts';
import { keepPrivate } from './permissions.ts';
import { cutFile, readRange, withFile } from './safe-read.ts';

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const NEWLINE = 0x0a;
/** A longer line was not written here. */
const MAX_TAIL_BYTES = 16 * 1024 * 1024;

/**
 * The file at `path`, created with mode 0600 where it is missing. `start` is how each of its lines begins: a last line
 * without an end is cut off only if it begins so, and stays where it is whole. Throws `Failure('local_io')`.
 */
export function openDurableLog(path: string, start: string, options: LockOptions = {}) {
  withIoFailure(path, cannotRecord, () => {
    withLog(path, () => undefined);
    syncFolder(dirname(path));
  });
  const lock = createFileLock(path, options);
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  const take = (): string => {
    const lines = waiting.join('');
    waiting = [];
    next = undefined;
    return lines;
  };
  const flush = async (): Promise<void> => {
    await nextTurn();
    let lines: string | undefined;
    const work = () => write(path, start, (lines = take()));
    try {
      await lock.run(() => withIoFailure(path, cannotRecord, work));
    } finally {
      // Without the lock, all that waited for it have failed; later ones try anew.
      if (lines === undefined) take();
    }
  };
  return {
    /**
     * Resolves when the line (with its end) is on the disk. Rejects with `Failure('local_io')`, and then nothing of it
     * is in the file. Lines that come while others are written go to the disk together.
     */
    append(line: string): Promise<void> {
      waiting.push(line);
      return (next ??= flush());
    },
  };
}

/** Opens the file by its name each time: it may have been moved away or rotated. */
const withLog = (path: string, work: (fd: number) => void): void =>
  withFile(path, O_RDWR | O_CREAT | O_APPEND, (fd) => {
    keepPrivate(fd);
    work(fd);
  });

function write(path: string, start: string, lines: string): void {
  withLog(path, (fd) => {
    const { size, missing } = cutTorn(fd, path, start);
    wholeOrNot(fd, path, size, () => {
      writeAll(fd, missing + lines);
      fdatasyncSync(fd);
    });
  });
}

/**
 * Cuts off the last line where it is torn. Returns where the next line begins, and what has to be written before it.
 */
function cutTorn(
  fd: number,
  path: string,
  start: string,
): { readonly size: number; readonly missing: string } {
  const { size } = fstatSync(fd);
  if (size === 0 || readRange(fd, size - 1, size)[0] === NEWLINE) return { size, missing: '' };
  const bytes = readRange(fd, Math.max(0, size - MAX_TAIL_BYTES), size);
  const tail = bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1);
  const head = tail.toString('utf8', 0, start.length);
  if (!start.startsWith(head) || ownJson(tail.toString()) !== undefined)
    return { size, missing: '\n' };
  const whole = size - tail.length;
  cutFile(fd, path, whole);
  return { size: whole, missing: '' };
}
