// Lists as operators have them to the inputs of calls: IDs, JSON objects, one JSON array, CSV or TSV with a header,
// detected by how the list begins. Values are not validated here.

import type { Field } from '../../api/operations/fields.ts';
import { RESOURCE_ID } from '../../api/schema/id-patterns.ts';
import { isUtf16 } from '../../base/utf8.ts';
import {
  csvReader,
  type CsvRow,
  type Line,
  lineSplitter,
  type LineSplitter,
  tsvRow,
} from './lines.ts';
import { HEAD_BYTES, jsonValueSplitter, startsJsonValues } from './json-values.ts';
import {
  expected,
  fromJson,
  idEntry,
  listOf,
  namesOf,
  type RecordEntry,
  type RecordFormat,
  suggestedColumn,
} from './objects.ts';

export interface RecordReader {
  push(chunk: Uint8Array): readonly RecordEntry[];
  end(): readonly RecordEntry[];
}

/** Reads records for these fields; a bare ID, and what is in `column`, is the value of the first positional one. */
export function recordReader(fields: readonly Field[], column?: string): RecordReader {
  const first = fields.find(({ argument }) => argument !== undefined);
  const format = { fields, first, column };
  let head: Uint8Array = new Uint8Array();
  let reader: RecordReader | undefined;
  const open = () => {
    if (isUtf16(head)) {
      // One fault says so for all lines.
      reader = readsNoMore;
      return [{ line: 1, fault: 'is UTF-16; save the list as UTF-8' }];
    }
    reader = startsJsonValues(head.subarray(0, HEAD_BYTES))
      ? valueReader(format)
      : lineReader(format);
    return reader.push(head);
  };
  return {
    push(chunk) {
      if (reader !== undefined) return reader.push(chunk);
      head = Buffer.concat([head, chunk]);
      return head.length < HEAD_BYTES ? [] : open();
    },
    end() {
      const entries = reader === undefined ? open() : [];
      return [...entries, ...reader!.end()];
    },
  };
}

const readsNoMore: RecordReader = { push: () => [], end: () => [] };

/** The values of an array, or of JSON objects of several lines. */
const valueReader = (format: RecordFormat): RecordReader =>
  readerOf(jsonValueSplitter(), ({ number, text, fault }) =>
    fault === undefined ? fromJson(number, text, format) : [{ line: number, fault }],
  );

type LineParser = (line: Line) => readonly RecordEntry[];

/** Reads what a splitter gives; `rest` is what is left at the end. */
const readerOf = (
  splitter: LineSplitter,
  parse: LineParser,
  rest: () => readonly RecordEntry[] = () => [],
): RecordReader => ({
  push: (chunk) => splitter.push(chunk).flatMap(parse),
  end: () => [...splitter.end().flatMap(parse), ...rest()],
});

/** A line of which one column is read may be a whole webhook delivery. */
const MAX_COLUMN_LINE_BYTES = 8 * 1024 * 1024;

function lineReader(format: RecordFormat): RecordReader {
  const splitter = lineSplitter(format.column === undefined ? undefined : MAX_COLUMN_LINE_BYTES);
  let csv: ReturnType<typeof csvReader> | undefined;
  let parse: LineParser | undefined;
  const rows = rowReader(format);
  const fromRow = (row: CsvRow | undefined): readonly RecordEntry[] =>
    row === undefined ? [] : rows.read(row);
  const parserFor = (delimiter: string | undefined): LineParser => {
    if (delimiter === undefined) return (line) => fromLine(line, format);
    if (delimiter === '\t') return (line) => (isSkipped(line) ? [] : fromRow(tsvRow(line)));
    const cells = (csv = csvReader(delimiter));
    return (line) => fromRow(cells.push(line));
  };
  const parseLine: LineParser = (line) => {
    if (parse !== undefined) return parse(line);
    if (isSkipped(line)) return [];
    const { number, text, fault } = line;
    const delimiter = fault === undefined ? delimiterOf(text, format) : undefined;
    if (delimiter !== 'wrong') return (parse = parserFor(delimiter))(line);
    // One fault says so for all lines.
    parse = () => [];
    const wrong = 'is a header whose columns are not separated by commas or tabs';
    return [{ line: number, fault: wrong }];
  };
  return readerOf(splitter, parseLine, () => [...fromRow(csv?.end()), ...rows.end()]);
}

function isSkipped({ text, fault }: Line): boolean {
  return fault === undefined && (text.startsWith('#') || text.trim() === '');
}

