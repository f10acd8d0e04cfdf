// Opens and reads regular files. Checks the open descriptor, so that nothing can be swapped in between, and never
// blocks on a pipe.

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  truncateSync,
} from 'node:fs';
import { cannotRead, codeOf, hasCode, ioFailure, notRegular } from './io-errors.ts';
import { checkPrivate, checkTrusted } from './permissions.ts';

/**
 * Opens a regular file and returns its descriptor. `flags` are those of `open(2)`; a file that they create
 * has mode 0600. Throws the system's error, or a `Failure` when the path is no regular file.
 */
export function openRegular(path: string, flags: number): number {
  let fd: number;
  try {
    // Windows has no such flag, and no pipe among its files.
    fd = openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600);
  } catch (error) {
    // A socket, or a pipe that nobody reads, answers ENXIO; a folder opened for writing EISDIR.
    if (hasCode(error, ['ENXIO', 'EISDIR'])) throw notRegular(path);
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** Does work on an open regular file, and closes it. Throws as `openRegular` does. */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openRegular(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of an open file from `start` to `end`, fewer when the file ends before. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, start + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** The text of the first or the last bytes of a regular file, at most `most`. Throws as `openRegular` does. */
export function readPart(path: string, most: number, from: 'start' | 'end'): string {
  return withFile(path, constants.O_RDONLY, (fd) => {
    const start = from === 'start' ? 0 : Math.max(0, fstatSync(fd).size - most);
    return readRange(fd, start, start + most).toString('utf8');
  });
}

/** Cuts the open file at `path`. Windows cuts none that is open for appending, so there it is opened once more. */
export function cutFile(fd: number, path: string, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
    truncateSync(path, size);
  }
}

const ABSENT = ['ENOENT', 'ENOTDIR'];

/** The rules for reading a file, and the errors of the system that mean there is none. */
const requirements = {
  regular: { check: () => undefined, absent: ABSENT },
  /** Nobody whom this user does not trust could have written it, or have put another in its place. */
  trusted: { check: checkTrusted, absent: ABSENT },
  /** A file of secrets: nobody less trusted could have read or written it. */
  private: { check: checkPrivate, absent: ['ENOENT'] },
} satisfies Record<string, { check: (path: string, found: Stats) => void; absent: string[] }>;

/**
 * The bytes of a file, or undefined when there is none. Throws `Failure('local_io')` when it is not what is required,
 * cannot be read, or holds more than `maxBytes`.
 */
export function readIfPresent(
  path: string,
  maxBytes: number,
  required: keyof typeof requirements = 'regular',
): Buffer | undefined {
  const { check, absent } = requirements[required];
  try {
    return withFile(path, constants.O_RDONLY, (fd) => {
      check(path, fstatSync(fd));
      // One byte past the limit is asked for: a file in /proc says it is empty, and any file may have grown.
      const bytes = readRange(fd, 0, maxBytes + 1);
      if (bytes.length > maxBytes) throw ioFailure(`${path} is larger than ${maxBytes} bytes`);
      return bytes;
    });
  } catch (error) {
    if (hasCode(error, absent)) return undefined;
    throw cannotRead(path, error);
  }
}
