// A canary: the first records of a batch are sent and waited for, and the others only if few of those went wrong.

import { Failure } from '../../base/errors.ts';
import type { Canary } from '../options.ts';
import type { BatchItem } from '../read/validate-records.ts';
import type { BatchCounts } from '../report/summary.ts';
import type { ScheduleResult } from './scheduler.ts';

/** The code of the failure that a batch stops with after its canary. */
export const CANARY_FAILED = 'canary_failed';

type Groups = AsyncGenerator<readonly BatchItem[]>;

/**
 * Divides records after the first `count`; both parts have to be read, in this order. `toDo` gives those of a group
 * that are to be done.
 */
export function divideRecords(
  records: Groups,
  count: number,
  toDo: (group: readonly BatchItem[], isFirst: boolean) => readonly BatchItem[],
): { readonly first: Groups; readonly rest: Groups } {
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

interface CanaryRun {
  readonly canary: Canary;
  /** Records to do in all, those that are done already included. */
  readonly count: number;
  readonly rest: Groups;
  /** How the first records have ended. */
  readonly counts: BatchCounts;
  runRest(): Promise<ScheduleResult<BatchItem>>;
  note(line: string): void;
}

/** Goes on after the canary, or stops with what it says. What is unknown or still pending did not succeed. */
export async function afterCanary(
  first: ScheduleResult<BatchItem>,
  { canary, count, counts, rest, runRest, note }: CanaryRun,
): Promise<ScheduleResult<BatchItem>> {
  const others = async function* () {
    yield* first.rest();
    for await (const group of rest) yield* group;
  };
  if (first.stopped !== undefined) return { ...first, rest: others };
  const bad = counts.failed + counts.unknown + counts.accepted;
  const all = bad + counts.ok + counts.before;
  const percent = all === 0 ? 0 : (100 * bad) / all;
  const share = `${Math.round(10 * percent) / 10}%, limit ${canary.maxPercent}%`;
  const result = `${bad} of ${all} did not succeed (${share})`;
  if (percent > canary.maxPercent)
    return { ...first, rest: others, stopped: canaryFailed(result, count - all) };
  if (count > all) note(`canary passed: ${result}; continuing with ${count - all} more`);
  const then = await runRest();
  return { ...then, sent: first.sent || then.sent };
}

const canaryFailed = (result: string, left: number) =>
  new Failure('batch_failed', {
    what: `canary failed: ${result}; ${left === 0 ? 'there was nothing else to send' : `the other ${left} were not sent`}`,
    code: CANARY_FAILED,
    hint: 'fix what failed and run it again; without --canary it sends all that is left',
    retryable: false,
  });
