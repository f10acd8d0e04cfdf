// A private file that grows by whole lines, from several processes at once, and is put aside when it has grown enough.
// One write a call, at the end of the file: lines of two writers never mix. A writer that looks while another is still
// writing takes its line for unfinished and leaves an empty one, which readers pass over.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './atomic-write.ts';
import { openRegular } from './safe-read.ts';
import { cannotRecord } from './io-errors.ts';

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const NEWLINE = 0x0a;

/** Where the lines before are, once there are too many of them. */
export const rotatedPath = (path: string): string => `${path}.1`;

/**
 * Appends lines (each with its end) to the file at `path`, which others may not read. What the last writer left
 * unfinished stays a line of its own. Not synced: it survives a crash of the program, not of the machine.
 * Gives the size of the file in bytes. Throws `Failure('local_io')`.
 */
export function appendLines(path: string, lines: string): number {
  try {
    makePrivateFolder(dirname(path));
    const fd = openRegular(path, O_RDWR | O_CREAT | O_APPEND);
    try {
      const { size, mode } = fstatSync(fd);
      if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
      const bytes = Buffer.from(endsInLine(fd, size) ? lines : `\n${lines}`);
      if (writeSync(fd, bytes) !== bytes.length) throw new Error('it came out cut short');
      return size + bytes.length;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw cannotRecord(path, error);
  }
}

function endsInLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
}

/**
 * Puts a file of more than `mostBytes` aside, over the one that was put aside before. One process does it; who comes
 * meanwhile leaves it. Throws `Failure('local_io')`.
 */
export async function rotate(path: string, mostBytes: number): Promise<void> {
  const { withFileLock } = await import('./file-lock.ts');
  const rename = () => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes)
      renameSync(path, rotatedPath(path));
  };
  await withFileLock(path, rename, { waitMs: 0 });
}
