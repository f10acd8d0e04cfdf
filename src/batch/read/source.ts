// The text of a list: a file, or standard input, read whole.

import { type FileHandle, open } from 'node:fs/promises';
import { iterateUntilAborted, raceAbort } from '../../base/abort.ts';
import { usageFailure } from '../../base/errors.ts';
import { isStdinPath } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { codeOf } from '../../fs/io-errors.ts';

/** The name of standard input in messages. */
export const STDIN = 'standard input';

const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;

/** All bytes of a list, `-` for standard input. Throws `usage` where it cannot be read, or has more than 256 MiB. */
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
    // A named pipe cannot be opened before another process writes to it.
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
    // A read of a pipe that nobody writes keeps its descriptor until the process ends.
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
