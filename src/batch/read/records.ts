// Lines to the inputs of calls: bare ids, JSON objects, or CSV with a header, detected by the first line of data. Values
// are not validated here.

import type { Field } from '../../api/operations/fields.ts';
import { parseJson } from '../../base/json.ts';
import { csvReader, type CsvRow, type Line, lineSplitter } from './lines.ts';
import type { Input } from '../../api/operations/define-operation.ts';

/** One record: its input, or why it has none. Neither quotes the text, which may be secret. */
export type RecordEntry =
  | { readonly line: number; readonly input: Input }
  | { readonly line: number; readonly fault: string };

export interface RecordReader {
  push(chunk: Uint8Array): readonly RecordEntry[];
  end(): readonly RecordEntry[];
}

/** Reads records for these fields; a bare id is the value of the first positional one. */
export function recordReader(fields: readonly Field[]): RecordReader {
  const splitter = lineSplitter();
  const csv = csvReader();
  const first = fields.find(({ argument }) => argument !== undefined);
  let read: ((line: Line) => RecordEntry | undefined) | undefined;
  let columns: readonly Field[] | undefined;

  const fromCsv = (row: CsvRow | undefined): RecordEntry | undefined => {
    if (row === undefined) return undefined;
    if (row.fault !== undefined) return { line: row.number, fault: row.fault };
    if (columns !== undefined) return fromCells(row, columns);
    const header = columnsOf(row, fields);
    columns = typeof header === 'string' ? [] : header;
    return typeof header === 'string' ? { line: row.number, fault: header } : undefined;
  };
  const entryOf = (line: Line): RecordEntry | undefined => {
    if (read === undefined) {
      if (isSkipped(line)) return undefined;
      const fault = wrongFormat(line.text, fields);
      if (fault !== undefined) {
        // One fault says so for all lines.
        read = () => undefined;
        return { line: line.number, fault };
      }
      read = isHeader(line.text, fields)
        ? (each) => fromCsv(csv.push(each))
        : (each) => fromLine(each, first, fields);
    }
    return read(line);
  };
  const entriesOf = (lines: readonly Line[]): RecordEntry[] =>
    lines.map(entryOf).filter((entry) => entry !== undefined);

  return {
    push: (chunk) => entriesOf(splitter.push(chunk)),
    end() {
      const entries = entriesOf(splitter.end());
      const open = fromCsv(csv.end());
      return open === undefined ? entries : [...entries, open];
    },
  };
}

function isSkipped({ text, fault }: Line): boolean {
  return fault === undefined && (text.startsWith('#') || text.trim() === '');
}

/** What is wrong with a first line that begins a format often mistaken for one of the three. */
function wrongFormat(text: string, fields: readonly Field[]): string | undefined {
  if (/^\[(?:\s*$|[\s[]*[{"])/.test(text))
    return 'starts a JSON array; use one object or ID per line, as jq -c .[] prints';
  if (/^\s*\{\s*$/.test(text))
    return 'starts a JSON object of several lines; use one object per line, as jq -c . prints';
  const name = /^"?([\w-]+)"?[;\t]/.exec(text)?.[1];
  if (name === undefined || fieldNamed(name, fields) === undefined) return undefined;
  return 'is a header whose columns are not separated by commas';
}

const isJson = (text: string) => text.startsWith('{') || /^\s+\{/.test(text);

/** A first line that is not JSON and names an input, or has a comma, which no id has, is the header of a CSV. */
function isHeader(text: string, fields: readonly Field[]): boolean {
  if (isJson(text)) return false;
  return text.includes(',') || fieldNamed(text.replace(/^"(.*)"$/, '$1'), fields) !== undefined;
}

function fromLine(
  line: Line,
  first: Field | undefined,
  fields: readonly Field[],
): RecordEntry | undefined {
  const { number, text, fault } = line;
  if (fault !== undefined) return { line: number, fault };
  if (isSkipped(line)) return undefined;
  if (isJson(text)) return fromJson(number, text, fields);
  if (first !== undefined) return { line: number, input: { [first.name]: text } };
  return { line: number, fault: `is neither a JSON object nor CSV; inputs: ${namesOf(fields)}` };
}

function fromJson(line: number, text: string, fields: readonly Field[]): RecordEntry {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { line, fault: `is ${(error as Error).message}` };
  }
  // It starts with a brace, so it is an object.
  const input = value as Input;
  const unknown = Object.keys(input).find((key) => fields.every(({ name }) => name !== key));
  if (unknown === undefined) return { line, input };
  const named = JSON.stringify(unknown);
  return { line, fault: `unknown field ${named} (expected: ${namesOf(fields)})` };
}

/** The fields of the columns, or what is wrong with the header. */
function columnsOf({ cells }: CsvRow, fields: readonly Field[]): readonly Field[] | string {
  const columns = cells.map((cell) => fieldNamed(cell.trim(), fields));
  const at = columns.indexOf(undefined);
  if (at >= 0) {
    const named = JSON.stringify(cells[at]!.trim().slice(0, 40));
    return `unknown CSV column ${named} (expected: ${namesOf(fields)})`;
  }
  const twice = columns.find((field, i) => columns.indexOf(field) !== i);
  return twice === undefined ? (columns as readonly Field[]) : `duplicate CSV column ${twice.name}`;
}

function fromCells(
  { number: line, cells }: CsvRow,
  columns: readonly Field[],
): RecordEntry | undefined {
  // The header was refused.
  if (columns.length === 0) return undefined;
  if (cells.length !== columns.length)
    return { line, fault: `has ${cells.length} cells, the header ${columns.length}` };
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

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name).join(', ');
