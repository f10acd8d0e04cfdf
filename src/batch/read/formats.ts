// Splits lists as text: rows of CSV (RFC 4180) and TSV, and JSON values over several lines.

/** A line without its end (LF or CRLF), numbered from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** A record of one or more lines, with the number of its first; `fault` says why it has no cells. */
export interface Row {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string;
}

/** True for blank lines and `#` comments. */
export const isSkipped = ({ text }: Line): boolean => text.startsWith('#') || text.trim() === '';

/** Splits a CSV into rows: quoted cells may contain delimiters, quotes and line breaks. */
export function csvRows(lines: readonly Line[], delimiter: string): readonly Row[] {
  const rows: Row[] = [];
  let open: Line[] = [];
  // A record is complete when its quotes come in pairs: a quote inside a quoted cell is doubled.
  let isQuoted = false;
  for (const line of lines) {
    if (open.length === 0 && isSkipped(line)) continue;
    open.push(line);
    if (hasOddQuotes(line.text)) isQuoted = !isQuoted;
    if (isQuoted) continue;
    const cells = cellsOf(open.map(({ text }) => text).join('\n'), delimiter);
    const { number } = open[0]!;
    open = [];
    rows.push(typeof cells === 'string' ? { number, cells: [], fault: cells } : { number, cells });
  }
  const [unclosed] = open;
  if (unclosed !== undefined)
    rows.push({ number: unclosed.number, cells: [], fault: 'has an unclosed quote' });
  return rows;
}

/** Splits a TSV into rows: one per line, with quotes as text unless they enclose a cell. */
export const tsvRows = (lines: readonly Line[]): readonly Row[] =>
  lines
    .filter((line) => !isSkipped(line))
    .map(({ number, text }) => ({ number, cells: text.split('\t').map(unquoted) }));

const unquoted = (cell: string): string =>
  /^"(.*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

function hasOddQuotes(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 1;
}

/** Returns the cells of a record, or its problem: a quote inside an unquoted cell is an error. */
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

/** The start of an array of IDs or objects, an object of several lines, or the output of `posts triage --json`. */
const STARTS = /^\s*(?:\[\s*(?:$|["{[\]\d-])|\{\s*\n|\{"posts":\d+,"failedTargets":)/;

export const startsJsonValues = (text: string): boolean => STARTS.test(text);

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125] as const;

/** A value with the line in which it starts, or the JSON error there. */
export type JsonValue = Line & { readonly fault?: string };

/**
 * Splits the outermost arrays into values, or returns consecutive values. The JSON inside each value is not checked.
 */
export function jsonValues(text: string): readonly JsonValue[] {
  const values: JsonValue[] = [];
  let [line, arrays] = [1, 0];
  // The next line break is searched only once, because a list may be one line of megabytes.
  let newline = endOfLine(text, 0);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    for (; newline < at; line++) newline = endOfLine(text, newline + 1);
    if (code <= 32 || code === COMMA) at++;
    else if (code === OPEN_ARRAY) {
      arrays++;
      at++;
    } else if (code === CLOSE_ARRAY) {
      if (--arrays < 0)
        return [...values, { number: line, text: '', fault: 'closes an array that was not open' }];
      at++;
    } else {
      const end = endOfValue(text, at, code);
      if (end < 0) return [...values, endsTooEarly(line)];
      values.push({ number: line, text: text.slice(at, end) });
      at = end;
    }
  }
  return arrays > 0 ? [...values, endsTooEarly(line)] : values;
}

const endOfLine = (text: string, from: number): number => {
  const at = text.indexOf('\n', from);
  return at < 0 ? Infinity : at;
};

const endsTooEarly = (number: number): JsonValue => ({
  number,
  text: '',
  fault: 'is JSON that ends too early',
});

/** Returns the end of the value that starts with this code at `from`; -1 if it has none. */
function endOfValue(text: string, from: number, first: number): number {
  if (first === QUOTE) return endOfString(text, from);
  if (first !== OPEN_OBJECT) {
    const after = /[\s,\]]/g;
    after.lastIndex = from;
    return after.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1;
  }
  return -1;
}

/**
 * Returns the end of the string whose quote is at `from`; -1 if it has none. A quote after a backslash is part of it.
 */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return -1;
}
