// Reads a list whole from a file or standard input, and parses it to the inputs of calls: IDs, JSON, CSV or TSV,
// detected by its start. Other code validates the values.

import { createReadStream } from 'node:fs';
import { iterateUntilAborted } from '../../base/abort.ts';
import { usageFailure } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { isStdinPath } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { decodeUtf8, firstInvalidByte, withoutBom } from '../../base/utf8.ts';
import { codeOf } from '../../fs/io-errors.ts';
import { type Delimiter, fieldNamed, fromTable, isSkipped, type Line } from './csv.ts';
import {
  fromJson,
  recordOfId,
  jsonDocuments,
  namesOf,
  type ParsedRecord,
  type RecordFormat,
} from './json.ts';

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
    throw usageFailure({ field: '--from', problem });
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
export interface ParsedList {
  /** The unit in which the positions of the records count: a JSON array may be one line. */
  readonly unit: 'line' | 'record';
  readonly parsed: readonly ParsedRecord[];
}

/** Parses the records of a list, each with its position. */
export function parseList(bytes: Uint8Array, format: RecordFormat): ParsedList {
  const decoded = decodeUtf8(bytes);
  if (decoded === undefined) {
    // Latin-1 decodes all bytes, and has the same line feeds.
    const before = bytes.subarray(0, firstInvalidByte(bytes));
    const line = lineAtEndOf(Buffer.from(before).toString('latin1'));
    return refused(line, 'is not valid UTF-8; save the list as UTF-8');
  }
  const text = withoutBom(decoded);
  const documents = jsonDocuments(text);
  if (documents === undefined) return { unit: 'line', parsed: fromLines(linesOf(text), format) };
  const values: unknown[] = [];
  for (const document of documents) {
    try {
      values.push(parseJson(document));
    } catch (error) {
      const start = text.slice(0, text.indexOf(document));
      return refused(lineAtEndOf(start), `is ${(error as Error).message}`);
    }
  }
  const records = values.flat(Infinity);
  return { unit: 'record', parsed: records.flatMap((value, i) => fromJson(i + 1, value, format)) };
}

const refused = (line: number, fault: string): ParsedList => ({
  unit: 'line',
  parsed: [{ line, fault }],
});

const lineAtEndOf = (text: string): number => text.split('\n').length;

const linesOf = (text: string): readonly Line[] =>
  text.split('\n').map((line, i) => ({
    number: i + 1,
    text: line.endsWith('\r') ? line.slice(0, -1) : line,
  }));

function fromLines(lines: readonly Line[], format: RecordFormat): readonly ParsedRecord[] {
  const head = lines.find((line) => !isSkipped(line));
  if (head === undefined) return [];
  const delimiter = delimiterOf(head.text, format);
  if (delimiter !== undefined) return fromTable(lines, delimiter, format);
  return lines.filter((line) => !isSkipped(line)).flatMap((line) => fromLine(line, format));
}

const isJson = (text: string) => text.startsWith('{') || /^\s+\{/.test(text);

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2');

/**
 * Returns the delimiter if the first line is that of a CSV or TSV: it is not JSON, and names an input, or has a comma or
 * a tab, which no ID has. Semicolons also separate the items of a list, so they need --column.
 */
function delimiterOf(text: string, { fields, column }: RecordFormat): Delimiter | undefined {
  if (isJson(text)) return undefined;
  if (text.includes('\t')) return '\t';
  if (column !== undefined) return text.split(';').length > text.split(',').length ? ';' : ',';
  const name = unquoted(text);
  // A column such as `post id` is not an input, but as a header it gets a fault that suggests --column.
  const isName = fieldNamed(name, fields) !== undefined || /^[a-z]+[ _-]id$/i.test(name);
  return isName || text.includes(',') ? ',' : undefined;
}

/** Parses a line with an ID or a JSON object. */
function fromLine({ number: line, text }: Line, format: RecordFormat): readonly ParsedRecord[] {
  const { idField, fields, column } = format;
  if (isJson(text)) {
    try {
      return fromJson(line, parseJson(text), format);
    } catch (error) {
      return [{ line, fault: `is ${(error as Error).message}` }];
    }
  }
  if (column !== undefined) return [{ line, fault: 'is not a JSON object' }];
  if (idField === undefined)
    return [{ line, fault: `is neither a JSON object nor CSV; inputs: ${namesOf(fields)}` }];
  return [recordOfId(line, unquoted(text), 'ID', idField)];
}
