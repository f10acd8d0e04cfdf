// How the sandbox's state on disk stands. Reads; neither makes a state nor mends one, and takes no lock.

import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { openRegular, readRange } from '../fs/safe-read.ts';
import { createContents } from './store/contents.ts';
import { createLog } from './store/log.ts';
import { sizeOf } from './store/tables.ts';

// When the sandbox that is kept in a folder began. Reads the first line of its state and nothing else: who asks has no
// use for what it holds.

const LONGEST_HEADER = 1024;

/** Milliseconds since 1970; 0 where there is none, or none that can be read. */
export function createdAtOf(stateDir: string): number {
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

/** `things` is how many it holds. */
export type InspectedState =
  { readonly found: 'none' | 'damaged' } | { readonly found: 'good'; readonly things: number };

/** Looks at the state in a folder. Throws `Failure('local_io')` where it cannot be read, or is of a newer format. */
export function inspectState(stateDir: string): InspectedState & { readonly path: string } {
  const log = createLog(join(stateDir, 'sandbox.ndjson'));
  const contents = createContents();
  const { path } = log;
  try {
    const look = log.look();
    if (look.found === 'missing') return { path, found: 'none' };
    if (!contents.takeIn(look, path)) return { path, found: 'damaged' };
    return { path, found: 'good', things: sizeOf(contents.tables()) };
  } finally {
    log.close();
  }
}
