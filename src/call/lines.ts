// Bytes to numbered lines, a chunk at a time. Holds at most one unfinished line, and refuses what no record is:
// a line over the limit (64 KiB), a NUL byte, text that is not UTF-8.

import { isUtf8 } from 'node:buffer';

/** A line without its end (LF or CRLF); `fault` says why it cannot be a record. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly fault?: string;
}

export interface LineSplitter {
  /** The lines that a chunk completes. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): readonly Line[];
  /** The last line, where the text does not end with a line break. */
  end(): readonly Line[];
}

/** The longest line that is a record, in bytes. */
export const MOST_LINE_BYTES = 64 * 1024;
const LF = 10;
const MIB = 1024 * 1024;

/** Splits a text that comes in chunks, into lines of so many bytes at most. A byte order mark at its start is taken off. */
export function lineSplitter(most = MOST_LINE_BYTES): LineSplitter {
  const tooLong = `is longer than ${most < MIB ? `${most / 1024} KiB` : `${most / MIB} MiB`}`;
  let rest: Uint8Array = new Uint8Array();
  let overlong = false;
  let number = 0;

  const lineOf = (raw: string, fault: string | undefined): Line => {
    number++;
    const unmarked = number === 1 ? raw.replace(/^\ufeff/, '') : raw;
    const text = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
    const wrong = fault ?? (isOver(text, most) ? tooLong : faultIn(text));
    return wrong === undefined ? { number, text } : { number, text: '', fault: wrong };
  };
  const linesOf = (bytes: Buffer): Line[] => {
    if (!isUtf8(bytes)) return pieces(bytes).map((piece) => decoded(piece, lineOf));
    const lines = bytes.toString('utf8').split('\n');
    return lines.map((line) => lineOf(line, undefined));
  };

  return {
    push(chunk) {
      const block = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
      const end = block.lastIndexOf(LF);
      const whole = block.subarray(0, Math.max(0, end));
      const tail = block.subarray(end + 1);
      const endless = tail.length > most;
      rest = endless ? new Uint8Array() : Uint8Array.prototype.slice.call(tail);
      if (end < 0) {
        overlong ||= endless;
        return [];
      }
      const cut = overlong ? whole.indexOf(LF) : -1;
      const first = overlong ? [lineOf('', tooLong)] : [];
      const lines = overlong && cut < 0 ? [] : linesOf(whole.subarray(cut + 1));
      overlong = endless;
      return [...first, ...lines];
    },
    end() {
      if (overlong) return [lineOf('', tooLong)];
      return rest.length === 0 ? [] : linesOf(asBuffer(rest));
    },
  };
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

function pieces(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let from = 0; from <= bytes.length;) {
    const end = bytes.indexOf(LF, from);
    found.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    if (end < 0) break;
    from = end + 1;
  }
  return found;
}

function decoded(piece: Buffer, make: (text: string, fault: string | undefined) => Line): Line {
  const good = isUtf8(piece);
  return make(good ? piece.toString('utf8') : '', good ? undefined : 'is not valid UTF-8');
}

// A code unit is three bytes of UTF-8 at most, so most lines need no counting.
const isOver = (text: string, most: number): boolean =>
  text.length * 3 > most && Buffer.byteLength(text) > most;

const faultIn = (text: string): string | undefined =>
  text.includes('\0') ? 'contains a NUL byte' : undefined;
