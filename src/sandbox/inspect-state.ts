// Reads the creation time of the state without a server. Never writes, and takes no lock.

import { join } from 'node:path';
import { ifPossible } from '../base/errors.ts';
import { ownJson } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import { readPart } from '../fs/safe-read.ts';

const MAX_HEADER_BYTES = 1024;

/** When the state was created, from its first line alone: milliseconds since 1970, or 0 where that cannot be read. */
export function createdAtOf(stateDir: string): number {
  const path = join(stateDir, fileNames.sandbox);
  const start = ifPossible(() => readPart(path, MAX_HEADER_BYTES, 'start')) ?? '';
  const header = ownJson(start.split('\n')[0]!) as { readonly createdAt?: unknown } | undefined;
  return Date.parse(String(header?.createdAt)) || 0;
}
