// Work whose end is written down. Loads nothing: most work is a read, and has no record.

import { asFailure } from '../report.ts';
import type { ChangeRecord } from './record.ts';

/** Does the work, and then writes down how it ended; of `count` things it gives how many went well. */
export async function recorded(
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
