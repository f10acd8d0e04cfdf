// Saves a file so that there is only ever the old content or the new one: private, whole and on the disk.
// Refuses to replace anything but a regular file; a failed save leaves the old content and no remains.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { cannotWrite, codeOf, ioFailure, notRegular } from './io-errors.ts';
import { isRunning, processId } from './lock-owner.ts';

// Private folders. Made step by step: Node's own recursive way never ends where a system lets nobody in (/proc).

/** Makes a folder with mode 0700, parents too, where it is missing. Throws `Failure('local_io')`. */
export function makePrivateFolder(path: string): void {
  try {
    make(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function make(path: string): void {
  if (isFolder(path) || made(path)) return;
  const parent = dirname(path);
  if (parent === path) throw Object.assign(new Error(path), { code: 'ENOENT' });
  make(parent);
  // Missing again only where someone takes the folders away as fast as they are made.
  if (!made(path)) throw Object.assign(new Error(path), { code: 'ENOENT' });
}

/** False when the parent is missing; another process that was quicker has made it as well. */
function made(path: string): boolean {
  try {
    mkdirSync(path, 0o700);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && isFolder(path)) return true;
    throw error;
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

// Temporary files: how they are named, and how those of dead writers are found again and removed.

const NAME_END = /(?:^|\.)(\d+)-[0-9a-f]+\.tmp$/;

/** A name beside `target` that says whose it is; `nonce` is hexadecimal and used once. */
export function temporaryName(target: string, nonce: string): string {
  return join(dirname(target), `.${basename(target)}.${processId()}-${nonce}.tmp`);
}

/** Removes what writers of `target`, and of its lock, left when they died. Those of the living stay. */
export function removeStaleTemporaries(target: string): void {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.`;
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = NAME_END.exec(name.slice(prefix.length))?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      fs.rmSync(join(folder, name), { force: true });
  }
}

const MAX_LINKS = 40;
const RENAME_PATIENCE_MS = 1000;

/**
 * Replaces the content of `path` at once and durably, mode 0600, its folder made with 0700 when it is missing.
 * A symbolic link stays and its target is replaced. Throws `Failure('local_io')` that names the path.
 */
export function saveFile(path: string, content: string | Uint8Array): void {
  try {
    const target = followLinks(path);
    const folder = dirname(target);
    makePrivateFolder(folder);
    removeStaleTemporaries(target);
    const temporary = temporaryName(target, randomBytes(6).toString('hex'));
    try {
      writeDurably(temporary, typeof content === 'string' ? Buffer.from(content) : content);
      renameOver(temporary, target);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    syncFolder(folder);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Where a path leads when links are followed, also when nothing is there yet. Throws `Failure('local_io')`. */
export function followLinks(path: string): string {
  let at = path;
  for (let hops = 0; hops < MAX_LINKS; hops++) {
    const seen = fs.lstatSync(at, { throwIfNoEntry: false });
    if (seen === undefined || seen.isFile()) return at;
    if (!seen.isSymbolicLink()) throw notRegular(path);
    at = resolve(dirname(at), fs.readlinkSync(at));
  }
  throw ioFailure(`cannot write ${path}: too many symbolic links`);
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const fd = fs.openSync(path, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
    checkFullyWritten(fd, bytes.length);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Some network folders report a full disk only when the file is synced, or not at all. */
export function checkFullyWritten(fd: number, size: number): void {
  if (fs.fstatSync(fd).size !== size) throw new Error('it came out cut short');
}

/** Windows refuses a rename while a scanner has the target open: that passes within moments. */
function renameOver(from: string, to: string): void {
  const giveUp = performance.now() + RENAME_PATIENCE_MS;
  for (;;) {
    try {
      return fs.renameSync(from, to);
    } catch (error) {
      const passing =
        platform() === 'win32' && ['EPERM', 'EBUSY', 'EACCES'].includes(codeOf(error) ?? '');
      if (!passing || performance.now() > giveUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** A new name in a folder must outlast a power cut. Systems that cannot sync a folder say so in these ways. */
export function syncFolder(folder: string): void {
  try {
    const fd = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (!['EISDIR', 'EINVAL', 'EPERM', 'EACCES', 'ENOTSUP'].includes(codeOf(error) ?? ''))
      throw error;
  }
}

// A file that is written little by little and takes its name only when it is whole: until then the old one stays.
// Private (0600), like all that may hold texts of a user.

export interface Replacement {
  /** Adds text. Throws `Failure('local_io')`. */
  add(text: string): void;
  /** Puts it in the place of the old file, durably. Throws `Failure('local_io')`. */
  finish(): void;
  /** Leaves the old file as it was; nothing more after `finish`. */
  drop(): void;
}

/**
 * Starts a file that will replace the one at `named`, or at the end of its links. Refuses what is no regular file: a
 * folder would say so only at the end, and a device such as /dev/null would be replaced for everybody. The caller holds
 * the lock. Throws `Failure('local_io')` where none can be made there.
 */
export function startReplacement(named: string): Replacement {
  const writing = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(named, error);
    }
  };
  const path = writing(() => followLinks(named));
  const temporary = temporaryName(path, randomBytes(6).toString('hex'));
  const fd = writing(() => {
    removeStaleTemporaries(path);
    return openSync(temporary, 'wx', 0o600);
  });
  let open = true;
  let size = 0;
  return {
    add: (text) =>
      writing(() => {
        const bytes = Buffer.from(text);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
        size += bytes.length;
      }),
    finish: () =>
      writing(() => {
        checkFullyWritten(fd, size);
        fsyncSync(fd);
        closeSync(fd);
        open = false;
        renameSync(temporary, path);
        syncFolder(dirname(path));
      }),
    drop: () => {
      if (!open) return;
      open = false;
      closeSync(fd);
      rmSync(temporary, { force: true });
    },
  };
}
