// The files that a run writes besides its results: the records of a batch that failed, and those with an unknown
// outcome.

import { type Replacement, startReplacement } from '../fs/atomic-write.ts';
import { withLongFileLock } from '../fs/linked-file-lock.ts';
import type { Runtime } from '../base/runtime.ts';
import { toNdjson } from '../output/format.ts';
import type { BatchSettings } from './options.ts';
import type { BatchItem } from './read/validate-records.ts';
import type { ItemVerdict } from './run/scheduler.ts';

/** Runs `work` with a new file for this path, if there is one, under its lock. Throws `Failure('local_io')`. */
export async function withOutput(
  path: string | undefined,
  runtime: Runtime,
  work: (output: Replacement | undefined) => Promise<void>,
): Promise<void> {
  if (path === undefined) return work(undefined);
  return withLongFileLock(path, runtime, async () => {
    const output = startReplacement(path);
    try {
      await work(output);
    } finally {
      output.drop();
    }
  });
}

/** Takes the records for `--failures-to` and `--unknown-to`. */
export interface FailureLists {
  /** Whether there is a file for them. */
  readonly isKept: boolean;
  /** Adds a record that failed, or one with an unknown outcome; leaves out every other. */
  add(item: BatchItem, verdict: ItemVerdict): void;
  /** Adds a record that was not sent: among the unknown ones where an earlier run may have sent it. */
  addUnsent(item: BatchItem): void;
  /** Whether the file of failed records has none: what was accepted may have failed, and is not in it. */
  isEmpty(): boolean;
  /** Puts the files in their places. Throws `Failure('local_io')`. */
  finish(): void;
}

/** Runs `work` with the files that were asked for. `given` is what the command's own words say of each record. */
export const withFailureLists = (
  { failuresTo, unknownTo, retryUnknown }: BatchSettings,
  given: object,
  runtime: Runtime,
  work: (failureLists: FailureLists) => Promise<void>,
): Promise<void> =>
  withOutput(failuresTo, runtime, (failed) =>
    withOutput(unknownTo, runtime, (unknown) =>
      work(createFailureLists({ failed, unknown }, given, retryUnknown)),
    ),
  );

type Outputs = Readonly<Record<'failed' | 'unknown', Replacement | undefined>>;

/** Writes each record to the file of its verdict, in the form that `--from` reads, without what is `given`. */
export function createFailureLists(
  { failed, unknown }: Outputs,
  given: object,
  retryUnknown: boolean,
): FailureLists {
  let isEmpty = true;
  const add = ({ input }: BatchItem, verdict: ItemVerdict) => {
    const output = verdict === 'failed' ? failed : verdict === 'unknown' ? unknown : undefined;
    if (output === undefined) return;
    if (output === failed) isEmpty = false;
    const own = Object.entries(input).filter(([name]) => !Object.hasOwn(given, name));
    output.add(toNdjson([Object.fromEntries(own)]));
  };
  return {
    isKept: (failed ?? unknown) !== undefined,
    add,
    addUnsent(item) {
      if (item.past === 'accepted') return;
      add(item, item.past === 'unknown' && !retryUnknown ? 'unknown' : 'failed');
    },
    isEmpty: () => isEmpty,
    finish() {
      failed?.finish();
      unknown?.finish();
    },
  };
}
