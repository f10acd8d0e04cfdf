// Looks again and again until what is waited for has settled. Sleeps between looks, so that waiting costs nothing;
// a look that fails in passing does not end the wait.

import type { WaitVerdict } from '../api/operations/wait.ts';
import { Failure } from '../base/errors.ts';
import { setRunningTimeout } from '../base/running-clock.ts';
import type { Result } from '../client/read-response.ts';
import type { RetryPolicy } from '../client/retry.ts';

export interface PollOptions {
  /** One look; given up when the signal is aborted. */
  poll(signal: AbortSignal): Promise<Result>;
  /** How things stand; `elapsedMs` since the wait began. */
  judge(seen: Result, elapsedMs: number): WaitVerdict;
  /** Told after each look. */
  onLook(seen: Result, verdict: WaitVerdict): void;
  /** Milliseconds between looks at first; they grow to 15 s. */
  readonly intervalMs: number;
  /** Milliseconds for the whole wait. */
  readonly timeoutMs: number;
}

export interface PollResult {
  readonly last: Result;
  /** `pending` when time ran out, or when the looks failed. */
  readonly verdict: WaitVerdict;
  /** What the last of too many looks in a row failed by; nothing where time ran out. */
  readonly lost?: Failure;
}

const GROWTH = 1.25;
const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
const MOST_FAILURES = 10;
const LEAST_LOOK_MS = 1000;

/**
 * Waits until the verdict is no longer `pending`, or time is up. `first` is a look that was had already.
 * Throws what a look failed by where that will not pass, or where there is no state to show.
 */
export async function pollUntilSettled(
  watch: PollOptions,
  first: Result | undefined,
  { monotonic, random, sleep }: Pick<RetryPolicy, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): Promise<PollResult> {
  const start = monotonic();
  const left = () => start + watch.timeoutMs - monotonic();
  let [intervalMs, failures, next] = [watch.intervalMs, 0, first];
  let seen: PollResult | undefined;
  for (;;) {
    const look = next ?? (await lookBefore(watch, left(), signal).catch(passing));
    let gap = intervalMs;
    if (look instanceof Failure) {
      const asked = look.facts.retryAfterMs ?? 0;
      gap = Math.max(asked, backoff(++failures, random));
      const isLate = left() <= 0;
      const isLost = failures >= MOST_FAILURES || asked >= left();
      if ((isLate || isLost) && seen === undefined) throw look;
      if (isLate) return seen!;
      if (isLost) return { ...seen!, lost: givenUp(look, failures) };
    } else {
      failures = 0;
      seen = { last: look, verdict: judged(watch, look, monotonic() - start) };
      if (seen.verdict.state !== 'pending' || left() <= 0) return seen;
    }
    next = undefined;
    await sleep(Math.max(1, Math.min(gap, left())), signal);
    intervalMs = Math.min(intervalMs * GROWTH, Math.max(watch.intervalMs, LONGEST_INTERVAL_MS));
  }
}

function judged(watch: PollOptions, last: Result, elapsedMs: number): WaitVerdict {
  const verdict = watch.judge(last, elapsedMs);
  watch.onLook(last, verdict);
  return verdict;
}

/** One look, which may not take longer than the wait itself, but for a moment when the end is near. */
async function lookBefore(
  watch: PollOptions,
  leftMs: number,
  signal: AbortSignal,
): Promise<Result> {
  const late = new AbortController();
  const cancel = setRunningTimeout(Math.max(leftMs, LEAST_LOOK_MS), () => late.abort(tooLate()));
  try {
    return await watch.poll(AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}

const tooLate = () =>
  new Failure('no_answer', {
    what: 'the wait ended before the service responded',
    sent: true,
    retryable: true,
    timedOut: true,
  });

/** The failure of a look after which the next one may succeed. Throws every other. */
function passing(error: unknown): Failure {
  if (!(error instanceof Failure)) throw error;
  if (error.facts.retryable === true || error.kind === 'no_answer') return error;
  throw error;
}

function givenUp({ kind, facts }: Failure, failures: number): Failure {
  const why =
    failures >= MOST_FAILURES
      ? `${failures} polls failed in a row`
      : 'the service asks to wait longer than the wait timeout';
  return new Failure(kind, { ...facts, why: [...(facts.why ?? []), why] });
}

/** How long to leave a service alone that did not answer. */
function backoff(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures * (0.5 + random() / 2), LONGEST_GAP_MS);
}
