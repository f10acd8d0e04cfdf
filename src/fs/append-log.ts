// A private file that grows by whole lines, from several processes at once, and is rotated when it has grown enough.
// One write a call, at the end of the file: lines of two writers never mix. A writer that looks while another is still
// writing takes its line for unfinished and leaves an empty line, which readers skip.

import { constants, fstatSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './atomic-write.ts';
import { cannotRecord, withIoFailure } from './io-errors.ts';
import { withFileLock } from './lock.ts';
import { keepPrivate } from './permissions.ts';
import { readRange, withFile } from './safe-read.ts';

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const NEWLINE = 0x0a;

/** Where the older lines are, once the file was rotated. */
export const rotatedPath = (path: string): string => `${path}.1`;

/**
 * Appends lines (each with its end) to the private file at `path`. A line that the last writer left unfinished stays a
 * line of its own. Not synced: it survives a crash of the program, not of the machine. Returns the size of the file in
 * bytes. Throws `Failure('local_io')`.
 */
export function appendLines(path: string, lines: string): number {
  return withIoFailure(path, cannotRecord, () => {
    makePrivateFolder(dirname(path));
    return withFile(path, O_RDWR | O_CREAT | O_APPEND, (fd) => {
      keepPrivate(fd);
      const { size } = fstatSync(fd);
      const endsInLine = size === 0 || readRange(fd, size - 1, size)[0] === NEWLINE;
      return size + writeAtOnce(fd, endsInLine ? lines : `\n${lines}`);
    });
  });
}

/**
 * Rotates a file of more than `mostBytes`, over the one that was rotated before. One process does it; another that
 * comes meanwhile leaves it. Throws `Failure('local_io')`.
 */
export async function rotate(path: string, mostBytes: number): Promise<void> {
  const rename = () => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes)
      renameSync(path, rotatedPath(path));
  };
  const work = () => withIoFailure(path, cannotRecord, rename);
  await withFileLock(path, work, { waitMs: 0 });
}

/** Writes a text by a single call, so that those of two writers never mix. Returns its length in bytes. */
function writeAtOnce(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  if (writeSync(fd, bytes) !== bytes.length) throw new Error('the file was cut short');
  return bytes.length;
}
