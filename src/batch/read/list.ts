// Reads a list whole from a file or standard input, and parses it to the inputs of calls: IDs, JSON objects, one JSON
// array, CSV or TSV with a header, detected by its start. Other code validates the values.

import { type FileHandle, open } from 'node:fs/promises';
import type { Field } from '../../api/operations/fields.ts';
import { RESOURCE_ID } from '../../api/schema/id-patterns.ts';
import { iterateUntilAborted, raceAbort } from '../../base/abort.ts';
import { usageFailure } from '../../base/errors.ts';
import { isStdinPath } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { decodeUtf8, firstInvalidByte, isUtf16, withoutBom } from '../../base/utf8.ts';
import { codeOf } from '../../fs/io-errors.ts';
import {
  type Line,
  type Row,
  csvRows,
  isSkipped,
  jsonValues,
  startsJsonValues,
  tsvRows,
} from './formats.ts';
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

/** The name of standard input in messages. */
export const STDIN = 'standard input';

const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;

/** Reads all bytes of a list, `-` for standard input. Throws `usage` if it cannot be read, or has more than 256 MiB. */
export async function readList(from: string, runtime: Runtime): Promise<Buffer> {
  if (!isStdinPath(from)) return readFile(from, runtime.signal);
  const { stdin } = runtime;
  if (!stdin.isTTY) return readAll(stdin.chunks(), STDIN);
  throw usageFailure({
    field: '--from',
    problem: 'cannot read stdin: it is a terminal',
    fix: 'pipe the records in, or specify a file',
  });
}

async function readFile(path: string, signal: AbortSignal): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    // Opening a named pipe waits until another process writes to it.
    file = await raceAbort(open(path, 'r'), signal);
    const stream = file.createReadStream({ highWaterMark: MIB, autoClose: false });
    try {
      return await readAll(iterateUntilAborted<Buffer>(stream, signal), quote(path));
    } finally {
      stream.destroy();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const problem = `cannot read ${quote(path)}: ${problems[code] ?? code}`;
    throw usageFailure({ field: '--from', problem });
  } finally {
    // A pending read of a silent pipe keeps its descriptor until the process ends.
    if (!signal.aborted) await file?.close();
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EIO: 'the system reported an input/output error',
  ENXIO: 'no such device or address',
};

async function readAll(chunks: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw usageFailure({
        field: '--from',
        problem: `${name} has more than ${MAX_BYTES / MIB} MiB`,
        fix: 'split the list',
      });
    all.push(chunk);
  }
  return Buffer.concat(all, size);
}

/** Parses the records of a list, each with its line. */
export function parseList(bytes: Uint8Array, format: RecordFormat): readonly RecordEntry[] {
  if (isUtf16(bytes)) return [{ line: 1, fault: 'is UTF-16; save the list as UTF-8' }];
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) return [{ line: lineOfByte(bytes), fault: 'is not valid UTF-8' }];
  const text = withoutBom(decoded);
  const nul = text.indexOf('\0');
  if (nul >= 0)
    return [{ line: text.slice(0, nul).split('\n').length, fault: 'contains a NUL byte' }];
  if (startsJsonValues(text))
    return jsonValues(text).flatMap((value) =>
      value.fault === undefined
        ? fromJson(value.number, value.text, format)
        : [{ line: value.number, fault: value.fault }],
    );
  return fromLines(linesOf(text), format);
}

function lineOfByte(bytes: Uint8Array): number {
  const before = bytes.subarray(0, firstInvalidByte(bytes));
  return Buffer.from(before).toString('latin1').split('\n').length;
}

const linesOf = (text: string): readonly Line[] =>
  text.split('\n').map((line, i) => ({
    number: i + 1,
    text: line.endsWith('\r') ? line.slice(0, -1) : line,
  }));

function fromLines(lines: readonly Line[], format: RecordFormat): readonly RecordEntry[] {
  const head = lines.find((line) => !isSkipped(line));
  if (head === undefined) return [];
  const delimiter = delimiterOf(head.text, format);
  if (delimiter === 'wrong') {
    const fault = 'is a header whose columns are not separated by commas or tabs';
    return [{ line: head.number, fault }];
  }
  if (delimiter !== undefined)
    return fromRows(delimiter === '\t' ? tsvRows(lines) : csvRows(lines, delimiter), format);
  return lines.flatMap((line) => (isSkipped(line) ? [] : fromLine(line, format)));
}

