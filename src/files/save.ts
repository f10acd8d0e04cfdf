// Saves a file so that there is only ever the old content or the new one: private, whole and on the disk.
// Refuses to replace anything but a regular file; a failed save leaves the old content and no remains.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { makePrivateFolder } from './folder.ts';
import { removeRemains, temporaryName } from './remains.ts';
import { cannotWrite, codeOf, failure, notRegular } from './trouble.ts';

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
    removeRemains(target);
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
  throw failure(`cannot write ${path}: too many symbolic links`);
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const fd = fs.openSync(path, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
    checkWhole(fd, bytes.length);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Some network folders report a full disk only when the file is synced, or not at all. */
export function checkWhole(fd: number, size: number): void {
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