const isJson = (text: string) => text.startsWith('{') || /^\s+\{/.test(text);

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2');

/**
 * What separates the columns, where the first line is the header of a CSV or TSV: it is not JSON, and names an input,
 * or has a comma or a tab, which no ID has. Semicolons also separate the items of a list, so they need --column.
 */
function delimiterOf(text: string, { fields, column }: RecordFormat): string | undefined {
  if (isJson(text)) return undefined;
  if (text.includes('\t')) return '\t';
  const cells = text.split(';');
  if (column !== undefined) return cells.length > text.split(',').length ? ';' : ',';
  if (cells.length > 1 && fieldNamed(unquoted(cells[0]!), fields) !== undefined) return 'wrong';
  const name = unquoted(text);
  const isName = fieldNamed(name, fields) !== undefined || /^[a-z]+[ _-]id$/i.test(name);
  return isName || text.includes(',') ? ',' : undefined;
}

function fromLine(line: Line, format: RecordFormat): readonly RecordEntry[] {
  const { number, text, fault } = line;
  const { first, fields, column } = format;
  if (fault !== undefined) return [{ line: number, fault }];
  if (isSkipped(line)) return [];
  if (isJson(text)) return fromJson(number, text, format);
  if (column !== undefined) return [{ line: number, fault: 'is not a JSON object' }];
  if (first !== undefined)
    return [
      isQuoted(text)
        ? idEntry(number, unquoted(text), 'ID', first)
        : { line: number, input: { [first.name]: text } },
    ];
  return [{ line: number, fault: `is neither a JSON object nor CSV; inputs: ${namesOf(fields)}` }];
}

const isQuoted = (text: string) => text !== unquoted(text);

/** Reads rows, the first of which is the header. */
function rowReader(format: RecordFormat) {
  const { column } = format;
  let inputOf: ((row: CsvRow) => RecordEntry) | 'refused' | undefined;
  /** The line of a header that has the number of the column as a name, until a row follows it: it may be a record. */
  let doubtful: number | undefined;
  return {
    read(row: CsvRow): readonly RecordEntry[] {
      const { number: line, fault } = row;
      doubtful = undefined;
      if (fault !== undefined) return [{ line, fault }];
      if (inputOf === 'refused') return [];
      if (inputOf !== undefined) return [inputOf(row)];
      const header =
        column === undefined ? columnsOf(row, format) : columnNamed(column, row, format);
      inputOf = typeof header === 'string' ? 'refused' : header.inputOf;
      if (typeof header === 'string') return [{ line, fault: header }];
      if (!header.isHeader) return [header.inputOf(row)];
      const isNamed = row.cells.some((cell) => cell.trim() === column);
      if (isNamed && Number(column) > 0) doubtful = line;
      return [];
    },
    end(): readonly RecordEntry[] {
      if (doubtful === undefined) return [];
      const fault = `is read as the header because a cell of it is ${JSON.stringify(column)}; if it is a record, add a header above it and specify the name of its column`;
      return [{ line: doubtful, fault }];
    },
  };
}

interface Columns {
  readonly inputOf: (row: CsvRow) => RecordEntry;
  /** Whether the first row has names, and is no record. */
  readonly isHeader: boolean;
}

/** Reads every column as an input, or says what is wrong with the header. */
function columnsOf({ cells }: CsvRow, { fields, first }: RecordFormat): Columns | string {
  const names = cells.map((cell) => cell.trim());
  const columns = names.map((name) => fieldNamed(name, fields));
  const unknown = names.filter((_name, i) => columns[i] === undefined);
  if (unknown.length > 0) {
    const named = listOf(unknown.map((name) => JSON.stringify(name)));
    const guess = first && suggestedColumn(names, first);
    const word = unknown.length === 1 ? 'column' : 'columns';
    return `unknown CSV ${word} ${named} ${expected(fields, guess)}`;
  }
  const twice = columns.find((field, i) => columns.indexOf(field) !== i);
  if (twice !== undefined) return `duplicate CSV column ${twice.name}`;
  return { isHeader: true, inputOf: (row) => fromCells(row, columns as readonly Field[]) };
}

/** Reads one column alone, by its name or its number. */
function columnNamed(column: string, { cells }: CsvRow, { first }: RecordFormat): Columns | string {
  const names = cells.map((cell) => cell.trim());
  const at = names.includes(column) ? names.indexOf(column) : Number(column) - 1;
  const name = JSON.stringify(column);
  if (names[at] === undefined) return `has no column ${name} (columns: ${listOf(names)})`;
  const isHeader = names[at] === column || isNameOfId(names[at]);
  const inputOf = ({ number: line, cells: row }: CsvRow): RecordEntry =>
    row.length === cells.length
      ? idEntry(line, row[at]!, `column ${name}`, first!)
      : { line, fault: `has ${cellCount(row)}, the first row ${cells.length}` };
  return { isHeader, inputOf };
}

/** A number may point into a list without names: only what is named like an ID, and is none itself, is a name. */
const isNameOfId = (text: string) => /(?:^|[ _.-]|[a-z])id$/i.test(text) && !RESOURCE_ID.test(text);

const cellCount = ({ length }: readonly string[]) => `${length} ${length === 1 ? 'cell' : 'cells'}`;

function fromCells({ number: line, cells }: CsvRow, columns: readonly Field[]): RecordEntry {
  if (cells.length !== columns.length)
    return { line, fault: `has ${cellCount(cells)}, the header ${columns.length}` };
  const input: Record<string, unknown> = {};
  for (const [i, field] of columns.entries()) {
    const value = valueOf(cells[i]!, field);
    if (value !== undefined) input[field.name] = value;
  }
  return { line, input };
}

/** An empty cell leaves the field out. Lists and `Name: value` pairs are split at semicolons. */
function valueOf(cell: string, { kind }: Field): unknown {
  if (cell === '') return undefined;
  if (kind === 'list') return cell.split(';').filter((each) => each !== '');
  if (kind === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : cell;
  if (kind !== 'map') return cell;
  const pairs = cell.split(';').map((pair) => pair.split(/:(.*)/s).map((part) => part.trim()));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

/** The field that a column is for: by its name, or by its flag. */
function fieldNamed(text: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ name, flag }) => name === text || flag === text);
}
