// Makes attempts until there is a response: which failures are retried, how often, after which pause and for how long.
// `docs/retries.md` explains it.

import { formatDuration } from '../base/durations.ts';
import { afterSending, Failure, isSignal } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';

export interface RetryPolicy extends Pick<Runtime, 'monotonic' | 'random' | 'sleep'> {
  /** The maximum number of retries. */
  readonly retries: number;
  /** Milliseconds for all attempts and the pauses between them, by the monotonic clock. */
  readonly totalMs: number;
  /** The longest pause that the service may ask for, in milliseconds; one minute by default. */
  readonly maxRetryAfterMs?: number;
  /**
   * Runs attempt number `tries`: in a batch it waits for its turn first. An attempt that does not start is not counted.
   */
  run<T>(attempt: () => Promise<T>, tries: number): Promise<T>;
  /** True if another attempt is allowed: a batch has a retry budget for all of its calls. */
  mayRetry?(): boolean;
}

/** Makes the retry policy of a call. */
export function retryPolicyFor(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: Runtime,
  retries: number,
): RetryPolicy {
  const totalMs = timeoutMs * (retries + 1);
  return { retries, totalMs, monotonic, random, sleep, run: (attempt) => attempt() };
}

/** The range of the first pause; it doubles with each attempt, up to the maximum. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
/** A single call gives up if the service asks it to wait for longer. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Makes attempts until one succeeds, one fails permanently, or the policy allows no other. Throws the last failure;
 * other errors are thrown at once. `attempt` gets its number, and true if an earlier attempt may have been processed.
 * `onPause` is called before each pause, of `ms` milliseconds.
 */
export async function withRetries<Outcome>(
  attempt: (tries: number, mayBeDone: boolean) => Promise<Outcome>,
  retryPolicy: RetryPolicy,
  signal: AbortSignal,
  onPause?: (ms: number, failure: Failure, tries: number) => void,
): Promise<Outcome> {
  const start = retryPolicy.monotonic();
  /** The failure of an attempt that may have applied the change: no later attempt can rule that out. */
  let unsure: Failure | undefined;
  let last: Failure | undefined;
  for (let tries = 1; ; tries++) {
    let hasBegun = false;
    try {
      return await retryPolicy.run(() => {
        hasBegun = true;
        return attempt(tries, unsure !== undefined);
      }, tries);
    } catch (error) {
      // A signal ended the wait for a turn.
      if (!hasBegun)
        throw last === undefined ? error : afterAttempts(error, unsure ?? last, tries - 1);
      if (!(error instanceof Failure)) throw error;
      last = error;
      if (last.kind === 'outcome_unknown') unsure = last;
      const pauseMs = delayMs(last, tries, retryPolicy);
      const leftMs = start + retryPolicy.totalMs - retryPolicy.monotonic();
      const isLast = tries > Math.min(retryPolicy.retries, last.facts.mostRetries ?? Infinity);
      const isAllowed = !isLast && (retryPolicy.mayRetry?.() ?? true);
      if (!isAllowed || pauseMs === undefined || pauseMs >= leftMs)
        throw stillUnsure(withAttempts(last, tries, isLast ? Infinity : leftMs), unsure, tries - 1);
      onPause?.(pauseMs, last, tries);
      try {
        await retryPolicy.sleep(pauseMs, signal);
      } catch (reason) {
        throw afterAttempts(reason, unsure ?? last, tries);
      }
    }
  }
}

/**
 * Returns `last`, or a failure with an unknown outcome if there is `unsure`, the failure of an earlier attempt that may
 * have applied the change. If a signal ended the last attempt before it was sent, only the `before` ones are counted.
 */
function stillUnsure(last: Failure, unsure: Failure | undefined, before: number): Failure {
  if (unsure === undefined || last.kind === 'outcome_unknown') return last;
  // The cast is safe, because `afterAttempts` returns a failure if it gets one.
  if (isSignal(last.kind))
    return afterAttempts(last, unsure, last.facts.attempts ?? before) as Failure;
  const { attempts, why = [], what, requestId } = last.facts;
  return unsure.with({
    requestId: unsure.facts.requestId ?? requestId,
    attempts,
    why: [...(unsure.facts.why ?? []), `last attempt: ${what}`, ...why],
    retryable: false,
  });
}

/**
 * Completes the reason of an interrupt by the failure of an earlier attempt: a request was sent, and the outcome is
 * unknown if that attempt may have applied a change.
 */
function afterAttempts(reason: unknown, { kind, facts }: Failure, attempts: number): unknown {
  if (facts.sent !== true) return reason;
  const outcome = kind === 'outcome_unknown' ? 'unknown' : 'none';
  return afterSending(reason, { outcome, attempts });
}

/**
 * Returns a pause with full jitter over a growing range, never shorter than the service asked for; `undefined` if no
 * pause is allowed.
 */
function delayMs(
  failure: Failure,
  tries: number,
  { random, maxRetryAfterMs = MAX_RETRY_AFTER_MS }: RetryPolicy,
): number | undefined {
  const { retryable, retryAfterMs = 0 } = failure.facts;
  if (retryable !== true || retryAfterMs > maxRetryAfterMs) return undefined;
  return retryAfterMs + random() * Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
}

/**
 * Adds the number of attempts, and after a rate limit the time for which the service asks to wait. `leftMs` is the time
 * that was left for another attempt, or `Infinity` if there is none because all retries were used.
 */
function withAttempts(failure: Failure, tries: number, leftMs: number): Failure {
  const { facts, kind } = failure;
  // A signal before anything was sent ended no attempt.
  if (isSignal(kind) && facts.sent !== true) return failure;
  if (kind !== 'rate_limited') return failure.with({ attempts: tries });
  const why = [...(facts.why ?? []), rateLimitReason(failure, tries, leftMs)];
  return failure.with({ attempts: tries, why });
}

function rateLimitReason({ facts }: Failure, tries: number, leftMs: number): string {
  const { status, retryAfterMs = 0 } = facts;
  const limit = status === 503 ? 'service unavailable' : 'rate limited';
  const state = tries === 1 ? limit : `${limit}; gave up after ${tries} attempts`;
  if (retryAfterMs === 0) return state;
  const time = formatDuration(retryAfterMs);
  if (leftMs < Infinity && (retryAfterMs > MAX_RETRY_AFTER_MS || retryAfterMs >= leftMs))
    return `${state}; the service asks to wait ${time}, which is too long`;
  return `${state}, next possible in ${time}`;
}
