// `--failures-to`: the records of a batch that failed or were not started, in the form that `--from` reads.

import { isMap, ownJson } from '../base/json.ts';
import { refuseForeignFile, type Replacement, startReplacement } from '../fs/atomic-write.ts';
import { toNdjson } from '../output/format.ts';
import type { BatchItem } from './read/validate-records.ts';
import type { RecordVerdict } from './run-record.ts';

export interface FailuresFile {
  /** Adds a record that failed; leaves out every other. */
  add(item: BatchItem, verdict: RecordVerdict): void;
  /** Adds a record that was not sent, unless an earlier run has sent it. */
  addUnsent(item: BatchItem): void;
  /** Whether the file has no record: what was accepted may have failed, and is not in it. */
  isEmpty(): boolean;
  /** Puts the file in its place. Throws `Failure('local_io')`. */
  finish(): void;
}

/**
 * Runs `work` with the file at `path`, if one was asked for. `given` is what the command's own words say of each
 * record, which is left out.
 */
export async function withFailuresFile(
  path: string | undefined,
  given: object,
  retryUnknown: boolean,
  work: (failures: FailuresFile) => Promise<void>,
): Promise<void> {
  if (path !== undefined) refuseForeignFile(path, isRecord);
  const output = path === undefined ? undefined : startReplacement(path);
  try {
    await work(failuresFile(output, given, retryUnknown));
  } finally {
    output?.drop();
  }
}

/** Whether a line may be a record that a batch left: an input, whose values are no objects but headers. */
function isRecord(line: string): boolean {
  const record = ownJson(line);
  if (!isMap(record)) return false;
  return Object.entries(record).every(([name, value]) => name === 'customHeaders' || !isMap(value));
}

export function failuresFile(
  output: Pick<Replacement, 'add' | 'finish'> | undefined,
  given: object,
  retryUnknown: boolean,
): FailuresFile {
  let isEmpty = true;
  const write = ({ input }: BatchItem) => {
    if (output === undefined) return;
    isEmpty = false;
    const own = Object.entries(input).filter(([name]) => !Object.hasOwn(given, name));
    output.add(toNdjson([Object.fromEntries(own)]));
  };
  return {
    add(item, verdict) {
      if (verdict === 'failed') write(item);
    },
    addUnsent(item) {
      const mayBeSent = item.past === 'unknown' && !retryUnknown;
      if (item.past !== 'accepted' && !mayBeSent) write(item);
    },
    isEmpty: () => isEmpty,
    finish: () => output?.finish(),
  };
}
