// A canary: the first records of a batch are sent and waited for, and the others only if few of those went wrong.

import { Failure } from '../../base/errors.ts';
import type { Canary } from '../options.ts';
import type { BatchItem } from '../read/validate-records.ts';
import type { BatchCounts } from '../report/summary.ts';
import type { ScheduleResult } from './scheduler.ts';

/** The code of the failure that a batch stops with after its canary. */
export const CANARY_FAILED = 'canary_failed';

interface CanaryRun {
  readonly canary: Canary;
  /** The records that are left to do after those of the canary. */
  readonly rest: readonly BatchItem[];
  /** How the records of the canary have ended. */
  readonly counts: BatchCounts;
  runRest(): Promise<ScheduleResult<BatchItem>>;
  note(line: string): void;
}

/**
 * Goes on after the canary, or stops with what it says. What is unknown or still pending did not succeed, and a canary
 * that tried nothing did not pass.
 */
export async function afterCanary(
  first: ScheduleResult<BatchItem>,
  { canary, counts, rest, runRest, note }: CanaryRun,
): Promise<ScheduleResult<BatchItem>> {
  const others = async function* () {
    yield* first.rest();
    yield* rest;
  };
  if (first.stopped !== undefined) return { ...first, rest: others };
  const bad = counts.failed + counts.unknown + counts.accepted;
  const all = bad + counts.ok;
  if (all === 0) {
    if (rest.length === 0) return first;
    const what = `it tried nothing: ${counts.skipped} of ${counts.skipped} had nothing to do`;
    return { ...first, rest: others, stopped: canaryFailed(what, rest.length) };
  }
  const percent = (100 * bad) / all;
  const share = `${Math.round(10 * percent) / 10}%, limit ${canary.maxPercent}%`;
  const result = `${bad} of ${all} did not succeed (${share})`;
  if (percent > canary.maxPercent)
    return { ...first, rest: others, stopped: canaryFailed(result, rest.length) };
  if (rest.length > 0) note(`canary passed: ${result}; continuing with ${rest.length} more`);
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
