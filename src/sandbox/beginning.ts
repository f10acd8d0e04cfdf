// When the sandbox that is kept in a folder began. Reads the first line of its state and nothing else: who asks has no
// use for what it holds.

import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { openRegular, readRange } from '../files/regular.ts';

const LONGEST_HEADER = 1024;

/** Milliseconds since 1970; 0 where there is none, or none that can be read. */
export function beginningOf(stateDir: string): number {
  try {
    const fd = openRegular(join(stateDir, 'sandbox.ndjson'), constants.O_RDONLY);
    try {
      const [line = ''] = readRange(fd, 0, LONGEST_HEADER).toString('utf8').split('\n');
      const { createdAt } = JSON.parse(line) as { readonly createdAt?: unknown };
      return Date.parse(String(createdAt)) || 0;
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0;
  }
}
