// Polls until the targets or the pairing are done. It sleeps between polls, and a temporary failure of a poll does not
// end the wait.

import type { WaitVerdict } from '../api/operations/define-operation.ts';
import { onAbort, startTimeout } from '../base/abort.ts';
import { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Result } from '../client/read-response.ts';

export interface PollOptions {
  /** Makes one poll, which the signal aborts. */
  poll(signal: AbortSignal): Promise<Result>;
  /** Judges the state; `elapsedMs` is counted from the start of the wait. */
  judge(result: Result, elapsedMs: number): WaitVerdict;
  /** Called after each poll with a response. */
  onPoll(result: Result, verdict: WaitVerdict): void;
  /** Milliseconds between polls at first; they grow to 15 s. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export interface PollResult {
  readonly last: Result;
  /** `pending` after the timeout, or if the polls failed. */
  readonly verdict: WaitVerdict;
  /** The failure of the last of too many failed polls; absent after the timeout. */
  readonly lost?: Failure | undefined;
}

const GROWTH = 1.25;
/** The longest interval between polls, unless the user sets a longer one. */
const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
/** The number of consecutive failed polls that ends a wait. */
const MOST_FAILURES = 10;
const LEAST_POLL_MS = 1000;

/**
 * Waits until the verdict is no longer `pending`, or until the timeout. `first` is an earlier response. Rejects with
 * the failure of a poll if it is permanent or if there is no state to show, and with the reason of the signal.
 */
export async function pollUntilSettled(
  { poll, judge, onPoll, intervalMs, timeoutMs }: PollOptions,
  first: Result | undefined,
  { monotonic, random, sleep }: Pick<Runtime, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): Promise<PollResult> {
  const startedAt = monotonic();
  const longestMs = Math.max(intervalMs, LONGEST_INTERVAL_MS);
  let latest: PollResult | undefined;
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
      if ((isLost || leftMs <= 0) && latest === undefined) throw polled;
      if (isLost) return { ...latest!, lost: givenUp(polled, failures) };
    } else {
      failures = 0;
      latest = { last: polled, verdict: judge(polled, elapsedMs) };
      onPoll(polled, latest.verdict);
      if (latest.verdict.state !== 'pending') return latest;
    }
    if (leftMs <= 0) return latest!;
    await sleep(Math.max(1, Math.min(gap, leftMs)), signal);
    interval = Math.min(interval * GROWTH, longestMs);
  }
}

/** Makes one poll, limited by the rest of the wait. Resolves with a failure if the next poll may succeed. */
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

/** Makes the failure of a wait whose last poll failed. */
function givenUp({ kind, facts }: Failure, failures: number): Failure {
  const why =
    failures >= MOST_FAILURES
      ? `${failures} polls failed in a row`
      : 'the service asks to wait longer than the wait timeout';
  return new Failure(kind, { ...facts, why: [...(facts.why ?? []), why] });
}

/** Returns the pause after failed polls. */
function backoff(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures * (0.5 + random() / 2), LONGEST_GAP_MS);
}
