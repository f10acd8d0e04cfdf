// CSV (RFC 4180) and TSV to the inputs of calls: each column is an input, or only one has the ID.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { RESOURCE_ID } from '../../api/schema/id-patterns.ts';
import { flagWords, shellLine } from '../../base/shell.ts';
import { expected, type Line, listOf, recordOfId, suggestedColumn } from './json.ts';
import {
  listId,
  type ParsedRecord,
  type RecordFormat,
  SPREADSHEET_ERROR,
  trimmed,
} from './list-ids.ts';

/** A row of one or more lines, with the number of its first; `fault` says why it has no cells. */
export interface Row {
  readonly number: number;
  readonly cells: readonly string[];
  readonly fault?: string | undefined;
}

export type Delimiter = ',' | ';' | '|' | '\t';

/** The records of a list, with the numbers of lines and rows that are skipped. */
export interface ParsedRecords {
  readonly parsed: readonly ParsedRecord[];
  readonly comments: number;
  /** The number of rows of blank cells. */
  readonly blankRows?: number;
  /** 1 if a first row was taken for a header only because it looks like one. */
  readonly headers?: number;
}

/** True for a line that begins with `#`, unless a spreadsheet wrote it for a cell: `#N/A`. */
export const isComment = ({ text }: Line): boolean =>
  /^\s*#/.test(text) && !SPREADSHEET_ERROR.test(trimmed(text));

export const isBlank = (text: string): boolean => trimmed(text) === '';

/**
 * Parses the lines of a table. Its first row is the header, which it may lack if --column is a number. Comments stand
 * only above it: below, a line that begins with `#` is a row.
 */
export function fromTable(
  lines: readonly Line[],
  delimiter: Delimiter,
  format: RecordFormat,
): ParsedRecords {
  const { column } = format;
  const cellsIn = (line: Line) => rowsOf([line], delimiter)[0]?.cells ?? [];
  const first = lines.findIndex((line) => !isComment(line) && !isBlank(line.text));
  const end = first < 0 ? lines.length : first;
  // A header may look like a comment: `#,post_id`.
  const isHeader = (line: Line) => column !== undefined && hasColumn(cellsIn(line), column);
  const isNamed = first >= 0 && isHeader(lines[first]!);
  const hashed = isNamed ? -1 : lines.slice(0, end).findIndex(isHeader);
  const start = hashed < 0 ? end : hashed;
  const above = lines.slice(0, start).filter(isComment);
  const rows = rowsOf(lines.slice(start), delimiter);
  const table = rows.filter(({ cells, fault }) => fault !== undefined || !cells.every(isBlank));
  const counts = { comments: above.length, blankRows: rows.length - table.length };
  const [head] = table;
  const isHeadless = hashed < 0 && !isNamed && isNumber(column);
  const width = head?.cells.length;
  const isRow = ({ length }: readonly string[]) => length > 1 && length === (width ?? length);
  const doubtful = isHeadless ? above.filter((line) => isRow(cellsIn(line))) : [];
  if (doubtful.length > 0) {
    const fault = 'may be a comment or a row; put a header line above the first row';
    return { parsed: doubtful.map(({ number }) => ({ line: number, fault })), ...counts };
  }
  if (head === undefined) return { parsed: [], ...counts };
  return { ...recordsOf([head, ...table.slice(1)], format), ...counts };
}

const isNumber = (column: string | undefined): column is string =>
  column !== undefined && /^\d{1,6}$/.test(column);

/** True if the cells are a header with the column, or look like one if the column is a number. */
function hasColumn(cells: readonly string[], column: string): boolean {
  const names = cells.map(listId);
  return (
    names.includes(column) || (isNumber(column) && isNameOfId(names[Number(column) - 1] ?? ''))
  );
}

/** Returns the records of the rows of a table, of which the first may be its header. */
function recordsOf(
  rows: readonly [Row, ...Row[]],
  format: RecordFormat,
): Pick<ParsedRecords, 'parsed' | 'headers'> {
  const [head] = rows;
  const columns = head.fault ?? columnsOf(rows, format);
  if (typeof columns === 'string') return { parsed: [{ line: head.number, fault: columns }] };
  const { hasHeader, isGuess = false, recordOf } = columns;
  const parsed = rows.slice(hasHeader ? 1 : 0).map(({ number: line, cells, fault }) => {
    const problem = fault ?? problemOf(cells, head.cells, hasHeader);
    return problem === undefined ? recordOf(line, cells) : { line, fault: problem };
  });
  return { parsed, headers: isGuess ? 1 : 0 };
}

