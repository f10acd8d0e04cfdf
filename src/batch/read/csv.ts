// CSV (RFC 4180) and TSV to the inputs of calls: each column is an input, or only one has the ID.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { RESOURCE_ID } from '../../api/schema/id-patterns.ts';
import {
  expected,
  recordOfId,
  listOf,
  type ParsedRecord,
  type RecordFormat,
  suggestedColumn,
} from './json.ts';

/** A line without its end (LF or CRLF), numbered from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** A row of one or more lines, with the number of its first; `fault` says why it has no cells. */
export interface Row {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string | undefined;
}

/** True for blank lines and `#` comments. */
export const isSkipped = ({ text }: Line): boolean => text.startsWith('#') || text.trim() === '';

export type Delimiter = ',' | ';' | '\t';

/** Parses the lines of a table. Its first row is the header, which it may lack if --column is a number. */
export function fromTable(
  lines: readonly Line[],
  delimiter: Delimiter,
  format: RecordFormat,
): readonly ParsedRecord[] {
  const rows = delimiter === '\t' ? tsvRows(lines) : csvRows(lines, delimiter);
  const [head] = rows;
  if (head === undefined) return [];
  const { column } = format;
  const columns =
    head.fault ??
    (column === undefined ? columnsOf(head, format) : columnNamed(column, head, format));
  if (typeof columns === 'string') return [{ line: head.number, fault: columns }];
  const { length } = head.cells;
  return rows.slice(columns.hasHeader ? 1 : 0).map(({ number: line, cells, fault }) => {
    if (fault !== undefined) return { line, fault };
    if (cells.length === length) return columns.recordOf(line, cells);
    const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
    return { line, fault: `has ${count}, the first row ${length}` };
  });
}

/** Splits a CSV into rows: quoted cells may contain delimiters, quotes and line breaks. */
export function csvRows(lines: readonly Line[], delimiter: Delimiter): readonly Row[] {
  const rows: Row[] = [];
  let open: Line[] = [];
  // A row is complete when its quotes come in pairs: a quote inside a quoted cell is doubled.
  let isQuoted = false;
  for (const line of lines) {
    if (open.length === 0 && isSkipped(line)) continue;
    open.push(line);
    const quotes = line.text.split('"').length - 1;
    if (quotes % 2 === 1) isQuoted = !isQuoted;
    if (isQuoted) continue;
    rows.push(rowOf(open, delimiter));
    open = [];
  }
  const [unclosed] = open;
  if (unclosed !== undefined)
    rows.push({ number: unclosed.number, cells: [], fault: 'has an unclosed quote' });
  return rows;
}

/** Splits the lines of one row, of which there is at least one, into cells. */
function rowOf(lines: readonly Line[], delimiter: Delimiter): Row {
  const { number } = lines[0]!;
  const text = lines.map((line) => line.text).join('\n');
  // No delimiter has a meaning in a pattern.
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${delimiter}]*))(${delimiter}|$)`, 'y');
  const cells: string[] = [];
  for (;;) {
    const match = cell.exec(text);
    if (match === null)
      return {
        number,
        cells: [],
        fault: 'has a quote that neither encloses a cell nor is doubled',
      };
    const [, quoted, plain = '', end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    // Only the end of the row has no delimiter.
    if (end === '') return { number, cells };
  }
}

/** Splits a TSV into rows: one per line, with quotes as text unless they enclose a cell. */
export const tsvRows = (lines: readonly Line[]): readonly Row[] =>
  lines
    .filter((line) => !isSkipped(line))
    .map(({ number, text }) => ({ number, cells: text.split('\t').map(unquoted) }));

const unquoted = (cell: string): string =>
  /^"(.*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

interface Columns {
  /** Makes the record of a row that has as many cells as the first. */
  readonly recordOf: (line: number, cells: readonly string[]) => ParsedRecord;
  /** True if the first row has names, and is not a record. */
  readonly hasHeader: boolean;
}

/** Reads every column as an input, or returns the problem with the header. */
function columnsOf({ cells }: Row, { fields, idField }: RecordFormat): Columns | string {
  const names = cells.map((cell) => cell.trim());
  const columns = names.map((name) => fieldNamed(name, fields));
  const unknown = names.filter((_name, i) => columns[i] === undefined);
  if (unknown.length > 0) {
    const named = listOf(unknown.map((name) => JSON.stringify(name)));
    const guess = idField && suggestedColumn(names, idField);
    const word = unknown.length === 1 ? 'column' : 'columns';
    return `unknown CSV ${word} ${named} ${expected(fields, guess)}`;
  }
  const twice = columns.find((field, i) => columns.indexOf(field) !== i);
  if (twice !== undefined) return `duplicate CSV column ${twice.name}`;
  // Without unknown names, each column has its field.
  const recordOf = (line: number, row: readonly string[]) => ({
    line,
    input: inputOf(row, columns as readonly Field[]),
  });
  return { hasHeader: true, recordOf };
}

/** Reads only one column, by its name or its number. */
function columnNamed(column: string, { cells }: Row, { idField }: RecordFormat): Columns | string {
  const names = cells.map((cell) => cell.trim());
  const at = names.includes(column) ? names.indexOf(column) : Number(column) - 1;
  const name = JSON.stringify(column);
  if (names[at] === undefined) return `has no column ${name} (columns: ${listOf(names)})`;
  const hasHeader = names[at] === column || isNameOfId(names[at]);
  const columns = hasHeader ? ` (columns: ${listOf(names)})` : '';
  const recordOf = (line: number, row: readonly string[]): ParsedRecord =>
    row[at]!.trim() === ''
      ? { line, fault: `has a blank column ${name}${columns}`, isMissing: true }
      : recordOfId(line, row[at]!, `column ${name}`, idField!);
  return { hasHeader, recordOf };
}

/**
 * With a column number the list may have no header: the first row is one only if its cell is named like an ID, as `id`,
 * `post_id` and `postId` are, and is not an ID itself.
 */
const isNameOfId = (text: string) => /(?:^|[ _.-]|[a-z])id$/i.test(text) && !RESOURCE_ID.test(text);

function inputOf(cells: readonly string[], columns: readonly Field[]): Input {
  const input: Record<string, unknown> = {};
  for (const [i, field] of columns.entries()) {
    const value = valueOf(cells[i]!, field);
    if (value !== undefined) input[field.name] = value;
  }
  return input;
}

/** Parses a cell; an empty one omits the field. Lists are split at semicolons, and empty items are dropped. */
function valueOf(cell: string, { kind }: Field): unknown {
  if (cell === '') return undefined;
  if (kind === 'list') return cell.split(';').filter((value) => value !== '');
  // `validateInput` reports any other text for a boolean.
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell === 'true';
  return cell;
}

/** Finds the field of a column: by its name, or by its flag. */
export function fieldNamed(text: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ name, flag }) => name === text || flag === text);
}
