// Decides whether a file or a folder may be read, trusted or used: by its owner and mode, and those of its folder.
// Windows has neither owners nor modes that Node could ask for. There it must be in the user's own profile, from which
// the system keeps other users out.

import {
  accessSync,
  constants,
  fchmodSync,
  fstatSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, isAbsolute, parse, type PlatformPath, relative, resolve, sep } from 'node:path';
import { cannotRead, codeOf, hasCode, ioFailure } from './io-errors.ts';
import { currentUser, profileFolders } from './lock-owner.ts';

const native = { isAbsolute, parse, relative, sep };

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o077;
const ABSENT = ['ENOENT', 'ENOTDIR'];

/** Gives an open file mode 0600 where it has another one, and where there are modes. */
export function keepPrivate(fd: number): void {
  if (currentUser() !== undefined && (fstatSync(fd).mode & OTHERS) !== 0) fchmodSync(fd, 0o600);
}

/** Whether one of the folders has `path` in it, or is it. A root is nobody's own folder. */
export function isWithin(
  path: string,
  folders: readonly string[],
  way: Pick<PlatformPath, 'isAbsolute' | 'parse' | 'relative' | 'sep'> = native,
): boolean {
  return folders.some((folder) => {
    const rest = way.relative(folder, path);
    const leaves = rest === '..' || rest.startsWith(`..${way.sep}`) || way.isAbsolute(rest);
    return way.parse(folder).root !== folder && !leaves;
  });
}

/** Throws `Failure('local_io')` for what is not in the profile of this user, wherever links lead. */
function checkInProfile(path: string, doing: 'read' | 'use'): void {
  const [real, ...folders] = [path, ...profileFolders()].map(realPathOf);
  if (isWithin(real!, folders)) return;
  throw ioFailure(
    `refusing to ${doing} ${path}: other users may read or change what is outside ${folders[0]}; move it there`,
  );
}

/** The name that the system has for it: without links, short names and other capitals. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (hasCode(error, ABSENT)) return resolve(path);
    throw error;
  }
}

/**
 * It belongs to this user, and no other may read it; or it was handed to this user, as containers get their secrets: it
 * belongs to the superuser, and neither this user nor any other may write it, whoever may read it.
 */
export function checkPrivate(path: string, found: Stats): void {
  const own = currentUser();
  if (own === undefined) return checkInProfile(path, 'read');
  if (isHanded(path, found)) return;
  const { mode, uid } = found;
  if (uid !== own.uid) throw ioFailure(`refusing to read ${path}: it belongs to another user`);
  if ((mode & OTHERS) !== 0)
    throw ioFailure(`refusing to read ${path}: mode ${formatMode(mode)}, run chmod 600 ${path}`);
}

/**
 * Modes forbid nothing to the superuser: for that user it takes a file without a write bit, or a read-only file system.
 */
function isHanded(path: string, { mode, uid }: Stats): boolean {
  const own = currentUser();
  if (own === undefined || uid !== 0 || isWritableByOthers(mode)) return false;
  return own.uid !== 0 || (mode & 0o222) === 0 || isOnReadOnlySystem(path);
}

function isOnReadOnlySystem(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EROFS';
  }
}

/** Checks the open file, and the folder that it is really in: nobody else may have put it there. */
export function checkTrusted(path: string, { uid, mode }: Stats): void {
  if (currentUser() === undefined) return checkInProfile(path, 'read');
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${path}: it belongs to another user (${uid})`);
  if (isWritableByOthers(mode))
    throw ioFailure(
      `refusing to read ${path}: others may write it (mode ${formatMode(mode)}), run chmod go-w ${path}`,
    );
  checkFolder(dirname(realPathOf(path)));
}

/** Whether a user is this one or the superuser. */
export const isTrusted = (uid: number): boolean => uid === currentUser()?.uid || uid === 0;

const isWritableByOthers = (mode: number): boolean => (mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0;

export const formatMode = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** Throws `Failure('local_io')` when others may write into a folder: they could put any file there. */
export function checkFolder(path: string): void {
  const found = folderAt(path);
  if (found === undefined) return;
  if (currentUser() === undefined) return checkInProfile(path, 'use');
  if (!isTrusted(found.uid))
    throw ioFailure(`refusing to use ${path}: it belongs to another user (${found.uid})`);
  if (isWritableByOthers(found.mode))
    throw ioFailure(
      `refusing to use ${path}: mode ${formatMode(found.mode)}, run chmod 700 ${path}`,
    );
}

/** Undefined where there is no folder, also because a part of the path is none. */
function folderAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (hasCode(error, ABSENT)) return undefined;
    throw cannotRead(path, error);
  }
}

/**
 * Throws `Failure('local_io')` when the superuser is about to write into a folder of another user (sudo with that
 * user's HOME): that user could no longer read the files.
 */
export function checkWritableBy(folder: string): void {
  if (currentUser()?.uid !== 0) return;
  let at = folder;
  let found = folderAt(at);
  // It ends at the root.
  while (found === undefined) {
    at = dirname(at);
    found = folderAt(at);
  }
  if (found.uid !== 0)
    throw ioFailure(
      `refusing to write into ${folder}: ${at} belongs to user ${found.uid}; run as that user`,
    );
}
