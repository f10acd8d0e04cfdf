// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, quotes and line breaks.
// Refuses a quote in the middle of a bare cell rather than guess.

import type { Line } from './lines.ts';
import { MOST_LINE_BYTES } from './lines.ts';

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
