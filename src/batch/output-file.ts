// A file that a run writes besides its results.

import { type Replacement, startReplacement } from '../fs/atomic-write.ts';
import { withFileLock } from '../fs/file-lock.ts';
import type { Runtime } from '../base/runtime.ts';
import { journalLockTimeout } from './journal/job.ts';

/** Runs `work` with a new file for this path, if there is one, under its lock. Throws `Failure('local_io')`. */
export async function withOutput(
  path: string | undefined,
  runtime: Runtime,
  work: (output: Replacement | undefined) => Promise<void>,
): Promise<void> {
  if (path === undefined) return work(undefined);
  const replace = async () => {
    const output = startReplacement(path);
    try {
      await work(output);
    } finally {
      output.drop();
    }
  };
  return withFileLock(path, replace, journalLockTimeout(runtime));
}