/** Returns the problem with a row beside the first row, if there is one. */
function problemOf(
  cells: readonly string[],
  head: readonly string[],
  hasHeader: boolean,
): string | undefined {
  const { length } = head;
  if (cells.length !== length)
    return `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the first row ${length}`;
  if (hasHeader && cells.every((cell, i) => cell === head[i])) return 'repeats the header';
  return length === 1 && cells[0]!.startsWith('#')
    ? 'begins with #; comments stand above the header'
    : undefined;
}

/**
 * Splits lines into rows, without blank lines. Quoted cells may contain delimiters, quotes and line breaks. Where the
 * quotes of a TSV enclose no cell, they are text.
 */
export function rowsOf(lines: readonly Line[], delimiter: Delimiter): readonly Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < lines.length; i++) {
    const { number, text } = lines[i]!;
    if (isBlank(text)) continue;
    const end = endOfRow(lines, i);
    const cells = end < lines.length ? cellsOf(lines.slice(i, end + 1), delimiter) : undefined;
    if (cells !== undefined) rows.push({ number, cells });
    else if (delimiter === '\t') rows.push({ number, cells: text.split('\t').map(unquoted) });
    else {
      const isOpen = end === lines.length;
      rows.push({ number, cells: [], fault: isOpen ? 'has an unclosed quote' : MISPLACED });
    }
    if (cells !== undefined || delimiter !== '\t') i = end;
  }
  return rows;
}

const MISPLACED = 'has a quote that neither encloses a cell nor is doubled';

/** Returns the index of the last line of the row that starts at a line; the number of lines if its quotes stay open. */
function endOfRow(lines: readonly Line[], start: number): number {
  // A row is complete when its quotes come in pairs: a quote inside a quoted cell is doubled.
  let isOpen = false;
  for (let i = start; i < lines.length; i++) {
    if (lines[i]!.text.split('"').length % 2 === 0) isOpen = !isOpen;
    if (!isOpen) return i;
  }
  return lines.length;
}

/** The apostrophe before a cell that a spreadsheet would run as a formula: `-o csv` writes it, as others do. */
const TEXT_MARK = /^'(?=[=+\-@\t\r＝＋－＠])/;

/** Splits the lines of one row into cells; `undefined` if a quote is misplaced. */
function cellsOf(lines: readonly Line[], delimiter: Delimiter): readonly string[] | undefined {
  const text = lines.map((line) => line.text).join('\n');
  // A tab is never inside a cell: a TSV whose quotes are text could lose a row.
  const inner = delimiter === '\t' ? '[^"\t]' : '[^"]';
  const cell = new RegExp(
    `(?:"(${inner}*(?:""${inner}*)*)"|([^"${delimiter}]*))([${delimiter}]|$)`,
    'y',
  );
  const cells: string[] = [];
  for (;;) {
    const match = cell.exec(text);
    if (match === null) return undefined;
    const [, quoted, plain = '', end] = match;
    cells.push((quoted?.replaceAll('""', '"') ?? plain).replace(TEXT_MARK, ''));
    // Only the end of the row has no delimiter.
    if (end === '') return cells;
  }
}

const unquoted = (cell: string): string =>
  /^"(.*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

interface Columns {
  /** Makes the record of a row that has as many cells as the first. */
  readonly recordOf: (line: number, cells: readonly string[]) => ParsedRecord;
  /** True if the first row has names, and is not a record. */
  readonly hasHeader: boolean;
  /** True if the first row only looks like a header. */
  readonly isGuess?: boolean;
}

/** Returns how the rows are read, or the problem with the first one. */
function columnsOf(rows: readonly [Row, ...Row[]], format: RecordFormat): Columns | string {
  const names = rows[0].cells.map(listId);
  const { column } = format;
  return column === undefined
    ? allColumns(names, format)
    : columnNamed(column, names, rows.slice(1), format);
}

