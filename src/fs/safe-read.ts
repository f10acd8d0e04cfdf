// Opens and reads regular files, and decides whether one may be read or trusted: by its owner, its mode and the folders
// on the way to it. Checks the open descriptor, so that nothing can be swapped in between, and never blocks on a pipe.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { cannotRead, codeOf, ioFailure, notRegular } from './io-errors.ts';
import { currentUser } from './lock-owner.ts';

const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** As many as the system follows. */
const MAX_LINKS = 40;

/**
 * Opens a regular file and returns its descriptor. `flags` are those of `open(2)`; a file that they create
 * has mode 0600. Throws the system's error, or a `Failure` when the path is no regular file.
 */
export function openRegular(path: string, flags: number): number {
  let fd: number;
  try {
    fd = openSync(path, flags | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    // A socket, or a pipe that nobody reads, answers ENXIO; a folder opened for writing EISDIR.
    if (['ENXIO', 'EISDIR'].includes(codeOf(error) ?? '')) throw notRegular(path);
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
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

const ABSENT = ['ENOENT', 'ENOTDIR'];

/** What a file must be to be read, and which errors of the system mean that there is none. */
const requirements = {
  regular: { check: () => undefined, absent: ABSENT },
  /** Nobody whom this user does not trust could have written it, or have put another in its place. */
  trusted: { check: checkTrusted, absent: ABSENT },
  /** It belongs to this user, and no other may read it: a file of secrets. */
  private: { check: checkPrivate, absent: ['ENOENT'] },
  /**
   * The same, or handed to this user, as containers get their secrets: it belongs to the superuser, and neither this
   * user nor any other may write it, whoever may read it.
   */
  handed: { check: checkHanded, absent: ['ENOENT'] },
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
    const fd = openRegular(path, constants.O_RDONLY);
    try {
      check(path, fstatSync(fd));
      // One byte past the limit is asked for: a file in /proc says it is empty, and any file may have grown.
      const bytes = readRange(fd, 0, maxBytes + 1);
      if (bytes.length > maxBytes) throw ioFailure(`${path} is larger than ${maxBytes} bytes`);
      return bytes;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (absent.includes(codeOf(error) ?? '')) return undefined;
    throw cannotRead(path, error);
  }
}

function checkPrivate(path: string, { mode, uid }: Stats): void {
  const own = currentUser();
  if (own !== undefined && uid !== own.uid)
    throw ioFailure(`refusing to read ${path}: it belongs to another user`);
  if ((mode & 0o077) !== 0)
    throw ioFailure(`refusing to read ${path}: mode ${formatMode(mode)}, run chmod 600 ${path}`);
}

function checkHanded(path: string, found: Stats): void {
  if (!isHanded(path, found)) checkPrivate(path, found);
}

/** Modes forbid nothing to the superuser: for that user it takes a file without a write bit, or a read-only file system. */
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
function checkTrusted(path: string, { uid, mode }: Stats): void {
  if (currentUser() === undefined) return;
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
  const seen = new Set<string>();
  let links = 0;
  const walk = (path: string): void => {
    const parts = path.split(sep);
    for (let i = 1; i <= parts.length; i++) {
      const at = parts.slice(0, i).join(sep) || sep;
      if (seen.has(at)) continue;
      seen.add(at);
      const found = lstatSync(at);
      if (found.isSymbolicLink()) {
        checkOwner(file, at, found);
        if (++links > MAX_LINKS) throw ioFailure(`cannot read ${file}: too many symbolic links`);
        const target = resolve(dirname(at), readlinkSync(at));
        walk(join(target, ...parts.slice(i)));
        return;
      }
      if (found.isDirectory()) checkFolderOnWay(file, at, found);
    }
  };
  walk(resolve(file));
}

function checkOwner(file: string, at: string, { uid }: Stats): void {
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${file}: ${at} belongs to another user (${uid})`);
}

/** In a sticky folder every user may make files, and nobody may replace those of others: there the next owner decides. */
function checkFolderOnWay(file: string, at: string, found: Stats): void {
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
 * writable by it. It has the user's number, is the user's own, and has no other member. That of the superuser counts too.
 */
function isPrivateGroup(gid: number): boolean {
  const own = currentUser();
  if (gid === 0) return true;
  return own !== undefined && gid === own.gid && gid === own.uid && !hasOtherMembers(gid);
}

function hasOtherMembers(gid: number): boolean {
  try {
    const groups = readFileSync('/etc/group', 'utf8').split('\n');
    return groups.some((line) => {
      const [name = '', , number, members = ''] = line.split(':');
      return (
        number === String(gid) && members.split(',').some((each) => each !== '' && each !== name)
      );
    });
  } catch {
    return true;
  }
}

/** Whether a user is this one or the superuser. On Windows there are no owners to compare. */
export function isTrusted(uid: number): boolean {
  const own = currentUser();
  return own === undefined || uid === own.uid || uid === 0;
}

const isWritableByOthers = (mode: number): boolean => (mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0;

export const formatMode = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** Throws `Failure('local_io')` when others may write into a folder: they could put any file there. */
export function checkFolder(path: string): void {
  const found = folderAt(path);
  if (found === undefined || currentUser() === undefined) return;
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
    if (ABSENT.includes(codeOf(error) ?? '')) return undefined;
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
  while (found === undefined && dirname(at) !== at) {
    at = dirname(at);
    found = folderAt(at);
  }
  if (found !== undefined && found.uid !== 0)
    throw ioFailure(
      `refusing to write into ${folder}: ${at} belongs to user ${found.uid}; run as that user`,
    );
}
