// Files that hold secrets: read only from a file of this user that nobody else may read, or from one that somebody
// more trusted has put there. Looks at the open descriptor, so that what was checked is what is read.

import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotRead, codeOf, ioFailure } from './io-errors.ts';
import { currentUser } from './lock-owner.ts';
import { isTrusted, formatMode } from './trust.ts';
import { readRegular } from './safe-read.ts';

const OTHERS = 0o077;

const OTHERS_WRITE = 0o022;

const WRITE = 0o222;

/**
 * The bytes of a private file, or undefined when there is none. Throws `Failure('local_io')` when group or
 * others may read it, when it belongs to another user, or when it holds more than `maxBytes`.
 */
export function readPrivate(path: string, maxBytes: number): Buffer | undefined {
  return readRegular(path, { maxBytes, check: checkOwn, missing: ['ENOENT'] });
}

/**
 * The same of a file that may have been handed to this user, as containers get their secrets: it belongs to the
 * superuser, and neither this user nor anybody else may write it, whoever may read it.
 */
export function readHanded(path: string, maxBytes: number): Buffer | undefined {
  return readRegular(path, { maxBytes, check: checkHanded, missing: ['ENOENT'] });
}

function checkHanded(path: string, found: Stats): void {
  if (!isHanded(path, found)) checkOwn(path, found);
}

function checkOwn(path: string, { mode, uid }: Stats): void {
  const own = currentUser();
  if (own !== undefined && uid !== own.uid)
    throw ioFailure(`refusing to read ${path}: it belongs to another user`);
  if ((mode & OTHERS) !== 0)
    throw ioFailure(`refusing to read ${path}: mode ${formatMode(mode)}, run chmod 600 ${path}`);
}

/** To the superuser the modes forbid nothing: there a file that nobody is to write, or a place where nobody can, tells. */
function isHanded(path: string, { mode, uid }: Stats): boolean {
  const own = currentUser();
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
  if (found === undefined || currentUser() === undefined) return;
  if (!isTrusted(found.uid))
    throw ioFailure(`refusing to use ${path}: it belongs to another user (${found.uid})`);
  if ((found.mode & OTHERS_WRITE) === 0) return;
  throw ioFailure(`refusing to use ${path}: mode ${formatMode(found.mode)}, run chmod 700 ${path}`);
}

/**
 * Throws `Failure('local_io')` when the superuser is about to write into a place of another user (sudo with that
 * user's HOME): what it leaves there could not be read by its owner any more.
 */
export function checkWritableBy(folder: string): void {
  if (currentUser()?.uid !== 0) return;
  let at = folder;
  let found = folderAt(at);
  while (found === undefined && dirname(at) !== at) {
    at = dirname(at);
    found = folderAt(at);
  }
  if (found !== undefined && found.uid !== 0)
    throw ioFailure(
      `refusing to write into ${folder}: ${at} belongs to user ${found.uid}; run as that user`,
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
