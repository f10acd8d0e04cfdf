// Reads files that hold secrets: only from a file of this user that nobody else may read.
// Looks at the open descriptor, so that what was checked is what is read.

import { closeSync, constants, fstatSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { openRegular, readRange } from './regular.ts';
import { cannotRead, codeOf, failure } from './trouble.ts';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * The bytes of a private file, or undefined when there is none. Throws `Failure('local_io')` when group or
 * others may read it, when it belongs to another user, or when it holds more than `maxBytes`.
 */
export function readPrivate(path: string, maxBytes: number): Buffer | undefined {
  try {
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      const { mode, uid } = fstatSync(fd);
      if (!isOurs(uid)) throw failure(`refusing to read ${path}: it belongs to another user`);
      if ((mode & OTHERS) !== 0) {
        throw failure(`refusing to read ${path}: mode ${octal(mode)}, run chmod 600 ${path}`);
      }
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

/** Throws `Failure('local_io')` when others may write into a folder: they could put any file there. */
export function checkFolder(path: string): void {
  const mode = modeOf(path);
  if ((mode & OTHERS_WRITE) === 0) return;
  throw failure(`refusing to use ${path}: mode ${octal(mode)}, run chmod 700 ${path}`);
}

/**
 * Throws `Failure('local_io')` when the superuser is about to write into a place of another user (sudo with that
 * user's HOME): what it leaves there could not be read by its owner any more.
 */
export function checkPlace(folder: string): void {
  if (userInfo().uid !== 0) return;
  let at = folder;
  while (dirname(at) !== at && statSync(at, { throwIfNoEntry: false }) === undefined)
    at = dirname(at);
  const { uid } = statSync(at);
  if (uid !== 0)
    throw failure(
      `refusing to write into ${folder}: ${at} belongs to user ${uid}; run as that user`,
    );
}

/** 0 where there is no folder, also because a part of the path is none. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return 0;
    throw cannotRead(path, error);
  }
}

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** On Windows there is no owner to compare. */
function isOurs(uid: number): boolean {
  const own = userInfo().uid;
  return own < 0 || uid === own;
}
