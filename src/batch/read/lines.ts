// Bytes to numbered lines, a chunk at a time. Holds at most one unfinished line, and refuses what no record is:
// a line over the limit (64 KiB), a NUL byte, text that is not UTF-8.

import { decodeUtf8, withoutBom } from '../../base/utf8.ts';

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
const MOST_LINE_BYTES = 64 * 1024;
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
    const unmarked = number === 1 ? withoutBom(raw) : raw;
    const text = unmarked.endsWith('\r') ? unmarked.slice(0, -1) : unmarked;
    const wrong = fault ?? (isOver(text, most) ? tooLong : faultIn(text));
    return wrong === undefined ? { number, text } : { number, text: '', fault: wrong };
  };
  const linesOf = (bytes: Buffer): Line[] => {
    const text = decodeUtf8(bytes);
    if (text !== undefined) return text.split('\n').map((line) => lineOf(line, undefined));
    return pieces(bytes).map((piece) => {
      const line = decodeUtf8(piece);
      return lineOf(line ?? '', line === undefined ? 'is not valid UTF-8' : undefined);
    });
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

// A code unit is three bytes of UTF-8 at most, so most lines need no counting.
const isOver = (text: string, most: number): boolean =>
  text.length * 3 > most && Buffer.byteLength(text) > most;

const faultIn = (text: string): string | undefined =>
  text.includes('\0') ? 'contains a NUL byte' : undefined;

// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, quotes and line breaks.
// Refuses a quote in the middle of a bare cell rather than guess.

/** A record of one or more lines, under the number of its first. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string;
}

export interface CsvReader {
  /** The row that a line completes, if it does. Blank lines and `#` comments between rows are none. */
  push(line: Line): CsvRow | undefined;
  /** The row that was left open. */
  end(): CsvRow | undefined;
}

/** Puts rows together from lines. */
export function csvReader(): CsvReader {
  let open: { number: number; text: string } | undefined;
  const close = (number: number, text: string): CsvRow => {
    open = undefined;
    const cells = cellsOf(text);
    return typeof cells === 'string' ? { number, cells: [], fault: cells } : { number, cells };
  };
  return {
    push({ number, text, fault }) {
      const from = open?.number ?? number;
      if (fault !== undefined) {
        open = undefined;
        return { number: from, cells: [], fault };
      }
      if (open === undefined && (text.trim() === '' || text.startsWith('#'))) return undefined;
      const whole = open === undefined ? text : `${open.text}\n${text}`;
      if (isComplete(whole)) return close(from, whole);
      open = { number: from, text: whole };
      if (whole.length <= MOST_LINE_BYTES) return undefined;
      open = undefined;
      return { number: from, cells: [], fault: 'has a quoted cell of more than 64 KiB' };
    },
    end() {
      if (open === undefined) return undefined;
      return { number: open.number, cells: [], fault: 'has a quote that is never closed' };
    },
  };
}

/** Quotes come in pairs where a record is whole: one inside a quoted cell is doubled. */
function isComplete(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** The cells of a whole record, or what is wrong with it. */
export function cellsOf(text: string): readonly string[] | string {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) return 'has a quote that is never closed';
      cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
      if (at < text.length && text[at] !== ',') return 'has text after a closing quote';
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma < 0 ? text.length : comma);
      if (cell.includes('"')) return 'has a quote inside a cell that is not quoted';
      cells.push(cell);
      at += cell.length;
    }
    if (at >= text.length) return cells;
    at++; // the comma
    if (at === text.length) return [...cells, ''];
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}
