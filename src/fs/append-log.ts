// Private files that grow by whole lines. `appendLines` writes without a lock or a sync, for local records. A durable
// log resolves when a line is on the disk: lines that arrive during a write share the next write and sync.
// `openSharedLog` is for several processes, `openHeldLog` for the owner of a lock.

import {
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  renameSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { syncFolder, writeAll } from './atomic-write.ts';
import { cannotAppend, withIoFailure } from './io-errors.ts';
import { type LockOptions, withFileLock } from './lock.ts';
import { keepPrivate, makePrivateFolder } from './permissions.ts';
import { cutFile, readRange, withFile } from './safe-read.ts';

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const NEWLINE = 0x0a;

/** The file to which `rotate` moves the older lines. */
export const rotatedPath = (path: string): string => `${path}.1`;

/**
 * Appends lines (each with its newline) in one write, so that those of two processes never mix. The lines survive a
 * crash of the program, not of the machine. Returns the size of the file in bytes. Throws `Failure('local_io')`.
 */
export function appendLines(path: string, lines: string): number {
  return withIoFailure(path, cannotAppend, () => {
    makePrivateFolder(dirname(path));
    return withLog(path, (fd) => {
      const { size } = fstatSync(fd);
      const bytes = Buffer.from(onNewLine(fd, size, lines));
      if (writeSync(fd, bytes) !== bytes.length) throw new Error('the file was cut short');
      return size + bytes.length;
    });
  });
}

/**
 * Renames a file of more than `mostBytes`, over the one that was renamed before. Throws `Failure('local_io')`, also if
 * another process is renaming it.
 */
export async function rotate(path: string, mostBytes: number): Promise<void> {
  const rename = () => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes)
      renameSync(path, rotatedPath(path));
  };
  await withFileLock(path, () => withIoFailure(path, cannotAppend, rename), { waitMs: 0 });
}

interface DurableLog {
  /** Resolves when the line (with its newline) is on the disk. Rejects with `Failure('local_io')`. */
  append(line: string): Promise<void>;
}

/**
 * Opens a log to which several processes append. Each group of lines is written under the lock of the file, which is
 * reopened by name each time: it may have been renamed. A group that fails is removed again. Throws
 * `Failure('local_io')`.
 */
export function openSharedLog(path: string, options: LockOptions = {}): DurableLog {
  withIoFailure(path, cannotAppend, () => {
    withLog(path, () => undefined);
    syncFolder(dirname(path));
  });
  const append = (lines: string) => withLog(path, (fd) => writeOrRemove(fd, path, lines));
  return {
    append: inGroups((lines) =>
      withFileLock(path, () => withIoFailure(path, cannotAppend, () => append(lines)), options),
    ),
  };
}

export interface HeldLog extends DurableLog {
  /** Adds a line to the next group without waiting for it; `close` reports its failure. */
  add(line: string): void;
  /** Writes all pending lines. Rejects if that, or an earlier group, failed. */
  close(): Promise<void>;
}

/**
 * Opens a log of `size` bytes with descriptor `fd`, for the owner of its lock. Before and after each group the file
 * must be the one that was opened, with the expected size; otherwise `replaced` makes the failure for the problem.
 * After a failure nothing more is written.
 */
export function openHeldLog(
  { fd, path, size }: { readonly fd: number; readonly path: string; readonly size: number },
  replaced: (problem: string) => Error,
): HeldLog {
  let expected = size;
  let broken: Error | undefined;
  const check = () => {
    const problem = problemWith(fd, path, expected);
    if (problem !== undefined) throw replaced(problem);
  };
  const append = inGroups(async (lines, mustSync) => {
    if (broken !== undefined) throw broken;
    try {
      check();
      const bytes = Buffer.from(lines);
      for (let done = 0; done < bytes.length;)
        done += (await writePart(fd, bytes.subarray(done))).bytesWritten;
      expected += bytes.length;
      if (mustSync) await sync(fd);
      // If two writers meet despite the lock, the later one finds more than it wrote.
      check();
    } catch (error) {
      broken = cannotAppend(path, error);
      throw broken;
    }
  });
  return {
    append,
    add: (line) => void append(line, false).catch(() => undefined),
    // The empty line shares the next group, so it waits for all lines, and fails if an earlier group did.
    close: () => append(''),
  };
}

const [writePart, sync] = [promisify(write), promisify(fdatasync)];

/** Returns the reason why the next run would not find lines written now. */
function problemWith(fd: number, path: string, size: number): string | undefined {
  const [open, named] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })];
  if (named === undefined) return 'was deleted';
  if (named.ino !== open.ino || named.dev !== open.dev) return 'was replaced';
  if (open.size < size) return 'was cut';
  return open.size > size ? 'was written to by another program' : undefined;
}

/**
 * Collects the lines that arrive in one turn of the event loop, or while the previous group is written. Each line
 * resolves or rejects with its group; a group is synced if one of its lines requires it.
 */
function inGroups(writeGroup: (lines: string, mustSync: boolean) => Promise<void>) {
  let lines = '';
  let mustSync = false;
  let current: Promise<void> | undefined;
  let previous: Promise<void> = Promise.resolve();
  const writeNext = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    await nextTurn();
    const group = [lines, mustSync] as const;
    [lines, mustSync, current] = ['', false, undefined];
    await writeGroup(...group);
  };
  return (line: string, needsSync = true): Promise<void> => {
    lines += line;
    mustSync ||= needsSync;
    if (current === undefined) previous = current = writeNext(previous);
    return current;
  };
}

/** Opens the file by name, with mode 0600. */
const withLog = <T>(path: string, work: (fd: number) => T): T =>
  withFile(path, O_RDWR | O_CREAT | O_APPEND, (fd) => {
    keepPrivate(fd);
    return work(fd);
  });

/**
 * Puts lines on a line of their own after an unfinished one. If another process is still writing that, an empty line
 * stays, which readers skip.
 */
const onNewLine = (fd: number, size: number, lines: string): string =>
  size === 0 || readRange(fd, size - 1, size)[0] === NEWLINE ? lines : `\n${lines}`;

/** Writes and syncs lines. If that fails, the written part is cut off. */
function writeOrRemove(fd: number, path: string, lines: string): void {
  const { size } = fstatSync(fd);
  try {
    writeAll(fd, onNewLine(fd, size, lines));
    fdatasyncSync(fd);
  } catch (error) {
    try {
      cutFile(fd, path, size);
    } catch {
      // The unfinished line stays on a line of its own.
    }
    throw error;
  }
}
