// Chunks of bytes to numbered lines. Holds at most one unfinished line, and marks what cannot be a message: a line over
// the limit, a NUL byte, text that is not UTF-8.

import { decodeUtf8, withoutBom } from '../../base/utf8.ts';

/** A line without its end (LF or CRLF); `fault` says why it cannot be a message. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly fault?: string;
}

interface LineSplitter {
  /** The lines that a chunk completes. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): readonly Line[];
  /** The last line, where the text does not end with a line break. */
  end(): readonly Line[];
}

const LF = 10;
const MIB = 1024 * 1024;

/** Splits chunks into lines of at most `most` bytes. A byte order mark at the start is removed. */
export function lineSplitter(most: number): LineSplitter {
  const tooLong = `is longer than ${most < MIB ? `${most / 1024} KiB` : `${most / MIB} MiB`}`;
  /** The unfinished line; nothing of one that is too long. */
  let rest: Uint8Array[] = [];
  let held = 0;
  let overlong = false;
  let number = 0;

  const invalid = (fault: string): Line => ({ number: ++number, text: '', fault });
  const lineOf = (raw: string): Line => {
    const unmarked = number === 0 ? withoutBom(raw) : raw;
    const text = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
    // A code unit is at most three bytes of UTF-8, so most lines need no counting.
    if (text.length * 3 > most && Buffer.byteLength(text) > most) return invalid(tooLong);
    return text.includes('\0') ? invalid('contains a NUL byte') : { number: ++number, text };
  };
  const linesOf = (bytes: Buffer): Line[] => {
    const text = decodeUtf8(bytes);
    if (text !== undefined) return text.split('\n').map(lineOf);
    const lines = bytes.toString('latin1').split('\n');
    return lines.map((latin1) => {
      const line = decodeUtf8(Buffer.from(latin1, 'latin1'));
      return line === undefined ? invalid('is not valid UTF-8') : lineOf(line);
    });
  };

  /** Keeps a copy: a long line is put together only when its end is there. */
  const hold = (chunk: Uint8Array) => {
    held += chunk.length;
    if (held > most) [overlong, rest] = [true, []];
    else if (chunk.length > 0) rest.push(Uint8Array.prototype.slice.call(chunk));
  };

  return {
    push(chunk) {
      const end = chunk.lastIndexOf(LF);
      if (end < 0) {
        hold(chunk);
        return [];
      }
      const start = asBuffer(chunk.subarray(0, end));
      const whole = rest.length === 0 ? start : Buffer.concat([...rest, start]);
      const cut = overlong ? whole.indexOf(LF) : -1;
      const first = overlong ? [invalid(tooLong)] : [];
      const lines = overlong && cut < 0 ? [] : linesOf(whole.subarray(cut + 1));
      [rest, held, overlong] = [[], 0, false];
      hold(chunk.subarray(end + 1));
      return [...first, ...lines];
    },
    end() {
      if (overlong) return [invalid(tooLong)];
      return rest.length === 0 ? [] : linesOf(Buffer.concat(rest));
    },
  };
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
