// Reads a file or a stream twice, by chunks: a regular file as it is, anything else through a private file without a
// name. Holds none of it in memory.

import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync, unlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotRecord } from './io-errors.ts';
import { tempFolder } from './temp-folder.ts';

export type RereadableFile = ReturnType<typeof reread>;

const CHUNK_BYTES = 16 * 1024;

/** A file to read twice; a pipe or a device is a stream. Rejects with the system's error. */
export async function openRereadable(
  path: string,
): Promise<RereadableFile | AsyncIterable<Uint8Array>> {
  // Opened before its kind is known: a pipe can be opened once only, and what is written to it would be lost.
  const file = await open(path, 'r');
  const kind = await file.stat();
  if (kind.isFile()) return reread(file, () => undefined);
  if (kind.isDirectory()) {
    await file.close();
    throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
  }
  return createReadStream(path, { fd: file, highWaterMark: CHUNK_BYTES });
}

/** A new private file (0600) that is gone with the process, however that ends. */
export async function openSpool() {
  const path = join(tempFolder(), `social-${randomBytes(9).toString('hex')}`);
  try {
    const file = await open(path, 'wx+', 0o600);
    const remove = removeNow(path) ? () => undefined : () => rmSync(path, { force: true });
    return {
      ...reread(file, remove),
      /** Takes the next chunk. Rejects with `Failure('local_io')`. */
      write: async (chunk: Uint8Array): Promise<void> => {
        try {
          await file.appendFile(chunk);
        } catch (error) {
          throw cannotRecord(`a temporary file in ${tempFolder()}`, error);
        }
      },
    };
  } catch (error) {
    throw cannotRecord(path, error);
  }
}

/** An open file stays without its name, except on Windows. */
function removeNow(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function reread(file: FileHandle, remove: () => void) {
  return {
    /** All of it, from the start. A chunk is valid until the next one is asked for. */
    async *chunks(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let at = 0; ;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    /** Closes it; the text of a spool is lost then. */
    close: async (): Promise<void> => {
      await file.close();
      remove();
    },
  };
}