/** Reads every column as an input. */
function allColumns(names: readonly string[], { fields, idField }: RecordFormat): Columns | string {
  const columns = names.map((name) => fieldNamed(name, fields));
  const unknown = names.filter((_name, i) => columns[i] === undefined);
  if (unknown.length > 0) {
    const named = listOf(unknown.map((name) => JSON.stringify(name)));
    const guess = idField && suggestedColumn(names, idField);
    const word = unknown.length === 1 ? 'column' : 'columns';
    const isRecord = names.some((name) => RESOURCE_ID.test(name) || /\d{5}/.test(name));
    const hint = isRecord ? '; if this is a record, put a header line above it' : '';
    return `unknown CSV ${word} ${named} ${expected(fields, guess)}${hint}`;
  }
  const twice = columns.find((field, i) => columns.indexOf(field) !== i);
  if (twice !== undefined)
    return `duplicate CSV column ${twice.name}${columnNumbers(columns, twice)}`;
  // Without unknown names, each column has its field.
  const recordOf = (line: number, row: readonly string[]) => ({
    line,
    input: inputOf(row, columns as readonly Field[]),
  });
  return { hasHeader: true, recordOf };
}

/** Lists the numbers of the columns that have the same name or field. */
function columnNumbers<T>(columns: readonly T[], wanted: T): string {
  const numbers = columns.flatMap((each, i) => (each === wanted ? [i + 1] : []));
  return ` (${numbers.join(', ')}); use --column with a number`;
}

/** Reads only one column, by its name or its number. */
function columnNamed(
  column: string,
  names: readonly string[],
  below: readonly Row[],
  { idField, fields }: RecordFormat,
): Columns | string {
  const name = JSON.stringify(column);
  const number = isNumber(column) ? Number(column) : 0;
  const at = names.includes(column) ? names.indexOf(column) : number - 1;
  const text = names[at];
  if (text === undefined) return `has no column ${name} (columns: ${listOf(names)})`;
  if (names.lastIndexOf(column) > at)
    return `has several columns ${name}${columnNumbers(names, column)}`;
  if (text === column && number > 0 && number <= names.length)
    return `has a cell ${name}, and a column of that number; put a header line with names above it`;
  const hasHeader = text === column || isNameOfId(text);
  const others = below.map(({ cells }) => cells[at] ?? '');
  const doubt = hasHeader ? undefined : doubtfulHeader(text, others, fields);
  if (doubt !== undefined) return doubt;
  const isGuess = hasHeader && (text !== column || RESOURCE_ID.test(text));
  const columns = hasHeader ? ` (columns: ${listOf(names)})` : '';
  const recordOf = (line: number, row: readonly string[]): ParsedRecord =>
    listId(row[at]!) === ''
      ? { line, fault: `has a blank column ${name}${columns}`, isMissing: true }
      : recordOfId(line, row[at]!, `column ${name}`, idField!);
  return { hasHeader, isGuess, recordOf };
}

/** One word of a header: `toot`, `TOOT`, `statusUrl`, `TootID`. */
const WORD = String.raw`(?:\p{Lu}?\p{Ll}+(?:\p{Lu}\p{Ll}{2,})*\p{Lu}{0,3}|\p{Lu}+)`;
const WORDS = new RegExp(`^${WORD}(?:[ _-]${WORD})*$`, 'u');

/** Returns the fault of a first text that may be a header or an ID: words without a digit, above texts with digits. */
export function doubtfulHeader(
  text: string,
  others: readonly string[],
  fields: readonly Field[],
): string | undefined {
  if (!WORDS.test(text) || RESOURCE_ID.test(text) || others.length === 0) return undefined;
  if (!others.every((other) => /\d/.test(other))) return undefined;
  const named = shellLine(flagWords('--column', text)) ?? '--column with its number';
  const use = `use ${named}, or put the header ${fields[0]!.name} above it`;
  return `${JSON.stringify(text)} may be a header or an ID; ${use}`;
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
  if (kind === 'list') return cell.split(';').filter((value) => trimmed(value) !== '');
  // `validateInput` reports any other text for a boolean.
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell === 'true';
  return cell;
}

/** Finds the field of a column: by its name, or by its flag. */
export function fieldNamed(text: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ name, flag }) => name === text || flag === text);
}
