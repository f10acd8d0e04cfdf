// The state file as an append-only log of JSON lines: reads what was added since the last read, appends in one write,
// cuts off a line that a killed writer left unfinished. Appending and replacing need the lock.

import * as fs from 'node:fs';
import { cutFile, openRegular, readRange } from '../../fs/safe-read.ts';
import { saveFile, wholeOrNot, writeAll } from '../../fs/atomic-write.ts';
import { cannotRead, cannotWrite, withIoFailure } from '../../fs/io-errors.ts';
import { ownJson } from '../../base/json.ts';
import { decodeUtf8 } from '../../base/utf8.ts';

/**
 * `more`: the lines (perhaps none) since the last read. `anew`: the whole file. `damaged`: a line before the last is
 * no JSON.
 */
export type LogRead =
  | { readonly found: 'more' | 'anew'; readonly lines: readonly unknown[] }
  | { readonly found: 'missing' | 'damaged' };

/** An open file, and the end of the last whole line that was read from it or written to it. */
interface Position {
  fd: number;
  /** Exact, as Windows has numbers that are too large for a number. */
  inode: bigint;
  end: number;
}

/** The log at `path`; opens nothing until the first read. Its functions throw `Failure('local_io')`. */
export function createLog(path: string) {
  let position: Position | undefined;
  const close = () => {
    if (position !== undefined) fs.closeSync(position.fd);
    position = undefined;
  };
  const read = (): LogRead => {
    const seen = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    if (seen?.ino !== position?.inode || seen === undefined || position!.end > seen.size) close();
    if (seen === undefined) return { found: 'missing' };
    if (BigInt(position?.end ?? -1) === seen.size) return { found: 'more', lines: [] };
    const found = position === undefined ? 'anew' : 'more';
    const lines = readLines((position ??= open(path)));
    return lines === undefined ? { found: 'damaged' } : { found, lines };
  };
  return {
    path,
    read: () => withIoFailure(path, cannotRead, read),
    /** Adds a line after the last whole one. A part that was written is removed when it does not fit. */
    append(line: unknown): void {
      if (position === undefined) throw new Error('append before the first read');
      writeLine(path, position, line);
    },
    /** Replaces the file by one with these lines, atomically. */
    replace(lines: readonly unknown[]): void {
      close(); // Windows replaces no file that is open.
      saveFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      position = withIoFailure(path, cannotRead, () => open(path));
      position.end = fs.fstatSync(position.fd).size;
    },
    /** Forgets the position: the next read starts over. */
    close,
  };
}

function open(path: string): Position {
  const fd = openRegular(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
  return { fd, inode: fs.fstatSync(fd, { bigint: true }).ino, end: 0 };
}

/**
 * The whole lines after `position.end`, which moves past them. A last line that is no JSON, or has no end yet, is left:
 * another process may be writing it, or died doing so. Undefined when a line before the last is no JSON.
 */
function readLines(position: Position): readonly unknown[] | undefined {
  const bytes = readRange(position.fd, position.end, fs.fstatSync(position.fd).size);
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  const values: unknown[] = [];
  for (let start = 0; start < whole.length;) {
    const end = whole.indexOf(0x0a, start) + 1;
    const value = ownJson(decodeUtf8(whole.subarray(start, end)) ?? '');
    if (value === undefined) {
      if (end < whole.length) return undefined;
      break;
    }
    values.push(value);
    position.end += end - start;
    start = end;
  }
  return values;
}

function writeLine(path: string, position: Position, line: unknown): void {
  const { fd, end } = position;
  withIoFailure(path, cannotWrite, () =>
    wholeOrNot(fd, path, end, () => {
      // Under the lock no other process writes: what follows the last whole line was left by a killed writer.
      if (fs.fstatSync(fd).size > end) cutFile(fd, path, end);
      position.end += writeAll(fd, `${JSON.stringify(line)}\n`);
    }),
  );
}
