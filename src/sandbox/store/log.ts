// The state file as an append-only log of JSON lines: reads what was added since the last look, appends in one
// write, cuts off what a killed writer left half-written. Knows nothing of what the lines mean.
// Whoever appends or replaces must hold the lock.

import * as fs from 'node:fs';
import { openRegular, readRange } from '../../fs/safe-read.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import { cannotRead, cannotWrite } from '../../fs/io-errors.ts';
import { decodeUtf8 } from '../../base/utf8.ts';

/**
 * What a look at the file found: `more` lines (perhaps none) since the last look, a file read `anew` from its start,
 * no file (`missing`), or a file with a line that is no JSON and not its last.
 */
export type LogRead =
  | { readonly found: 'more' | 'anew'; readonly lines: readonly unknown[] }
  | { readonly found: 'missing' }
  | { readonly found: 'damaged' };

export interface Log {
  readonly path: string;
  look(): LogRead;
  /** Adds a line after the last whole one. What was written of it is taken back when it does not fit. */
  append(line: unknown): void;
  /** Puts a file with these lines in the place of the old one, at once. */
  replace(lines: readonly unknown[]): void;
  /** Forgets the place: the next look reads the whole file. */
  close(): void;
}

/** An open file, and the end of the last whole line that was read from it or written to it. */
interface Place {
  fd: number;
  inode: number;
  end: number;
}

/** The log at `path`; opens nothing until the first look. Its functions throw `Failure('local_io')`. */
export function createLog(path: string): Log {
  let place: Place | undefined;
  const leave = () => {
    if (place !== undefined) fs.closeSync(place.fd);
    place = undefined;
  };
  const look = (): LogRead => {
    const seen = fs.statSync(path, { throwIfNoEntry: false });
    if (seen === undefined) leave();
    if (seen === undefined) return { found: 'missing' };
    const same = place !== undefined && place.inode === seen.ino && place.end <= seen.size;
    if (same && place!.end === seen.size) return { found: 'more', lines: [] };
    if (!same) {
      leave();
      place = openPlace(path);
    }
    const lines = readLines(place!);
    return lines === undefined ? { found: 'damaged' } : { found: same ? 'more' : 'anew', lines };
  };
  return {
    path,
    look: () => reading(path, look),
    append(line) {
      if (place === undefined) throw new Error('append before the first look');
      writeLine(path, place, line);
    },
    replace(lines) {
      leave(); // Windows replaces no file that is open.
      saveFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      place = reading(path, () => openPlace(path));
      place.end = fs.fstatSync(place.fd).size;
    },
    close: leave,
  };
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function openPlace(path: string): Place {
  const fd = openRegular(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
  return { fd, inode: fs.fstatSync(fd).ino, end: 0 };
}

/**
 * The whole lines after `place.end`, which moves past them. A last line that is no JSON, or has no end yet, is left:
 * another process may be writing it, or died doing so. Undefined when a line before the last is no JSON.
 */
function readLines(place: Place): readonly unknown[] | undefined {
  const bytes = readRange(place.fd, place.end, fs.fstatSync(place.fd).size);
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  const values: unknown[] = [];
  for (let start = 0; start < whole.length;) {
    const end = whole.indexOf(0x0a, start) + 1;
    const value = parseLine(whole.subarray(start, end));
    if (value === undefined) {
      if (end < whole.length) return undefined;
      break;
    }
    values.push(value);
    place.end += end - start;
    start = end;
  }
  return values;
}

/** The JSON of a line, or undefined: no line is JSON `undefined`. */
function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(decodeUtf8(line) ?? '');
  } catch {
    return undefined;
  }
}

function writeLine(path: string, place: Place, line: unknown): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  try {
    // Under the lock nobody else is writing: what follows the last whole line was left by a killed writer.
    if (fs.fstatSync(place.fd).size > place.end) fs.ftruncateSync(place.fd, place.end);
    for (let done = 0; done < bytes.length;) done += fs.writeSync(place.fd, bytes, done);
    place.end += bytes.length;
  } catch (error) {
    cutOff(place);
    throw cannotWrite(path, error);
  }
}

/** Where this fails as well, the half line stays without an end, and the next writer cuts it off. */
function cutOff(place: Place): void {
  try {
    fs.ftruncateSync(place.fd, place.end);
  } catch {
    return;
  }
}
