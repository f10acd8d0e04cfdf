// A change and its record, which says how it ended. Loads nothing of the record: most calls keep none.

import { asFailure } from '../output/error-report.ts';
import type { ChangeRecord } from './recorder.ts';

// Work whose end is written down. Loads nothing: most work is a read, and has no record.

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
