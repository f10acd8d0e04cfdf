// Reads the state file without a server: its creation time and whether it is intact. Never writes, and takes no lock.

import { join } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { ownJson } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import { readPart } from '../fs/safe-read.ts';
import { createContents } from './store/contents.ts';
import { createLog } from './store/log.ts';
import { sizeOf } from './store/tables.ts';

const MAX_HEADER_BYTES = 1024;

/** When the state was created, from its first line alone: milliseconds since 1970, or 0 where that cannot be read. */
export function createdAtOf(stateDir: string): number {
  const path = join(stateDir, fileNames.sandbox);
  const start = ifPossible(() => readPart(path, MAX_HEADER_BYTES, 'start')) ?? '';
  const header = ownJson(start.split('\n')[0]!) as { readonly createdAt?: unknown } | undefined;
  return Date.parse(String(header?.createdAt)) || 0;
}

/**
 * Whether the state in a folder is intact, and the number of stored values. Throws `Failure('local_io')` where it
 * cannot be read, or is of a newer format.
 */
export function inspectState(stateDir: string) {
  const log = createLog(join(stateDir, fileNames.sandbox));
  const contents = createContents();
  const { path } = log;
  try {
    const read = log.read();
    if (read.found === 'missing') return { path, found: 'none' } as const;
    if (!contents.load(read, path)) return { path, found: 'damaged' } as const;
    return { path, found: 'good', things: sizeOf(contents.tables()) } as const;
  } finally {
    log.close();
  }
}
