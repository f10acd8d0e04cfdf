// A canary: the first remaining records are sent and waited for, and the others only if few of those failed.

import { Failure } from '../base/errors.ts';
import type { BatchCounts } from './report/summary.ts';

/** The code of the failure with which a batch stops after its canary. */
export const CANARY_FAILED = 'canary_failed';

/**
 * Decides whether the batch continues after its canary, and makes the message. Unknown and pending records did not
 * succeed, and a canary that sent nothing did not pass.
 */
export function judgeCanary(
  maxPercent: number,
  { ok, failed, unknown, accepted, skipped }: BatchCounts,
  left: number,
): { readonly why?: Failure; readonly passed?: string } {
  const bad = failed + unknown + accepted;
  const all = bad + ok;
  if (all === 0) {
    if (left === 0) return {};
    return {
      why: canaryFailed(`it tried nothing: ${skipped} of ${skipped} had nothing to do`, left),
    };
  }
  const percent = (100 * bad) / all;
  const share = `${Math.round(10 * percent) / 10}%, limit ${maxPercent}%`;
  const result = `${bad} of ${all} did not succeed (${share})`;
  if (percent > maxPercent) return { why: canaryFailed(result, left) };
  return left === 0 ? {} : { passed: `canary passed: ${result}; continuing with ${left} more` };
}

const canaryFailed = (result: string, left: number) =>
  new Failure('batch_failed', {
    what: `canary failed: ${result}; ${left === 0 ? 'there was nothing else to send' : `the other ${left} were not sent`}`,
    code: CANARY_FAILED,
    hint: 'fix what failed and run it again; without --canary it sends all that is left',
    retryable: false,
  });
