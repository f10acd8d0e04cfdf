// Opens and reads regular files. Checks the open descriptor, so that the file cannot be swapped in between, and never
// blocks on a pipe.

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  truncateSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  cannotRead,
  codeOf,
  hasCode,
  ifPresent,
  ioFailure,
  notRegular,
  withIoFailure,
} from './io-errors.ts';
import { checkPrivate, checkTrusted } from './permissions.ts';

/**
 * Opens a regular file and returns its descriptor. `flags` are those of `open(2)`; a file that they create has mode
 * 0600. Throws the system's error, or a `Failure` if the path is not a regular file.
 */
export function openRegular(path: string, flags: number): number {
  let fd: number;
  try {
    // Windows has neither this flag nor pipes among its files.
    fd = openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600);
  } catch (error) {
    // A socket, or a pipe without a reader, fails with ENXIO; a folder opened for writing with EISDIR.
    if (hasCode(error, ['ENXIO', 'EISDIR'])) throw notRegular(path);
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** Runs `work` with an open regular file, and closes it. Throws as `openRegular` does. */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openRegular(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Reads the bytes of an open file from `start` to `end`, fewer if the file ends before. */
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

/** Reads the first or the last bytes of a regular file as text, at most `most`. Throws as `openRegular` does. */
export function readPart(path: string, most: number, from: 'start' | 'end'): string {
  return withFile(path, constants.O_RDONLY, (fd) => {
    const start = from === 'start' ? 0 : Math.max(0, fstatSync(fd).size - most);
    return readRange(fd, start, start + most).toString('utf8');
  });
}

/**
 * Cuts the open file at `path`. Windows cannot cut a file that is open for appending, so it is opened once more there.
 */
export function cutFile(fd: number, path: string, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
    truncateSync(path, size);
  }
}

/** The requirements for a file that is read. */
const checks = {
  regular: () => undefined,
  /** The file cannot have been written or replaced by an untrusted user. */
  trusted: checkTrusted,
  /** A file of secrets: no less trusted user can have read or written it. */
  private: checkPrivate,
} satisfies Record<string, (path: string, found: Stats) => void>;

/**
 * Reads a file; `undefined` if there is none. Throws `Failure('local_io')` if it does not meet the requirement, cannot
 * be read, or is larger than `maxBytes`.
 */
export function readIfPresent(
  path: string,
  maxBytes: number,
  required: keyof typeof checks = 'regular',
): Buffer | undefined {
  const read = (fd: number): Buffer => {
    checks[required](path, fstatSync(fd));
    // Reads one byte past the limit: a file in /proc reports size 0, and any file may have grown.
    const bytes = readRange(fd, 0, maxBytes + 1);
    if (bytes.length > maxBytes) throw ioFailure(`${path} is larger than ${maxBytes} bytes`);
    return bytes;
  };
  return withIoFailure(path, cannotRead, () =>
    ifPresent(() => withFile(path, constants.O_RDONLY, read)),
  );
}

/** The limit of Linux. */
const MAX_LINKS = 40;

/** Follows links to their end, which need not exist. Throws `Failure('local_io')`. */
export function followLinks(path: string): string {
  let at = path;
  for (let hops = 0; hops < MAX_LINKS; hops++) {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) return at;
    if (!found.isSymbolicLink()) throw notRegular(path);
    at = resolve(dirname(at), readlinkSync(at));
  }
  throw ioFailure(`cannot write ${path}: too many symbolic links`);
}
