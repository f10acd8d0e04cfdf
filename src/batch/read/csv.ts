// Rows of CSV (RFC 4180) and TSV, from numbered lines.

/** A line without its end (LF or CRLF), numbered from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** A record of one or more lines, under the number of its first; `fault` says why it has no cells. */
export interface Row {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string;
}

/** Blank lines and `#` comments have no record. */
export const isSkipped = ({ text }: Line): boolean => text.startsWith('#') || text.trim() === '';

/** The rows of a CSV: quoted cells may hold delimiters, quotes and line breaks. */
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

/** The rows of a TSV: a line each, with quotes as text unless they enclose a cell. */
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
