// How the sandbox's state on disk stands. Reads; neither makes a state nor mends one, and takes no lock.

import { join } from 'node:path';
import { createContents } from './contents.ts';
import { createLog } from './log.ts';
import { sizeOf } from './records.ts';

/** `things` is how many it holds. */
export type Found =
  { readonly found: 'none' | 'damaged' } | { readonly found: 'good'; readonly things: number };

/** Looks at the state in a folder. Throws `Failure('local_io')` where it cannot be read, or is of a newer format. */
export function examineState(stateDir: string): Found & { readonly path: string } {
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
