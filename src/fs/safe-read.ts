// Opens and reads regular files. Refuses folders, pipes and devices by looking at the open descriptor,
// so that nothing can be swapped in between, and never blocks on a pipe.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { cannotRead, codeOf, ioFailure, notRegular } from './io-errors.ts';

/**
 * Opens a regular file and returns its descriptor. `flags` are those of `open(2)`; a file that they create
 * has mode 0600. Throws the system's error, or a `Failure` when the path is no regular file.
 */
export function openRegular(path: string, flags: number): number {
  const fd = open(path, flags | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** How a file is read: what is asked of it once it is open, and which errors of the system mean that there is none. */
interface Reading {
  readonly maxBytes: number;
  /** Throws where the open file is not to be read. */
  readonly check?: (path: string, found: Stats) => void;
  readonly missing?: readonly string[];
}

/**
 * The bytes of a file, or undefined when there is none. Throws `Failure('local_io')` when the path is not a
 * regular file, cannot be read, fails the check, or holds more than `maxBytes`.
 */
export function readRegular(path: string, reading: Reading): Buffer | undefined {
  const { maxBytes, check, missing = ['ENOENT', 'ENOTDIR'] } = reading;
  try {
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      check?.(path, fstatSync(fd));
      // One byte past the size is asked for: a file in /proc says it is empty, and any file may have grown.
      const bytes = readRange(fd, 0, maxBytes + 1);
      if (bytes.length > maxBytes) throw ioFailure(`${path} is larger than ${maxBytes} bytes`);
      return bytes;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (missing.includes(codeOf(error) ?? '')) return undefined;
    throw cannotRead(path, error);
  }
}

/** `readRegular` without a check. */
export const readIfPresent = (path: string, maxBytes: number): Buffer | undefined =>
  readRegular(path, { maxBytes });

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

function open(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    // A socket, or a pipe that nobody reads, answers ENXIO; a folder opened for writing EISDIR.
    const code = codeOf(error);
    if (code === 'ENXIO' || code === 'EISDIR') throw notRegular(path);
    throw error;
  }
}
