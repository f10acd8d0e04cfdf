// Runs work and records in the history how it ended. Does not load the recorder: most calls are reads and need none.

import { asFailure } from '../output/error-report.ts';
import type { ObservedChange } from './recorder.ts';

/** Runs `work`, which returns how many of `count` records were done, if it is a batch. Rejects as `work` does. */
export async function recordDuring(
  change: ObservedChange | undefined,
  work: () => Promise<number | void>,
  count?: number,
): Promise<void> {
  if (change === undefined) return void (await work());
  let done: number | void;
  try {
    done = await work();
  } catch (error) {
    await change.end(asFailure(error), count);
    throw error;
  }
  await change.end(undefined, done ?? count);
}
