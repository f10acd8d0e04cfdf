// The file of `sandbox serve --record`: a line for each request, whole and written before the answer leaves, so that
// who has the answer finds the line. A new private file: nothing that is there is ever written over or added to.

import { closeSync, openSync, writeSync } from 'node:fs';
import { cannotRecord, codeOf, failure } from '../files/trouble.ts';
import type { Exchange } from '../sandbox/exchange.ts';

export interface Recording {
  /** Adds a line; where that fails it is noted once, and the sandbox goes on. */
  add(exchange: Exchange): void;
  close(): void;
}

/** Makes the file, mode 0600. Throws `Failure('local_io')` where there is one, or none can be made. */
export function startRecording(
  path: string,
  lineOf: (exchange: Exchange) => string,
  note: (line: string) => void,
): Recording {
  const fd = create(path);
  let failed = false;
  return {
    add(exchange) {
      try {
        const bytes = Buffer.from(`${lineOf(exchange)}\n`);
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
      } catch (error) {
        if (!failed)
          note(`sandbox: ${cannotRecord(path, error).message}; requests are missing there`);
        failed = true;
      }
    },
    close: () => closeSync(fd),
  };
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw cannotRecord(path, error);
    throw failure(`${path} is there already; name a new file for --record, or remove it`, error);
  }
}
