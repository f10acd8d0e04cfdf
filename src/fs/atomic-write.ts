// Saves a file so that it has either the old content or the new one: private, whole and on the disk. Replaces regular
// files only. A save that fails leaves the old content and no temporary file, unless only the sync of its folder fails:
// then the new content is there, and a crash could lose it.

import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { cannotAppend, cannotWrite, hasCode, ioFailure, withIoFailure } from './io-errors.ts';
import { removeStaleTemporaries, temporaryName } from './lock.ts';
import { makePrivateFolder } from './permissions.ts';
import { followLinks, readPart, withFile } from './safe-read.ts';

const RENAME_PAUSE_MS = 20;
/** One second in all. */
const MOST_RENAME_PAUSES = 50;

/**
 * Replaces the content of `path` atomically and durably, with mode 0600; makes a missing folder with 0700. A symbolic
 * link stays and its target is replaced. Rejects other than regular files: a device such as /dev/null would be replaced
 * for all users. The caller holds the lock. Throws `Failure('local_io')` that names the path.
 */
export function saveFile(path: string, content: string | Uint8Array): void {
  replaceFile(path, (temporary) => {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    // Some network folders do not report a full disk at all.
    if (statSync(temporary).size !== Buffer.byteLength(content)) throw cutShort();
    return temporary;
  });
}

export const cutShort = (): Error => new Error('the file was cut short');

/**
 * Replaces a file as `saveFile` does by one that `make` writes: at the temporary name that it is given, or in a folder
 * that it makes there with mode 0700. `make` checks what it wrote, and returns its path.
 */
export function replaceFile(path: string, make: (temporary: string) => string): void {
  withIoFailure(path, cannotWrite, () => {
    const target = followLinks(path);
    makePrivateFolder(dirname(target));
    removeStaleTemporaries(target);
    const temporary = temporaryName(target);
    try {
      const made = make(temporary);
      // Windows syncs only files that are open for writing.
      withFile(made, constants.O_RDWR, fsyncSync);
      renameOver(made, target);
      // The new content is in place.
      withIoFailure(path, cannotAppend, () => syncFolder(dirname(target)));
    } finally {
      // A file that stays is removed later; its error must not hide the reason, as it would from Node 24 on.
      ifPossible(() => rmSync(temporary, { recursive: true, force: true }));
    }
  });
}

/** Throws `Failure('local_io')` if a file could not be saved at `path`, in a folder that exists. Changes nothing. */
export function checkReplaceable(path: string): void {
  withIoFailure(path, cannotWrite, () => {
    const temporary = temporaryName(followLinks(path));
    closeSync(openSync(temporary, 'wx', 0o600));
    rmSync(temporary);
  });
}

/** The first line of a list that `saveList` wrote: a comment for the reader of lists. */
export const LIST_MARK = '# made by social, which replaces this file in a later run\n';

/** Saves lines at a path of the user's, so that a later run may replace them. Throws as `refuseForeignFile` does. */
export function saveList(path: string, lines: readonly string[]): void {
  refuseForeignFile(path);
  saveFile(path, lines.length === 0 ? '' : `${LIST_MARK}${lines.join('')}`);
}

/**
 * Throws `Failure('local_io')` if the path, or the end of its links, has anything but a list that `saveList` wrote, or
 * an empty file: nothing is lost with these. `isOwn` knows other files that this program made, and that are as it made them.
 * A read-only file is kept too, because its user protected it.
 */
export function refuseForeignFile(path: string, isOwn = (): boolean => false): void {
  withIoFailure(path, cannotWrite, () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isFile() && (found.mode & ANY_WRITE) === 0)
      throw ioFailure(`cannot write ${path}: it is read-only`);
    const start = readPart(path, LIST_MARK.length, 'start');
    if (start !== '' && start !== LIST_MARK && !isOwn())
      throw ioFailure(`cannot write ${path}: it exists, and social did not make it`);
  });
}

const ANY_WRITE = 0o222;

/** Retries on Windows, which refuses a rename while a virus scanner has the target open. */
function renameOver(from: string, to: string): void {
  for (let pauses = 0; ; pauses++) {
    try {
      return renameSync(from, to);
    } catch (error) {
      const isTransient = platform() === 'win32' && hasCode(error, ['EPERM', 'EBUSY', 'EACCES']);
      if (!isTransient || pauses >= MOST_RENAME_PAUSES) throw error;
      // Sleeps without giving up the thread, because saving is synchronous.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RENAME_PAUSE_MS);
    }
  }
}

/**
 * Syncs a folder, so that a new name in it survives a power cut. Systems that cannot sync a folder fail with these
 * codes.
 */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!hasCode(error, ['EISDIR', 'EINVAL', 'EPERM', 'EACCES', 'ENOTSUP'])) throw error;
  }
}
