// A canary: the first records of a batch are sent and waited for, and the others only if few of those went wrong.

import { Failure } from '../../base/errors.ts';
import type { Canary } from '../options.ts';
import type { BatchItem } from '../read/validate-records.ts';
import type { BatchCounts, ScheduleResult } from './scheduler.ts';

/** The code of the failure that a batch stops with after its canary. */
export const CANARY_FAILED = 'canary_failed';

/** The records of a batch in two parts, which have to be read in this order. */
export interface CanaryParts {
  readonly first: AsyncGenerator<readonly BatchItem[]>;
  readonly rest: AsyncGenerator<readonly BatchItem[]>;
}

/** Divides records after the first `count`. `toDo` gives those of a group that are to be done. */
export function divideRecords(
  records: AsyncGenerator<readonly BatchItem[]>,
  count: number,
  toDo: (group: readonly BatchItem[], isFirst: boolean) => readonly BatchItem[],
): CanaryParts {
  let left = count;
  let kept: readonly BatchItem[] = [];
  const parts = {
    async *first() {
      while (left > 0) {
        const next = await records.next();
        if (next.done === true) return;
        const items = toDo(next.value.slice(0, left), true);
        kept = next.value.slice(left);
        left -= next.value.length - kept.length;
        if (items.length > 0) yield items;
      }
    },
    async *rest() {
      const items = toDo(kept, false);
      if (items.length > 0) yield items;
      for await (const group of records) {
        const others = toDo(group, false);
        if (others.length > 0) yield others;
      }
    },
  };
  return { first: parts.first(), rest: parts.rest() };
}

export interface CanaryRun {
  readonly canary: Canary;
  /** Records to do in all, those that are done already included. */
  readonly count: number;
  readonly rest: CanaryParts['rest'];
  /** How many of the first records an earlier run has done. */
  readonly doneBefore: number;
  runRest(failuresSoFar: number): Promise<ScheduleResult<BatchItem>>;
  note(line: string): void;
}

/** Goes on after the canary, or stops with what it says. What is unknown or still pending did not succeed. */
export async function afterCanary(
  first: ScheduleResult<BatchItem>,
  { canary, count, rest, doneBefore, runRest, note }: CanaryRun,
): Promise<ScheduleResult<BatchItem>> {
  const others = async function* () {
    yield* first.rest();
    for await (const group of rest) yield* group;
  };
  if (first.stopped !== undefined) return { ...first, rest: others };
  const bad = first.failed + first.unknown + first.accepted;
  const all = bad + first.ok + doneBefore;
  const percent = all === 0 ? 0 : (100 * bad) / all;
  const share = `${Math.round(10 * percent) / 10}%, limit ${canary.maxPercent}%`;
  const result = `${bad} of ${all} did not succeed (${share})`;
  if (percent > canary.maxPercent)
    return { ...first, rest: others, stopped: canaryFailed(result, count - all) };
  if (count > all) note(`canary passed: ${result}; continuing with ${count - all} more`);
  const then = await runRest(first.failed + first.unknown);
  return { ...then, ...added(first, then), sent: first.sent || then.sent };
}

const added = (a: BatchCounts, b: BatchCounts) => ({
  ok: a.ok + b.ok,
  failed: a.failed + b.failed,
  unknown: a.unknown + b.unknown,
  accepted: a.accepted + b.accepted,
  skipped: a.skipped + b.skipped,
});

const canaryFailed = (result: string, left: number) =>
  new Failure('batch_failed', {
    what: `canary failed: ${result}; ${left === 0 ? 'there was nothing else to send' : `the other ${left} were not sent`}`,
    code: CANARY_FAILED,
    hint: 'fix what failed and run it again; without --canary it sends all that is left',
    retryable: false,
  });
