// Temporary files: how they are named, and how those of dead writers are found again and removed.

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning, ownId } from './holder.ts';

const NAME_END = /(?:^|\.)(\d+)-[0-9a-f]+\.tmp$/;

/** A name beside `target` that says whose it is; `nonce` is hexadecimal and used once. */
export function temporaryName(target: string, nonce: string): string {
  return join(dirname(target), `.${basename(target)}.${ownId()}-${nonce}.tmp`);
}

/** Removes what writers of `target`, and of its lock, left when they died. Those of the living stay. */
export function removeRemains(target: string): void {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.`;
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = NAME_END.exec(name.slice(prefix.length))?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      fs.rmSync(join(folder, name), { force: true });
  }
}
