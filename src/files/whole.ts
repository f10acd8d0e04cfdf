// Writes all of a text, or fails: a disk that fills up takes the first part of a write and says so only by its length.

import { writeSync } from 'node:fs';

/** Writes to an open file, where it stands. `done` is told after each piece how many bytes were taken in all. */
export function writeWhole(fd: number, bytes: Uint8Array, done?: (taken: number) => void): void {
  let taken = 0;
  while (taken < bytes.length) {
    taken += writeSync(fd, bytes, taken);
    done?.(taken);
  }
}
