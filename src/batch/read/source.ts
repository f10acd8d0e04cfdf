// Where the records of a batch come from: a file, standard input, or the ids on the command line. Each can be read
// twice; a stream is copied to a private temporary file for the second reading.

import type { Field } from '../../api/operations/fields.ts';
import { raceAbort, iterateUntilAborted } from '../../base/abort.ts';
import { usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { codeOf } from '../../fs/io-errors.ts';
import { openRereadable, openSpool, type RereadableFile } from '../../fs/read-twice.ts';
import type { RecordEntry } from './objects.ts';
import { type RecordReader, recordReader } from './records.ts';
import type { Input } from '../../api/operations/define-operation.ts';

export interface RecordSource {
  /** Its name in messages. */
  readonly name: string;
  /** The records from the first on, in groups. May be called again once the first reading has ended. */
  entries(): AsyncIterable<readonly RecordEntry[]>;
  close(): Promise<void>;
}

/** Bytes read at once: few enough records to be done before a garbage collection would move them. */
const PIECE_BYTES = 2 * 1024;

export const STDIN = 'standard input';

/** The inputs of the command line, numbered from 1. */
export function typedSource(inputs: readonly Input[]): RecordSource {
  return {
    name: 'the command line',
    async *entries() {
      yield inputs.map((input, i) => ({ line: i + 1, input }));
    },
    close: async () => undefined,
  };
}

/**
 * The records of a file, or of standard input for `-`; `column` is where in each its ID is, if they are no inputs.
 * Throws `usage` where it cannot be read.
 */
export async function recordSource(
  { from, column }: { readonly from: string; readonly column: string | undefined },
  fields: readonly Field[],
  runtime: Runtime,
): Promise<RecordSource> {
  if (column !== undefined && fields.every(({ argument }) => argument === undefined))
    throw usageFailure({ field: '--column', problem: 'needs a command that takes an ID' });
  const reader = () => recordReader(fields, column);
  if (from === '-') return streamSource(STDIN, stdinOf(runtime), reader);
  // A named pipe cannot be opened before another process writes to it.
  const opened = await raceAbort(open(from), runtime.signal);
  if (Symbol.asyncIterator in opened)
    return streamSource(from, iterateUntilAborted(opened, runtime.signal), reader);
  return {
    name: from,
    entries: () => entriesOf(opened.chunks(), reader()),
    close: () => opened.close(),
  };
}

function stdinOf({ stdin }: Runtime): AsyncIterable<Uint8Array> {
  if (!stdin.isTTY) return stdin.chunks();
  throw usageFailure({
    field: '--from',
    problem: 'cannot read stdin: it is a terminal',
    fix: 'pipe the records in, or specify a file',
  });
}

const openProblems: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

async function open(path: string): Promise<RereadableFile | AsyncIterable<Uint8Array>> {
  try {
    return await openRereadable(path);
  } catch (error) {
    const code = codeOf(error) ?? '';
    const why = openProblems[code] ?? code;
    throw usageFailure({ field: '--from', problem: `cannot read ${quote(path)}: ${why}` });
  }
}

/** Reads the stream once and copies it to a spool, which every later reading is of. */
async function streamSource(
  name: string,
  stream: AsyncIterable<Uint8Array>,
  reader: () => RecordReader,
): Promise<RecordSource> {
  const spool = await openSpool();
  let isSpooled = false;
  async function* spooled() {
    for await (const chunk of stream) {
      await spool.write(chunk);
      yield chunk;
    }
  }
  return {
    name,
    entries() {
      const chunks = isSpooled ? spool.chunks() : spooled();
      isSpooled = true;
      return entriesOf(chunks, reader());
    },
    close: () => spool.close(),
  };
}

async function* entriesOf(
  chunks: AsyncIterable<Uint8Array>,
  reader: RecordReader,
): AsyncIterable<readonly RecordEntry[]> {
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES)
      yield reader.push(chunk.subarray(from, from + PIECE_BYTES));
  yield reader.end();
}
