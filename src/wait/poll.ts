// Polls until what is waited for has settled. Sleeps between polls, so that waiting costs nothing; a poll that fails in
// passing does not end the wait.

import type { WaitVerdict } from '../api/operations/define-operation.ts';
import { onAbort, startTimeout } from '../base/abort.ts';
import { Failure } from '../base/errors.ts';
import type { Result } from '../client/read-response.ts';

export interface PollOptions {
  /** One poll; given up when the signal is aborted. */
  poll(signal: AbortSignal): Promise<Result>;
  /** How things stand; `elapsedMs` since the wait began. */
  judge(seen: Result, elapsedMs: number): WaitVerdict;
  /** Told after each poll that was answered. */
  onPoll(seen: Result, verdict: WaitVerdict): void;
  /** Milliseconds between polls at first; they grow to 15 s. */
  readonly intervalMs: number;
  /** Milliseconds for the whole wait. */
  readonly timeoutMs: number;
}

export interface PollResult {
  readonly last: Result;
  /** `pending` when time ran out, or when the polls failed. */
  readonly verdict: WaitVerdict;
  /** What the last of too many polls in a row failed by; nothing where time ran out. */
  readonly lost?: Failure | undefined;
}

/** Time for a wait: a clock that never goes back, in milliseconds, jitter in [0, 1), and sleep that a signal ends. */
export interface PollClocks {
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const GROWTH = 1.25;
/** Polls are no further apart than this, unless the user wants that. */
const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
/** Failed polls in a row that end a wait. */
const MOST_FAILURES = 10;
const LEAST_POLL_MS = 1000;

/**
 * Waits until the verdict is no longer `pending`, or time is up. `first` is a poll that was had already. Rejects with
 * what a poll failed by where that will not pass, or where there is no state to show; with the reason of the signal.
 */
export async function pollUntilSettled(
  { poll, judge, onPoll, intervalMs, timeoutMs }: PollOptions,
  first: Result | undefined,
  { monotonic, random, sleep }: PollClocks,
  signal: AbortSignal,
): Promise<PollResult> {
  const startedAt = monotonic();
  const longestMs = Math.max(intervalMs, LONGEST_INTERVAL_MS);
  let seen: PollResult | undefined;
  let failures = 0;
  let interval = intervalMs;
  for (let next: Result | undefined = first; ; next = undefined) {
    const polled: Result | Failure =
      next ?? (await pollInTime(poll, startedAt + timeoutMs - monotonic(), signal));
    const elapsedMs = monotonic() - startedAt;
    const leftMs = timeoutMs - elapsedMs;
    let gap = interval;
    if (polled instanceof Failure) {
      failures++;
      const asked = polled.facts.retryAfterMs ?? 0;
      gap = Math.max(asked, backoff(failures, random));
      const isLost = leftMs > 0 && (failures >= MOST_FAILURES || asked >= leftMs);
      if ((isLost || leftMs <= 0) && seen === undefined) throw polled;
      if (isLost) return { ...seen!, lost: givenUp(polled, failures) };
    } else {
      failures = 0;
      seen = { last: polled, verdict: judge(polled, elapsedMs) };
      onPoll(polled, seen.verdict);
      if (seen.verdict.state !== 'pending') return seen;
    }
    if (leftMs <= 0) return seen!;
    await sleep(Math.max(1, Math.min(gap, leftMs)), signal);
    interval = Math.min(interval * GROWTH, longestMs);
  }
}

/** One poll, which may take no longer than is left of the wait. Resolves to a failure that the next one may mend. */
async function pollInTime(
  poll: PollOptions['poll'],
  leftMs: number,
  signal: AbortSignal,
): Promise<Result | Failure> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const forget = onAbort(signal, () => ending.abort(signal.reason));
  const cancel = startTimeout(Math.max(leftMs, LEAST_POLL_MS), () => ending.abort(tooLate()));
  try {
    return await poll(ending.signal);
  } catch (error) {
    const isPassing =
      error instanceof Failure && (error.facts.retryable === true || error.kind === 'no_answer');
    if (!isPassing) throw error;
    return error;
  } finally {
    cancel();
    forget();
  }
}

const tooLate = () =>
  new Failure('no_answer', {
    what: 'the wait ended before the service responded',
    sent: true,
    retryable: true,
    timedOut: true,
  });

/** The failure of a wait whose last poll failed by this. */
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
