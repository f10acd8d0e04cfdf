// Reads files that hold secrets: only from a file of this user that nobody else may read, or from one that somebody
// more trusted has put there. Looks at the open descriptor, so that what was checked is what is read.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { cannotRead, codeOf, failure, notRegular } from './io-errors.ts';
import { ownUser } from './lock-owner.ts';
import { isTrusted, octal } from './trust.ts';

// Opens and reads regular files. Refuses folders, pipes and devices by looking at the open descriptor,
// so that nothing can be swapped in between, and never blocks on a pipe.

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

/**
 * The bytes of a file, or undefined when there is none. Throws `Failure('local_io')` when the path is not a
 * regular file, cannot be read, or holds more than `maxBytes`.
 */
export function readIfPresent(path: string, maxBytes: number): Buffer | undefined {
  try {
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      return readAtMost(fd, path, maxBytes);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw cannotRead(path, error);
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

// One byte past the size is asked for: a file in /proc says it is empty, and any file may have grown.
function readAtMost(fd: number, path: string, maxBytes: number): Buffer {
  const bytes = readRange(fd, 0, maxBytes + 1);
  if (bytes.length > maxBytes) throw failure(`${path} is larger than ${maxBytes} bytes`);
  return bytes;
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

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const WRITE = 0o222;

/**
 * The bytes of a private file, or undefined when there is none. Throws `Failure('local_io')` when group or
 * others may read it, when it belongs to another user, or when it holds more than `maxBytes`.
 */
export function readPrivate(path: string, maxBytes: number): Buffer | undefined {
  return read(path, maxBytes, checkOwn);
}

/**
 * The same of a file that may have been handed to this user, as containers get their secrets: it belongs to the
 * superuser, and neither this user nor anybody else may write it, whoever may read it.
 */
export function readHanded(path: string, maxBytes: number): Buffer | undefined {
  return read(path, maxBytes, (at, found) => {
    if (!isHanded(at, found)) checkOwn(at, found);
  });
}

function read(
  path: string,
  maxBytes: number,
  check: (path: string, found: Stats) => void,
): Buffer | undefined {
  try {
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      check(path, fstatSync(fd));
      const bytes = readRange(fd, 0, maxBytes + 1);
      if (bytes.length > maxBytes) throw failure(`${path} is larger than ${maxBytes} bytes`);
      return bytes;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw cannotRead(path, error);
  }
}

function checkOwn(path: string, { mode, uid }: Stats): void {
  const own = ownUser();
  if (own !== undefined && uid !== own.uid)
    throw failure(`refusing to read ${path}: it belongs to another user`);
  if ((mode & OTHERS) !== 0)
    throw failure(`refusing to read ${path}: mode ${octal(mode)}, run chmod 600 ${path}`);
}

/** To the superuser the modes forbid nothing: there a file that nobody is to write, or a place where nobody can, tells. */
function isHanded(path: string, { mode, uid }: Stats): boolean {
  const own = ownUser();
  if (own === undefined || uid !== 0 || (mode & OTHERS_WRITE) !== 0) return false;
  return own.uid !== 0 || (mode & WRITE) === 0 || isReadOnly(path);
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EROFS';
  }
}

/** Throws `Failure('local_io')` when others may write into a folder: they could put any file there. */
export function checkFolder(path: string): void {
  const found = folderAt(path);
  if (found === undefined || ownUser() === undefined) return;
  if (!isTrusted(found.uid))
    throw failure(`refusing to use ${path}: it belongs to another user (${found.uid})`);
  if ((found.mode & OTHERS_WRITE) === 0) return;
  throw failure(`refusing to use ${path}: mode ${octal(found.mode)}, run chmod 700 ${path}`);
}

/**
 * Throws `Failure('local_io')` when the superuser is about to write into a place of another user (sudo with that
 * user's HOME): what it leaves there could not be read by its owner any more.
 */
export function checkPlace(folder: string): void {
  if (ownUser()?.uid !== 0) return;
  let at = folder;
  while (dirname(at) !== at && statSync(at, { throwIfNoEntry: false }) === undefined)
    at = dirname(at);
  const { uid } = statSync(at);
  if (uid !== 0)
    throw failure(
      `refusing to write into ${folder}: ${at} belongs to user ${uid}; run as that user`,
    );
}

/** Nothing where there is no folder, also because a part of the path is none. */
function folderAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw cannotRead(path, error);
  }
}
