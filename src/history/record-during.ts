// Runs work and records how it ended. Loads nothing of the recorder: most calls are reads, and keep no record.

import { asFailure } from '../output/error-report.ts';
import type { ChangeRecord } from './recorder.ts';

/** Does the work, and then writes down how it ended; of `count` things it gives how many went well. */
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
