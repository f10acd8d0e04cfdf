// Decides whether a file or a folder may be read, trusted or used: by its owner, its mode and the folders on the way to
// it. Windows has neither owners nor modes that Node could ask for. There it must be in the user's own profile, from
// which the system keeps other users out.

import {
  accessSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import {
  dirname,
  isAbsolute,
  join,
  parse,
  type PlatformPath,
  relative,
  resolve,
  sep,
} from 'node:path';
import { cannotRead, codeOf, hasCode, ioFailure } from './io-errors.ts';
import { currentUser, profileFolders } from './lock-owner.ts';

const native = { isAbsolute, parse, relative, sep };

const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o077;
/** As many as the system follows. */
const MAX_LINKS = 40;
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

/** It belongs to this user, and no other may read it. */
export function checkPrivate(path: string, { mode, uid }: Stats): void {
  const own = currentUser();
  if (own === undefined) return checkInProfile(path, 'read');
  if (uid !== own.uid) throw ioFailure(`refusing to read ${path}: it belongs to another user`);
  if ((mode & OTHERS) !== 0)
    throw ioFailure(`refusing to read ${path}: mode ${formatMode(mode)}, run chmod 600 ${path}`);
}

/** The same, or the superuser's and writable by nobody. */
export function checkHanded(path: string, found: Stats): void {
  if (!isHanded(path, found)) checkPrivate(path, found);
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

/** Checks the open file, then the way to it: a file that was swapped in between fails the second check. */
export function checkTrusted(path: string, { uid, mode }: Stats): void {
  if (currentUser() === undefined) return checkInProfile(path, 'read');
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${path}: it belongs to another user (${uid})`);
  if (isWritableByOthers(mode))
    throw ioFailure(
      `refusing to read ${path}: others may write it (mode ${formatMode(mode)}), run chmod go-w ${path}`,
    );
  checkWay(path);
}

/** Checks each folder from the root on, and those that links lead through. */
function checkWay(file: string): void {
  let links = 0;
  const walk = (path: string): void => {
    const parts = path.split(sep);
    for (let i = 1; i <= parts.length; i++) {
      const at = parts.slice(0, i).join(sep) || sep;
      const found = lstatSync(at);
      if (found.isSymbolicLink()) {
        checkOwner(file, at, found);
        if (++links > MAX_LINKS) throw ioFailure(`cannot read ${file}: too many symbolic links`);
        const target = resolve(dirname(at), readlinkSync(at));
        walk(join(target, ...parts.slice(i)));
        return;
      }
      checkOnWay(file, at, found);
    }
  };
  walk(resolve(file));
}

function checkOwner(file: string, at: string, { uid }: Stats): void {
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${file}: ${at} belongs to another user (${uid})`);
}

/**
 * In a sticky folder every user may make files, and nobody may replace those of others: there the next owner decides.
 */
function checkOnWay(file: string, at: string, found: Stats): void {
  checkOwner(file, at, found);
  const { mode, gid } = found;
  if ((mode & STICKY) !== 0) return;
  const open = (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && !isPrivateGroup(gid));
  if (open)
    throw ioFailure(
      `refusing to read ${file}: others can write to ${at} (mode ${formatMode(mode)}), run chmod go-w ${at}`,
    );
}

/**
 * Whether a group is this user alone, as most Linux systems make one for each user: then their folders are often
 * writable by it. It has the user's number, is the user's own, and has no other member. That of the superuser counts
 * too.
 */
function isPrivateGroup(gid: number): boolean {
  const own = currentUser();
  if (gid === 0) return true;
  return own !== undefined && gid === own.gid && gid === own.uid && !hasOtherMembers(gid);
}

function hasOtherMembers(gid: number): boolean {
  try {
    return listsOthers(readFileSync('/etc/group', 'utf8'), gid);
  } catch {
    return true;
  }
}

/** Whether a list of groups, as in `/etc/group`, has a member of this one who is not called like it. */
export function listsOthers(groups: string, gid: number): boolean {
  return groups.split('\n').some((line) => {
    const [name, , number, members = ''] = line.split(':');
    return (
      number === String(gid) && members.split(',').some((each) => each !== '' && each !== name)
    );
  });
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

/** Whether a folder is this user's alone to write to; a link to one is not. */
export function isOwnFolder(path: string): boolean {
  const own = currentUser();
  if (own === undefined) return isWithin(realPathOf(path), profileFolders().map(realPathOf));
  const { mode, uid } = lstatSync(path);
  return uid === own.uid && !isWritableByOthers(mode);
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
