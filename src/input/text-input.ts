// Reads text from a file or standard input: at most 1 MiB, and only valid UTF-8.

import { constants, promises as fsPromises } from 'node:fs';
import { decodeUtf8, firstInvalidByte, isUtf16, withoutBom } from '../base/utf8.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';

const LIMIT = 1024 * 1024;

/**
 * Reads the text of a file, or of standard input for `-`, without one final newline. Returns the fault if it cannot.
 */
export async function readText(
  from: string,
  field: string,
  runtime: Runtime,
  /** Called if a final newline was removed. */
  onTrim: () => void = () => undefined,
): Promise<string | Fault> {
  const bytes = from === '-' ? await fromStdin(field, runtime) : await fromFile(from, field);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (bytes.length > LIMIT) return { field, problem: `${named(from)} is larger than 1 MiB` };
  const decoded = decodeUtf8(bytes);
  if (isUtf16(bytes))
    return { field, problem: `${named(from)} is UTF-16`, fix: 'save it as UTF-8' };
  if (decoded === undefined) {
    const byte = firstInvalidByte(bytes) + 1;
    return { field, problem: `${named(from)} is not valid UTF-8 (byte ${byte})` };
  }
  const text = withoutBom(decoded);
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed !== text) onTrim();
  return trimmed;
}

const named = (from: string) => (from === '-' ? 'standard input' : from);

async function fromStdin(field: string, runtime: Runtime): Promise<Uint8Array | Fault> {
  if (runtime.stdin.isTTY)
    return {
      field,
      problem: 'cannot read stdin: it is a terminal',
      fix: 'pipe the text to stdin',
    };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of runtime.stdin.chunks()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMIT) break;
  }
  return Buffer.concat(chunks);
}

async function fromFile(path: string, field: string): Promise<Uint8Array | Fault> {
  try {
    // Without O_NONBLOCK, opening a named pipe would block until a writer opens it.
    const file = await fsPromises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const kind = await file.stat();
      const fix = kind.isFIFO()
        ? `to read from a pipe, use ${field} - and pipe it to stdin`
        : undefined;
      if (!kind.isFile()) return { field, problem: `${path} is not a regular file`, fix };
      const buffer = Buffer.alloc(LIMIT + 1);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'EACCES'
          ? 'is not readable (permission denied)'
          : `cannot be read (${code})`;
    return { field, problem: `${path} ${why}` };
  }
}
