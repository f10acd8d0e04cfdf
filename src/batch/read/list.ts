// Reads a list whole from a file or standard input, and parses it to the inputs of calls: IDs, JSON, CSV or TSV,
// detected by its start. Other code validates the values.

import { createReadStream } from 'node:fs';
import { iterateUntilAborted } from '../../base/abort.ts';
import { ifPossible, usageFailure } from '../../base/errors.ts';
import { isStdinPath, pathMistake } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { decodeUtf8, firstInvalidByte, isUtf16, withoutBom } from '../../base/utf8.ts';
import { LIST_MARK } from '../../fs/atomic-write.ts';
import { codeOf } from '../../fs/io-errors.ts';
import {
  type Delimiter,
  doubtfulHeader,
  fieldNamed,
  fromTable,
  isBlank,
  isComment,
  type ParsedRecords,
} from './csv.ts';
import { fromJson, isJsonDocuments, jsonParts, type Line, namesOf, recordOfId } from './json.ts';
import {
  listId,
  type ParsedRecord,
  type RecordFormat,
  spreadsheetFormat,
  trimmed,
  withListIds,
} from './list-ids.ts';

/** The name of standard input in messages. */
export const STDIN = 'standard input';

const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;

/** Reads all bytes of a list, `-` for standard input. Throws `usage` if it cannot be read, or has more than 256 MiB. */
export async function readList(from: string, { stdin, signal }: Runtime): Promise<Buffer> {
  if (isStdinPath(from)) {
    if (!stdin.isTTY) return readAll(stdin.chunks(), STDIN);
    throw usageFailure({
      field: '--from',
      problem: 'cannot read stdin: it is a terminal',
      fix: 'pipe the records in, or specify a file',
    });
  }
  try {
    // A named pipe is silent until another process writes to it.
    const chunks = createReadStream(from, { highWaterMark: MIB });
    return await readAll(iterateUntilAborted<Buffer>(chunks, signal), quote(from));
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const problem = `cannot read ${quote(from)}: ${problems[code] ?? code}`;
    const mistake = code === 'ENOENT' ? pathMistake(from) : undefined;
    const fix = mistake && `it ${mistake.problem}; ${mistake.fix}`;
    throw usageFailure({ field: '--from', problem, fix });
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
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

/** The parsed records of a list. */
export interface ParsedList extends ParsedRecords {
  /** The unit in which the positions of the records count: a JSON array may be one line. */
  readonly unit: 'line' | 'record';
}

/** Parses the records of a list, each with its position. */
export function parseList(bytes: Uint8Array, format: RecordFormat): ParsedList {
  const decoded = decodeText(bytes);
  if (typeof decoded !== 'string') return refused(decoded.line, decoded.fault);
  // Old exports end lines by a carriage return alone. In a JSON text sequence, each value begins with RS.
  const text = decoded.replace(/\r\n?/g, '\n').replaceAll(/^\x1e/gm, '');
  const { parsed, ...list } = recordsIn(text, format);
  return { ...list, parsed: parsed.map((record) => withListIds(record, format)) };
}

function recordsIn(text: string, format: RecordFormat): ParsedList {
  const strange = notAList(text);
  if (strange !== undefined) return strange;
  if (!isJsonDocuments(text)) {
    const list = fromLines(linesOf(text), format);
    // A page of the API on one line, `{"data":[…]}`, has all its records there: they are counted, not the lines.
    const isPage =
      list.parsed.length > 1 && new Set(list.parsed.map(({ line }) => line)).size === 1;
    return isPage ? { ...list, ...numbered(list.parsed) } : { ...list, unit: 'line' };
  }
  const parts = jsonParts(text, 1);
  const faults = parts.filter((part) => 'fault' in part);
  if (faults.length > 0) return { unit: 'line', parsed: faults, comments: 0 };
  const isOnly = parts.length === 1;
  const records = parts
    .flatMap((part) => ('value' in part ? itemsOf(part.value) : []))
    .flatMap((value) => fromJson(0, value, { ...format, isOnly }));
  return { ...numbered(records), comments: 0 };
}

/** Returns the items of nested arrays. An array of several IDs in another one stays: it may be a row of cells. */
function itemsOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.flatMap((item) => (isRow(item) ? [item] : itemsOf(item)));
}

const isRow = (item: unknown) => Array.isArray(item) && item.length > 1 && !item.some(isNested);

const isNested = (value: unknown) => typeof value === 'object' && value !== null;

const numbered = (records: readonly ParsedRecord[]) => ({
  unit: 'record' as const,
  parsed: records.map((record, i) => ({ ...record, line: i + 1 })),
});

const refused = (line: number, fault: string): ParsedList => ({
  unit: 'line',
  parsed: [{ line, fault }],
  comments: 0,
});

/** The first bytes of files that are not text, and what to do with them. */
const BINARY_FORMATS: readonly (readonly [start: string, fault: string])[] = [
  ['PK\x03\x04', 'is a workbook or a ZIP archive; export the sheet as CSV'],
  ['\xd0\xcf\x11\xe0', 'is an Excel workbook; export the sheet as CSV'],
  ['\x1f\x8b', 'is compressed with gzip; uncompress it first'],
  ['%PDF', 'is a PDF'],
];

const SAVE_AS_UTF8 = 'save the list as UTF-8 (in a spreadsheet: CSV UTF-8)';

/** Decodes UTF-8, or UTF-16 with a byte order mark, without the mark; returns the fault of other bytes. */
function decodeText(bytes: Uint8Array): string | { readonly line: number; readonly fault: string } {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  const [, known] = BINARY_FORMATS.find(([magic]) => start.startsWith(magic)) ?? [];
  if (known !== undefined) return { line: 1, fault: known };
  if (isUtf16(bytes)) {
    const decoder = new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be', { fatal: true });
    const fault = `is not valid UTF-16; ${SAVE_AS_UTF8}`;
    return ifPossible(() => decoder.decode(bytes)) ?? { line: 1, fault };
  }
  const text = decodeUtf8(bytes);
  if (text !== undefined) return withoutBom(text);
  const invalid = firstInvalidByte(bytes);
  // Latin-1 decodes all bytes, and has the same line ends.
  const line = lineAtEndOf(Buffer.from(bytes.subarray(0, invalid)).toString('latin1'));
  return { line, fault: `is not valid UTF-8 (byte ${invalid + 1}); ${SAVE_AS_UTF8}` };
}

/** Refuses text whose lines could be IDs, although it is not a list. */
function notAList(text: string): ParsedList | undefined {
  const zero = text.indexOf('\0');
  if (zero >= 0)
    return refused(
      lineAtEndOf(text.slice(0, zero)),
      `has a zero byte, so it is no text; ${SAVE_AS_UTF8}`,
    );
  return /^\s*<[!?/a-z]/i.test(text)
    ? refused(1, 'is HTML or XML; save the list as IDs, JSON, CSV or TSV')
    : undefined;
}

const lineAtEndOf = (text: string): number => text.split(/\r\n?|\n/).length;

const linesOf = (text: string): readonly Line[] =>
  text.split('\n').map((line, i) => ({ number: i + 1, text: line }));

/** Spreadsheets read the delimiter of a CSV from its first line: `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([,;|\t])"?[,;|\t]*$/i;

function fromLines(all: readonly Line[], format: RecordFormat): ParsedRecords {
  const [, separator] = SEPARATOR_LINE.exec(all[0]!.text) ?? [];
  // The first line of a list that this program made says so to others.
  const isOurs = `${all[0]!.text}\n` === LIST_MARK;
  const lines = separator === undefined && !isOurs ? all : all.slice(1);
  const data = lines.filter((line) => !isBlank(line.text) && !isComment(line));
  // If all lines look like comments, one of them may be the header of --column.
  const head = data[0] ?? (format.column === undefined ? undefined : lines.find(isComment));
  const delimiter =
    (separator as Delimiter | undefined) ?? (head && delimiterOf(head.text, data, format));
  if (delimiter !== undefined) return fromTable(lines, delimiter, format);
  const isOnly = data.length === 1;
  const parsed = data.flatMap((line) => fromLine(line, { ...format, isOnly }));
  const [first = '', ...others] = data.map(({ text }) => listId(text));
  const fault = doubtfulHeader(first, others, format.fields);
  if (fault !== undefined) parsed[0] = { line: data[0]!.number, fault };
  return { parsed, comments: lines.filter(isComment).length };
}

const isJson = (text: string) => /^\s*\{/.test(text);

/**
 * Returns the delimiter if the lines are a CSV or TSV: the first one is not JSON, and names an input, or has a comma or
 * a tab, which no ID has; or each line has a semicolon or a bar.
 */
function delimiterOf(
  text: string,
  data: readonly Line[],
  { fields, column }: RecordFormat,
): Delimiter | undefined {
  if (isJson(text)) return undefined;
  if (text.includes('\t')) return '\t';
  const names = (delimiter: Delimiter) => text.split(delimiter).map(listId);
  const delimiters = [',', ';', '|'] as const;
  if (column !== undefined) {
    const counts = delimiters.map((each) => names(each).length);
    return (
      delimiters.find((each) => names(each).includes(column)) ??
      delimiters[counts.indexOf(Math.max(...counts))]
    );
  }
  const named = delimiters.find((each) =>
    names(each).some((name) => fieldNamed(name, fields) !== undefined),
  );
  if (named !== undefined) return named;
  const id = listId(text);
  // A column such as `post id` is not an input, but as a header it gets a fault that suggests --column.
  if (/^(?:[a-z]+[ _-])?id$/i.test(id)) return ',';
  if (spreadsheetFormat(id) !== undefined) return undefined;
  const isInAll = (each: string) =>
    data.length > 1 && data.every((line) => line.text.includes(each));
  return text.includes(',') ? ',' : delimiters.slice(1).find(isInAll);
}

/** Parses a line with an ID or JSON. */
function fromLine({ number: line, text }: Line, format: RecordFormat): readonly ParsedRecord[] {
  const { idField, fields, column } = format;
  if (isJson(text))
    return jsonParts(text, line).flatMap((part): readonly ParsedRecord[] =>
      'fault' in part ? [part] : fromJson(line, part.value, format),
    );
  if (column !== undefined) return [{ line, fault: 'is not a JSON object' }];
  if (idField === undefined)
    return [{ line, fault: `is neither a JSON object nor CSV; inputs: ${namesOf(fields)}` }];
  const id = listId(text);
  // A line of words, such as `- 113` or `113 and 114`, is not one ID. Numbers with spaces get their own fault.
  const isWords = /\s/.test(id) && id === trimmed(text) && spreadsheetFormat(id) === undefined;
  return isWords
    ? [{ line, fault: 'has a space; write one ID per line, in quotes if it has spaces' }]
    : [recordOfId(line, text, 'ID', idField)];
}
