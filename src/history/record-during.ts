// Runs work and records in the history how it ended. Does not load the recorder: most calls are reads and need none.

import { asFailure } from '../output/error-report.ts';
import type { ChangeRecord } from './recorder.ts';

/** Runs `work`, which returns how many of `count` records were done, if it is a batch. Rejects as `work` does. */
export async function recordDuring(
  record: ChangeRecord | undefined,
  work: () => Promise<number | void>,
  count?: number,
): Promise<void> {
  if (record === undefined) return void (await work());
  let done: number | void;
  try {
    done = await work();
  } catch (error) {
    await record.end(asFailure(error), count);
    throw error;
  }
  await record.end(undefined, done ?? count);
}
