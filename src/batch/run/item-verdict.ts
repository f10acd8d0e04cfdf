// What became of one item of a batch: by the failure it ended with, and by what was known of its change.

import { formatRoughDuration } from '../../base/durations.ts';
import { Failure, headlineOf } from '../../base/errors.ts';
import { isSignal } from '../../base/exit-codes.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import { asFailure } from '../../output/error-report.ts';
import type { JournalOutcome } from '../journal/format.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { ItemVerdict } from './scheduler.ts';

/** The state of a change while its call runs. */
export interface ChangeState {
  /** Its intent is in the journal. */
  intended: boolean;
  /** The service has answered it. */
  accepted: boolean;
  /** A byte of one of its requests may have left, also of a read before the change. */
  sent: boolean;
  /** The parts that its request names, where the record names others or none. */
  parts?: readonly string[] | undefined;
  requestId?: string;
}

/** The outcome with what the command itself has against the result. */
export function judged(
  ended: CallOutcome,
  { hooks, flags }: Pick<CallContext, 'hooks' | 'flags'>,
): CallOutcome {
  if (ended.failure !== undefined || ended.isSkipped === true) return ended;
  try {
    hooks.judge?.(ended.data, flags);
    return ended;
  } catch (error) {
    return { ...ended, failure: itemFailure(error) };
  }
}

/** The failure of an item. Throws a broken journal and internal errors, which end the whole batch. */
export function itemFailure(error: unknown): Failure {
  const failure = asFailure(error);
  if (failure.kind === 'internal' || failure.kind === 'local_io') throw failure;
  return failure;
}

/** The verdict on an item that ended with this failure, or well. */
export function verdictOf(
  failure: Failure | undefined,
  change: boolean,
  { accepted }: ChangeState,
): ItemVerdict {
  if (failure === undefined) return 'ok';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (failure.kind === 'still_pending') return 'accepted';
  // A refused token is no fault of the record: a run with another token can do it.
  if (failure.facts.status === 401 && !accepted) return 'unstarted';
  if (!isSignal(failure.kind)) return 'failed';
  if (!change) return 'unstarted';
  if (accepted) return 'accepted';
  return failure.outcome === 'unknown' ? 'unknown' : 'unstarted';
}

/** What the journal keeps of it. */
export function outcomeOf(
  failure: Failure | undefined,
  verdict: ItemVerdict,
  { accepted }: ChangeState,
): JournalOutcome {
  if (verdict === 'ok') return 'done';
  // The next run looks again: what was being published may have failed since.
  if (verdict === 'unstarted' || verdict === 'skipped') return 'unsent';
  // What has settled badly may be tried again; what has not settled may not.
  if (accepted && failure?.kind !== 'ended_badly') return 'accepted';
  return verdict === 'unknown' ? 'unknown' : 'failed';
}

/** Why the batch stops after this failure: the token was refused, or the service is down. */
export function stopAfter(failure: Failure | undefined, pace: RateLimiter): Failure | undefined {
  if (failure?.facts.status === 401) {
    const what = 'stopped: the service would reject all other requests too';
    // The record counts as not started and has no line of its own: what refused it is told here.
    const why = [`last: ${headlineOf(failure)}`, ...(failure.facts.why ?? [])];
    return new Failure('unauthorized', { ...failure.facts, what, why });
  }
  const down = pace.down();
  if (down === undefined) return undefined;
  const limited = down.kind === 'rate_limited';
  const { retryAfterMs: asked, requestId } = down.facts;
  const toWait = `the service asks to wait${asked === undefined ? '' : ` ${formatRoughDuration(asked)}`}`;
  return new Failure(limited ? 'rate_limited' : 'batch_failed', {
    what: `stopped: ${limited ? toWait : 'service unavailable'}`,
    why: [`last: ${down.facts.what}`],
    sent: down.facts.sent === true,
    retryable: false,
    ...(requestId === undefined ? {} : { requestId }),
  });
}
