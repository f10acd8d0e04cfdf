// Private files that grow by whole lines. `appendLines` opens the file by name each time, for several processes;
// `HeldLog` is for the owner of a lock.

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
import { promisify } from 'node:util';
import { Failure } from '../base/errors.ts';
import { syncFolder } from './atomic-write.ts';
import { cannotAppend, withIoFailure } from './io-errors.ts';
import { withFileLock } from './lock.ts';
import { keepPrivate, makePrivateFolder } from './permissions.ts';
import { readRange, withFile } from './safe-read.ts';

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const NEWLINE = 0x0a;

/** The file to which `rotate` moves the older lines. */
export const rotatedPath = (path: string): string => `${path}.1`;

/**
 * Appends lines (each with its newline) to a file of this program, whose folder it makes. They survive a crash of the
 * program, not of the machine. Throws `Failure('local_io')`.
 */
export function appendLines(path: string, lines: string): void {
  makePrivateFolder(dirname(path));
  append(path, lines, false);
}

/** Appends a line to a file in an existing folder. It is on the disk afterwards. Throws `Failure('local_io')`. */
export function appendDurably(path: string, line: string): void {
  append(path, line, true);
}

/** Appends a line as `appendDurably` does to a file of the user's, which keeps its mode. */
export function appendToUserFile(path: string, line: string): void {
  append(path, line, true, () => undefined);
}

/** The lines of a file, as far as it was read. */
const nothingRead = { ino: 0, size: 0, lines: 0 };

/** Counts the lines of a file, of which `before` has been counted, unless it was renamed since and is another one. */
export const countLines = (path: string, before = nothingRead): typeof nothingRead =>
  withFile(path, constants.O_RDONLY, (fd) => {
    const { ino, size } = fstatSync(fd);
    let { size: at, lines } = ino === before.ino && size >= before.size ? before : nothingRead;
    for (; at < size; at += COUNTED_BYTES)
      for (const byte of readRange(fd, at, Math.min(size, at + COUNTED_BYTES)))
        if (byte === NEWLINE) lines++;
    return { ino, size, lines };
  });

const COUNTED_BYTES = 1024 * 1024;

/**
 * Appends lines in one write, so that those of two processes never mix. After an unfinished line they start on a line
 * of their own.
 */
function append(path: string, lines: string, mustSync: boolean, protect = keepPrivate): void {
  withIoFailure(path, cannotAppend, () =>
    withFile(path, O_RDWR | O_CREAT | O_APPEND, (fd) => {
      protect(fd);
      const { size } = fstatSync(fd);
      const isUnfinished = size > 0 && readRange(fd, size - 1, size)[0] !== NEWLINE;
      const bytes = Buffer.from(isUnfinished ? `\n${lines}` : lines);
      if (writeSync(fd, bytes) !== bytes.length) throw new Error('the file was cut short');
      if (mustSync) fdatasyncSync(fd);
      // The name of a new file has to survive a power cut too.
      if (mustSync && size === 0) syncFolder(dirname(path));
    }),
  );
}

/**
 * Renames a file of more than `mostBytes`, over the one that was renamed before. Throws `Failure('local_io')`, also if
 * another process is renaming it.
 */
export async function rotate(path: string, mostBytes: number): Promise<void> {
  const isTooLarge = () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes;
  if (!withIoFailure(path, cannotAppend, isTooLarge)) return;
  const rename = () => {
    // Another process may have renamed it before this one had the lock.
    if (isTooLarge()) renameSync(path, rotatedPath(path));
  };
  await withFileLock(path, () => withIoFailure(path, cannotAppend, rename), { waitMs: 0 });
}

const [writePart, sync] = [promisify(write), promisify(fdatasync)];

/**
 * A log for the owner of its lock. Before and after each line the file must be the one that was opened, with the
 * expected size. After a failure nothing more is written.
 */
export class HeldLog {
  readonly #fd: number;
  readonly #path: string;
  readonly #failureFor: (problem: string) => Error;
  /** The expected size of the file in bytes. */
  #size: number;
  /** Resolves when all lines so far are written. */
  #written: Promise<void> = Promise.resolve();

  /** `failureFor` makes the failure for a problem of the open file, such as `was deleted`. */
  constructor(fd: number, path: string, size: number, failureFor: (problem: string) => Error) {
    this.#fd = fd;
    this.#path = path;
    this.#size = size;
    this.#failureFor = failureFor;
  }

  /** Resolves when the line (with its newline) is on the disk. Rejects with `Failure('local_io')`. */
  append(line: string): Promise<void> {
    return this.#enqueue(line, true);
  }

  /** Adds a line without waiting for it; `close` reports its failure. */
  add(line: string): void {
    this.#enqueue(line, false).catch(() => undefined);
  }

  /** Resolves when all lines are on the disk. Rejects if one of them could not be written. */
  close(): Promise<void> {
    return this.append('');
  }

  #enqueue(line: string, mustSync: boolean): Promise<void> {
    // If an earlier line failed, so do all later ones.
    return (this.#written = this.#written.then(() => this.#write(Buffer.from(line), mustSync)));
  }

  async #write(bytes: Buffer, mustSync: boolean): Promise<void> {
    try {
      this.#check();
      for (let done = 0; done < bytes.length;)
        done += (await writePart(this.#fd, bytes.subarray(done))).bytesWritten;
      this.#size += bytes.length;
      if (mustSync) await sync(this.#fd);
      // If two writers meet despite the lock, the later one finds more than it wrote.
      this.#check();
    } catch (error) {
      throw error instanceof Failure ? error : cannotAppend(this.#path, error);
    }
  }

  /** Throws if the path leads to another file, or its size is unexpected: a later run would not find all lines. */
  #check(): void {
    const problem = problemWith(this.#fd, this.#path, this.#size);
    if (problem !== undefined) throw this.#failureFor(problem);
  }
}

function problemWith(fd: number, path: string, size: number): string | undefined {
  const [open, named] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })];
  if (named === undefined) return 'was deleted';
  if (named.ino !== open.ino || named.dev !== open.dev) return 'was replaced';
  if (open.size < size) return 'was cut';
  return open.size > size ? 'was written to by another program' : undefined;
}
