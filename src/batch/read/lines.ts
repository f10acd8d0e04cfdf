// Chunks of bytes to numbered lines, and lines to the rows of a CSV. Holds at most one unfinished line or row, and
// marks what cannot be a record: a line over the limit, a NUL byte, text that is not UTF-8.

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

const MAX_LINE_BYTES = 64 * 1024;
const LF = 10;
const MIB = 1024 * 1024;

/** Splits chunks into lines of at most `most` bytes. A byte order mark at the start is removed. */
export function lineSplitter(most = MAX_LINE_BYTES): LineSplitter {
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

/** A CSV record of one or more lines, under the number of its first. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string;
}

/** Puts the rows of a CSV (RFC 4180) together: quoted cells may hold commas, quotes and line breaks. */
export function csvReader(delimiter = ',') {
  let open: { number: number; text: string } | undefined;
  const row = (number: number, cells: readonly string[] | string): CsvRow => {
    open = undefined;
    return typeof cells === 'string' ? { number, cells: [], fault: cells } : { number, cells };
  };
  return {
    /** The row that a line completes, if it does. Blank lines and `#` comments between rows are skipped. */
    push({ number: current, text, fault }: Line): CsvRow | undefined {
      const number = open?.number ?? current;
      if (fault !== undefined) return row(number, fault);
      if (open === undefined && (text.trim() === '' || text.startsWith('#'))) return undefined;
      const whole = open === undefined ? text : `${open.text}\n${text}`;
      if (isComplete(whole)) return row(number, cellsOf(whole, delimiter));
      if (whole.length > MAX_LINE_BYTES)
        return row(number, 'has a quoted cell of more than 64 KiB');
      open = { number, text: whole };
      return undefined;
    },
    /** The row that was left open. */
    end: () => open && row(open.number, 'has an unclosed quote'),
  };
}

const unquoted = (cell: string): string =>
  /^"(.*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

/** A line of a TSV: a row each, with quotes as text unless they enclose a cell. */
export function tsvRow({ number, text, fault }: Line): CsvRow {
  if (fault !== undefined) return { number, cells: [], fault };
  return { number, cells: text.split('\t').map(unquoted) };
}

/** A record is complete when its quotes come in pairs: a quote inside a quoted cell is doubled. */
function isComplete(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** The cells of a record, or what is wrong with it: a quote inside a bare cell is refused rather than guessed at. */
export function cellsOf(text: string, delimiter = ','): readonly string[] | string {
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) return 'has an unclosed quote';
      cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
      if (at < text.length && text[at] !== delimiter) return 'has text after a closing quote';
    } else {
      const comma = text.indexOf(delimiter, at);
      const cell = text.slice(at, comma < 0 ? text.length : comma);
      if (cell.includes('"')) return 'has a quote inside an unquoted cell';
      cells.push(cell);
      at += cell.length;
    }
    if (at >= text.length) return cells;
    at++; // the delimiter
    if (at === text.length) return [...cells, ''];
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}
