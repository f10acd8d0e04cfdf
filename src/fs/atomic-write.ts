// Saves a file so that it has either the old content or the new one: private, whole and on the disk. Replaces regular
// files only; a failed save leaves the old content and no temporary file.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { cannotWrite, hasCode, ioFailure, withIoFailure } from './io-errors.ts';
import { removeStaleTemporaries, temporaryName } from './lock.ts';
import { makePrivateFolder } from './permissions.ts';
import { followLinks, readPart } from './safe-read.ts';

const RENAME_PAUSE_MS = 20;
/** One second in all. */
const MOST_RENAME_PAUSES = 50;

/**
 * Replaces the content of `path` atomically and durably, with mode 0600; makes a missing folder with 0700. A symbolic
 * link stays and its target is replaced. Throws `Failure('local_io')` that names the path.
 */
export function saveFile(path: string, content: string | Uint8Array): void {
  withIoFailure(path, cannotWrite, () => makePrivateFolder(dirname(followLinks(path))));
  const replacement = startReplacement(path);
  try {
    replacement.add(content);
    replacement.finish();
  } finally {
    replacement.drop();
  }
}

/** The number of bytes at the start of a file by which `refuseForeignFile` recognises it. */
const JUDGED_BYTES = 64 * 1024;

/**
 * Throws `Failure('local_io')` if the file at `path` was not made by this program. `isOwnLine` recognises our lines;
 * without it, any existing file is refused. An empty file is not, because nothing is lost with it.
 */
export function refuseForeignFile(path: string, isOwnLine?: (line: string) => boolean): void {
  withIoFailure(path, cannotWrite, () => {
    if (!existsSync(path)) return;
    const start = isOwnLine === undefined ? '' : readPart(path, JUDGED_BYTES, 'start');
    const lines = start.split('\n');
    // The last line is empty, or may be cut.
    if (lines.length > 1) lines.pop();
    if (isOwnLine !== undefined && (start === '' || lines.every(isOwnLine))) return;
    throw ioFailure(`cannot write ${path}: it exists, and social did not make it`);
  });
}

export type Replacement = ReturnType<typeof startReplacement>;

/**
 * Starts a private file (0600) that is written in parts, and replaces the one at `path`, or at the end of its links,
 * only once it is whole. Rejects other than regular files: a folder would fail only at the end, and a device such as
 * /dev/null would be replaced for all users. The caller holds the lock. All functions but `drop` throw
 * `Failure('local_io')`.
 */
export function startReplacement(path: string) {
  const writing = <T>(step: () => T): T => withIoFailure(path, cannotWrite, step);
  const target = writing(() => followLinks(path));
  const temporary = temporaryName(target);
  const fd = writing(() => {
    removeStaleTemporaries(target);
    return openSync(temporary, 'wx', 0o600);
  });
  let size = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    add: (content: string | Uint8Array) => writing(() => void (size += writeAll(fd, content))),
    /** Renames it over the old file, durably. */
    finish: () =>
      writing(() => {
        // Some network folders report a full disk only at the sync, or not at all.
        if (fstatSync(fd).size !== size) throw new Error('the file was cut short');
        fsyncSync(fd);
        close();
        renameOver(temporary, target);
        syncFolder(dirname(target));
      }),
    /** Deletes it and leaves the old file unchanged; does nothing after `finish`. */
    drop() {
      try {
        close();
      } finally {
        rmSync(temporary, { force: true });
      }
    },
  };
}

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

/** Writes all of a content: one system call may write less. Returns its length in bytes. */
function writeAll(fd: number, content: string | Uint8Array): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
  return bytes.length;
}