const isJson = (text: string) => text.startsWith('{') || /^\s+\{/.test(text);

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2');

/**
 * Returns the delimiter if the first line is the header of a CSV or TSV: it is not JSON, and names an input, or has a
 * comma or a tab, which no ID has. Semicolons also separate the items of a list, so they need --column.
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

/** Parses a line with an ID or a JSON object. */
function fromLine({ number: line, text }: Line, format: RecordFormat): readonly RecordEntry[] {
  const { first, fields, column } = format;
  if (isJson(text)) return fromJson(line, text, format);
  if (column !== undefined) return [{ line, fault: 'is not a JSON object' }];
  if (first === undefined)
    return [{ line, fault: `is neither a JSON object nor CSV; inputs: ${namesOf(fields)}` }];
  const id = unquoted(text);
  return [id === text ? { line, input: { [first.name]: id } } : idEntry(line, id, 'ID', first)];
}

/** Parses rows, the first of which is the header. */
function fromRows(rows: readonly Row[], format: RecordFormat): readonly RecordEntry[] {
  const { column } = format;
  const at = rows.findIndex(({ fault }) => fault === undefined);
  const head = rows[at];
  const columns =
    head && (column === undefined ? columnsOf(head, format) : columnNamed(column, head, format));
  const refused = rows
    .slice(0, head === undefined ? undefined : at)
    .map(({ number: line, fault = '' }) => ({ line, fault }));
  if (head === undefined || columns === undefined) return refused;
  if (typeof columns === 'string') return [...refused, { line: head.number, fault: columns }];
  const entries = rows
    .slice(columns.isHeader ? at + 1 : at)
    .map((row) =>
      row.fault === undefined ? columns.inputOf(row) : { line: row.number, fault: row.fault },
    );
  return [...refused, ...entries];
}

interface Columns {
  readonly inputOf: (row: Row) => RecordEntry;
  /** True if the first row has names, and is not a record. */
  readonly isHeader: boolean;
}

/** Reads every column as an input, or returns the problem with the header. */
function columnsOf({ cells }: Row, { fields, first }: RecordFormat): Columns | string {
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

/** Reads only one column, by its name or its number. */
function columnNamed(column: string, { cells }: Row, { first }: RecordFormat): Columns | string {
  const names = cells.map((cell) => cell.trim());
  const at = names.includes(column) ? names.indexOf(column) : Number(column) - 1;
  const name = JSON.stringify(column);
  if (names[at] === undefined) return `has no column ${name} (columns: ${listOf(names)})`;
  const isHeader = names[at] === column || isNameOfId(names[at]);
  const columns = isHeader ? ` (columns: ${listOf(names)})` : '';
  const inputOf = ({ number: line, cells: row }: Row): RecordEntry => {
    if (row.length !== cells.length)
      return { line, fault: `has ${cellCount(row)}, the first row ${cells.length}` };
    if (row[at]!.trim() !== '') return idEntry(line, row[at]!, `column ${name}`, first!);
    return { line, fault: `has a blank column ${name}${columns}`, isMissing: true };
  };
  return { isHeader, inputOf };
}

/**
 * With a column number the list may have no header: the first row is one only if its cell is named like an ID, and is
 * not an ID itself.
 */
const isNameOfId = (text: string) => /(?:^|[ _.-]|[a-z])id$/i.test(text) && !RESOURCE_ID.test(text);

const cellCount = ({ length }: readonly string[]) => `${length} ${length === 1 ? 'cell' : 'cells'}`;

function fromCells({ number: line, cells }: Row, columns: readonly Field[]): RecordEntry {
  if (cells.length !== columns.length)
    return { line, fault: `has ${cellCount(cells)}, the header ${columns.length}` };
  const input: Record<string, unknown> = {};
  for (const [i, field] of columns.entries()) {
    const value = valueOf(cells[i]!, field);
    if (value !== undefined) input[field.name] = value;
  }
  return { line, input };
}

/** Parses a cell; an empty one omits the field. Lists and `Name: value` pairs are split at semicolons. */
function valueOf(cell: string, { kind }: Field): unknown {
  if (cell === '') return undefined;
  if (kind === 'list') return cell.split(';').filter((each) => each !== '');
  if (kind === 'boolean') return cell === 'true' ? true : cell === 'false' ? false : cell;
  if (kind !== 'map') return cell;
  const pairs = cell.split(';').map((pair) => pair.split(/:(.*)/s).map((part) => part.trim()));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

/** Finds the field of a column: by its name, or by its flag. */
function fieldNamed(text: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ name, flag }) => name === text || flag === text);
}
