// Makes attempts until there is a response: how often, after which pause and for how long. The failure of an attempt says
// if another is safe (`read-response.ts`). `docs/retries.md` explains it.

import { formatDuration } from '../base/durations.ts';
import { afterSending, Failure, isSignal } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';

export interface RetryPolicy extends Pick<Runtime, 'monotonic' | 'random' | 'sleep'> {
  /** The maximum number of retries. */
  readonly retries: number;
  /** Milliseconds for all attempts and the pauses between them, by the monotonic clock. */
  readonly totalMs: number;
  /** The longest pause that the service may ask for, in milliseconds. */
  readonly maxRetryAfterMs: number;
  /**
   * Runs attempt number `tries`: in a batch it waits for its turn first, until the signal aborts. An attempt that does
   * not start is not counted.
   */
  run<T>(attempt: () => Promise<T>, tries: number, signal: AbortSignal): Promise<T>;
  /** True if another attempt is allowed: a batch has a retry budget for all of its calls. */
  mayRetry(): boolean;
}

/** Makes the retry policy of a single call. */
export const retryPolicyFor = (
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: Runtime,
  retries: number,
): RetryPolicy => ({
  retries,
  totalMs: timeoutMs * (retries + 1),
  maxRetryAfterMs: 60_000,
  monotonic,
  random,
  sleep,
  run: (attempt) => attempt(),
  mayRetry: () => true,
});

/** The range of the first pause; it doubles with each attempt, up to the maximum. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/**
 * Makes attempts until one succeeds, one fails permanently, or the policy allows no other. Throws the last failure;
 * other errors are thrown at once. `attempt` gets true if an earlier attempt may have been processed.
 * `onPause` is called before each pause, of `ms` milliseconds.
 */
export async function withRetries<Outcome>(
  attempt: (mayBeDone: boolean) => Promise<Outcome>,
  policy: RetryPolicy,
  signal: AbortSignal,
  onPause?: (ms: number, failure: Failure, tries: number) => void,
): Promise<Outcome> {
  const start = policy.monotonic();
  /** The failure of an attempt that may have applied the change: no later attempt can rule that out. */
  let unsure: Failure | undefined;
  let last: Failure | undefined;
  for (let tries = 1; ; tries++) {
    let hasBegun = false;
    try {
      return await policy.run(
        () => {
          hasBegun = true;
          return attempt(unsure !== undefined);
        },
        tries,
        signal,
      );
    } catch (error) {
      // A signal ended the wait for a turn.
      if (!hasBegun) throw afterAttempts(error, unsure ?? last, tries - 1);
      if (!(error instanceof Failure)) throw error;
      last = error;
    }
    if (last.kind === 'outcome_unknown') unsure = last;
    const { retryable, mostRetries = Infinity, retryAfterMs = 0 } = last.facts;
    const leftMs = start + policy.totalMs - policy.monotonic();
    const hasRetries = tries <= Math.min(policy.retries, mostRetries);
    const isTooLong = retryAfterMs > policy.maxRetryAfterMs || retryAfterMs >= leftMs;
    const pauseMs = retryAfterMs + jitteredDelay(tries, policy.random);
    const isAllowed = retryable === true && hasRetries && !isTooLong && policy.mayRetry();
    if (!isAllowed || pauseMs >= leftMs)
      throw lastFailure(last, unsure, tries, hasRetries && isTooLong);
    onPause?.(pauseMs, last, tries);
    try {
      await policy.sleep(pauseMs, signal);
    } catch (reason) {
      throw afterAttempts(reason, unsure ?? last, tries);
    }
  }
}

/** Returns a random part of a range that grows with each attempt (full jitter). */
const jitteredDelay = (tries: number, random: () => number): number =>
  random() * Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);

/**
 * Completes the reason of an interrupt by the failure of an earlier attempt: a request was sent, and the outcome is
 * unknown if that attempt may have applied a change.
 */
function afterAttempts(reason: unknown, earlier: Failure | undefined, attempts: number): unknown {
  if (earlier?.facts.sent !== true) return reason;
  const outcome = earlier.kind === 'outcome_unknown' ? 'unknown' : 'none';
  return afterSending(reason, { outcome, attempts });
}

/**
 * Completes the failure of the last attempt. If there is `unsure`, the failure of an attempt that may have applied the
 * change, the outcome stays unknown. `isTooLong` is true if retries were left, but not the time that the service asks
 * for.
 */
function lastFailure(
  last: Failure,
  unsure: Failure | undefined,
  tries: number,
  isTooLong: boolean,
): unknown {
  const { kind, facts } = last;
  if (isSignal(kind)) {
    // A signal before anything was sent ended no attempt.
    const attempts = facts.sent === true ? tries : tries - 1;
    if (unsure !== undefined) return afterAttempts(last, unsure, attempts);
    return facts.sent === true ? last.with({ attempts }) : last;
  }
  const own = facts.why ?? [];
  const why = kind === 'rate_limited' ? [...own, limitReason(last, tries, isTooLong)] : own;
  const counted = { attempts: tries, why: why.length === 0 ? undefined : why };
  if (unsure === undefined || kind === 'outcome_unknown') return last.with(counted);
  const { requestId = facts.requestId, why: before = [] } = unsure.facts;
  return unsure.with({
    ...counted,
    requestId,
    why: [...before, `last attempt: ${facts.what}`, ...why],
    retryable: false,
  });
}

/** Says how long the service asks to wait, and after how many attempts the call has given up. */
function limitReason({ facts }: Failure, tries: number, isTooLong: boolean): string {
  const { status, retryAfterMs = 0, isLasting = false } = facts;
  if (isLasting) return 'a quota is used up; another attempt would be in vain for now';
  const limit = status === 503 ? 'service unavailable' : 'rate limited';
  const state = tries === 1 ? limit : `${limit}; gave up after ${tries} attempts`;
  if (retryAfterMs === 0) return state;
  const time = formatDuration(retryAfterMs);
  return isTooLong
    ? `${state}; the service asks to wait ${time}, which is too long`
    : `${state}, next possible in ${time}`;
}
