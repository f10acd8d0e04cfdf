// The temporary files beside a file that is being replaced or locked: their names, and those that a crash left.

import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning, processId } from './lock-owner.ts';

const TEMPORARY_END = /\.(\d+)-[0-9a-f]+\.tmp$/;

/** A name beside `target` with the id of this process; `nonce` is hexadecimal and used once. */
export function temporaryName(target: string, nonce: string): string {
  return join(dirname(target), `.${basename(target)}.${processId()}-${nonce}.tmp`);
}

/** Removes the temporary files that dead writers of `target`, and of its lock, left. Those of the living stay. */
export function removeStaleTemporaries(target: string): void {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = TEMPORARY_END.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}
