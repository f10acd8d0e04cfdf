// Whether a file may be believed: nobody who is trusted less than this user could have written it, nor have put another
// in its place. What the settings say is done with this user's rights: they name a program to run.

import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { currentUser } from './lock-owner.ts';
import { readRegular } from './safe-read.ts';
import { ioFailure } from './io-errors.ts';

const STICKY = 0o1000;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** As many as the system follows. */
const MOST_LINKS = 40;

/**
 * The bytes of a file that is to be believed, or undefined when there is none. Throws `Failure('local_io')` when it, or
 * a folder on the way to it, belongs to somebody but this user and the superuser, or may be written by others.
 */
export function readTrusted(path: string, maxBytes: number): Buffer | undefined {
  return readRegular(path, { maxBytes, check: checkTrusted });
}

/** The open file is looked at, then the way to it: who could swap it in between fails the second. */
function checkTrusted(path: string, found: Stats): void {
  checkFile(path, found);
  checkWay(path);
}

/** Whether a user is this one or the superuser. On Windows there are no owners to compare. */
export function isTrusted(uid: number): boolean {
  const own = currentUser();
  return own === undefined || uid === own.uid || uid === 0;
}

export const formatMode = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');

function checkFile(path: string, { uid, mode }: Stats): void {
  if (currentUser() === undefined) return;
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${path}: it belongs to another user (${uid})`);
  if ((mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0)
    throw ioFailure(
      `refusing to read ${path}: others may write it (mode ${formatMode(mode)}), run chmod go-w ${path}`,
    );
}

/** Looks at each folder from the root on, and at those that links lead through. */
function checkWay(file: string): void {
  if (currentUser() === undefined) return;
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
        if (++links > MOST_LINKS) throw ioFailure(`cannot read ${file}: too many symbolic links`);
        const target = resolve(dirname(at), readlinkSync(at));
        walk(join(target, ...parts.slice(i)));
        return;
      }
      if (found.isDirectory()) checkFolder(file, at, found);
    }
  };
  walk(resolve(file));
}

function checkOwner(file: string, at: string, { uid }: Stats): void {
  if (!isTrusted(uid))
    throw ioFailure(`refusing to read ${file}: ${at} belongs to another user (${uid})`);
}

/** In a sticky folder everybody may make files, and nobody touch those of others: there the next owner decides. */
function checkFolder(file: string, at: string, found: Stats): void {
  checkOwner(file, at, found);
  const { mode, gid } = found;
  if ((mode & STICKY) !== 0) return;
  const open = (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && !isPrivateGroup(gid));
  if (open)
    throw ioFailure(
      `refusing to read ${file}: others may write into ${at} (mode ${formatMode(mode)}), run chmod go-w ${at}`,
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
