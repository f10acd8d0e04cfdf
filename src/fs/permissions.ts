// Decides by owner and mode whether a file or a folder may be read, trusted or used. It also makes files and folders of
// this program private, and names the user of this process. Windows has neither owners nor modes that Node can read, so
// there a file must be in the user's own profile, from which the system keeps other users out.

import {
  accessSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import {
  cannotRead,
  cannotWrite,
  hasCode,
  ifPresent,
  ioFailure,
  withIoFailure,
} from './io-errors.ts';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const ANYBODY_WRITES = 0o222;
const GROUP_OR_OTHERS = 0o077;

/**
 * Accepts a file of this user that no other may read. Containers mount secrets as files of the superuser that all may
 * read: such a file is accepted if no other may write it, and for the superuser itself if it is read-only.
 */
export function checkPrivate(path: string, { mode, uid }: Stats): void {
  const user = currentUser();
  if (user === undefined) return checkInProfile(path, 'read');
  const writers = user === 0 ? ANYBODY_WRITES : GROUP_WRITES | OTHERS_WRITE;
  if (uid === 0 && (mode & writers) === 0) return;
  const shown = formatMode(mode);
  if (uid !== user)
    throw ioFailure(
      `refusing to read ${path}: it belongs to another user (${uid}, mode ${shown}); ${MOUNT_PRIVATE}, and fsGroup for a user that is not root)`,
    );
  if ((mode & GROUP_OR_OTHERS) === 0) return;
  const what = `refusing to read ${path}: mode ${shown}`;
  if (isOnReadOnlyDisk(path)) throw ioFailure(`${what}; ${MOUNT_PRIVATE})`);
  throw ioFailure(what).with({ next: ['chmod', '600', path] });
}

/** The advice where `chmod` is impossible: for another user, and on the read-only disk of a mounted secret. */
const MOUNT_PRIVATE =
  'if it is a mounted secret, mount it with mode 0400 (in Kubernetes defaultMode: 0400';

const isOnReadOnlyDisk = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return hasCode(error, ['EROFS']);
  }
};

/** Checks the open file and the folder that it is really in: no other user may be able to write either. */
export function checkTrusted(path: string, found: Stats): void {
  checkWriters(path, found, 'read');
  if (currentUser() !== undefined) checkFolder(dirname(realPathOf(path)));
}

/** Throws `Failure('local_io')` if others may write into a folder: they could put any file there. It may be missing. */
export function checkFolder(path: string): void {
  const found = folderAt(path);
  if (found !== undefined) checkWriters(path, found, 'use');
}

function checkWriters(path: string, { uid, mode }: Stats, doing: 'read' | 'use'): void {
  if (currentUser() === undefined) return checkInProfile(path, doing);
  if (uid !== currentUser() && uid !== 0)
    throw ioFailure(`refusing to ${doing} ${path}: it belongs to another user (${uid})`);
  if ((mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0)
    throw ioFailure(
      `refusing to ${doing} ${path}: others may write it (mode ${formatMode(mode)})`,
    ).with({ next: ['chmod', 'go-w', path] });
}

/** Throws `Failure('local_io')` for a path outside of the profile of this user, after following links. */
function checkInProfile(path: string, doing: 'read' | 'use'): void {
  const realPath = realPathOf(path);
  const folders = profileFolders().map(realPathOf);
  if (folders.some((folder) => `${realPath}${sep}`.startsWith(`${folder}${sep}`))) return;
  throw ioFailure(
    `refusing to ${doing} ${path}: other users may read or change what is outside ${folders[0]}; move it there`,
  );
}

/** Resolves links, Windows short names and other spellings to the real path. */
const realPathOf = (path: string): string =>
  ifPresent(() => realpathSync.native(path)) ?? resolve(path);

/** The folders that Windows reserves for one user. The last two may be on another drive or a server. */
export const profileFolders = (): readonly string[] =>
  [homedir(), process.env['APPDATA'] ?? '', process.env['LOCALAPPDATA'] ?? ''].filter((folder) =>
    isAbsolute(folder),
  );

const formatMode = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

/** Returns `undefined` if there is no such folder. */
const folderAt = (path: string): Stats | undefined =>
  withIoFailure(path, cannotRead, () => ifPresent(() => statSync(path)));

/**
 * Throws `Failure('local_io')` if the superuser is about to write into a folder of another user (sudo with that user's
 * HOME): that user could no longer read the files.
 */
export function checkWriteAsRoot(folder: string): void {
  if (currentUser() !== 0) return;
  const found = folderAt(folder);
  if (found === undefined) return checkWriteAsRoot(dirname(folder));
  if (found.uid !== 0)
    throw ioFailure(
      `refusing to write into ${folder}: it belongs to user ${found.uid}; run as that user`,
    );
}

/** Gives an open file mode 0600 if others may use it, except on Windows. */
export function keepPrivate(fd: number): void {
  if (currentUser() !== undefined && (fstatSync(fd).mode & GROUP_OR_OTHERS) !== 0)
    fchmodSync(fd, 0o600);
}

/**
 * Makes a folder with mode 0700, and its parents, if it is missing. Makes one at a time, because the recursive option of
 * Node reports a read-only disk as a missing folder. Throws `Failure('local_io')`.
 */
export function makePrivateFolder(path: string): void {
  withIoFailure(path, cannotWrite, () => makeFolder(path));
}

function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Returns the effective user ID of this process; `undefined` on Windows, where files have neither owner nor mode. */
const currentUser = (): number | undefined => process.geteuid?.();

/** Returns the name of the program that started this process: `zsh`. Only Linux tells it. */
export const parentName = (): string | undefined =>
  ifPossible(() => readFileSync(`/proc/${process.ppid}/comm`, 'utf8').trim());

/** Names the user of this process and this machine. With sudo it names both users: `anna as deploy`. */
export function whoAndWhere(sudoUser: string | undefined): {
  readonly user: string;
  readonly host: string;
} {
  // Some containers have users without a name.
  const name = ifPossible(() => userInfo().username) ?? `uid ${currentUser() ?? 'unknown'}`;
  const isOther = ![undefined, '', name].includes(sudoUser);
  return { user: isOther ? `${sudoUser} as ${name}` : name, host: hostname() };
}
