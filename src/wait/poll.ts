// Looks again and again until what is waited for has settled. Sleeps between looks, so that waiting costs nothing;
// a look that fails in passing does not end the wait.

import type { WaitVerdict } from '../api/operations/wait.ts';
import { Failure } from '../base/errors.ts';
import type { Clock } from '../base/running-clock.ts';
import type { Result } from '../client/read-response.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { trackInFlight } from '../client/transport/timeouts.ts';

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
  readonly lost?: Failure | undefined;
}

/** How far the polling of one thing has come, in whole milliseconds: a batch has one for each of its items. */
export interface PollState {
  /** When the wait began, by the monotonic clock. */
  readonly startedAt: number;
  /** When to look next. */
  dueAt: number;
  intervalMs: number;
  /** Looks that failed in a row. */
  failures: number;
}

type Clocks = Pick<RetryPolicy, 'monotonic' | 'random'>;
type PollLimits = Pick<PollOptions, 'intervalMs' | 'timeoutMs'>;

const GROWTH = 1.25;
/** Polls are no further apart than this, unless the user wants that. */
export const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
/** Failed polls in a row that end a wait. */
export const MOST_FAILURES = 10;
const LEAST_LOOK_MS = 1000;

/** The state of a wait that begins now. */
export function beginPolling({ intervalMs }: PollLimits, now: number): PollState {
  const at = Math.round(now);
  return { startedAt: at, dueAt: at, intervalMs, failures: 0 };
}

/**
 * The rules of every wait: takes up how a look ended and says what follows. `ended`: settled, or out of time; `lost`:
 * too many looks failed; `again`: at `dueAt`.
 */
export function afterLook(
  state: PollState,
  look: WaitVerdict | Failure,
  { intervalMs, timeoutMs }: PollLimits,
  { monotonic, random }: Clocks,
): 'ended' | 'lost' | 'again' {
  const now = monotonic();
  const left = state.startedAt + timeoutMs - now;
  let gap = state.intervalMs;
  if (look instanceof Failure) {
    const asked = look.facts.retryAfterMs ?? 0;
    gap = Math.max(asked, backoff(++state.failures, random));
    if (left <= 0) return 'ended';
    if (state.failures >= MOST_FAILURES || asked >= left) return 'lost';
  } else {
    state.failures = 0;
    if (look.state !== 'pending' || left <= 0) return 'ended';
  }
  state.dueAt = Math.round(now + Math.max(1, Math.min(gap, left)));
  const grown = Math.min(state.intervalMs * GROWTH, Math.max(intervalMs, LONGEST_INTERVAL_MS));
  state.intervalMs = Math.round(grown);
  return 'again';
}

/**
 * Waits until the verdict is no longer `pending`, or time is up. `first` is a look that was had already.
 * Throws what a look failed by where that will not pass, or where there is no state to show.
 */
export async function pollUntilSettled(
  watch: PollOptions,
  first: Result | undefined,
  clocks: Pick<RetryPolicy, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): Promise<PollResult> {
  const { monotonic, sleep } = clocks;
  const state = beginPolling(watch, monotonic());
  const lookInTime = looksInTime(signal, monotonic);
  const elapsed = () => monotonic() - state.startedAt;
  let next = first;
  let seen: PollResult | undefined;
  for (;;) {
    const look = next ?? (await lookInTime(watch.poll, watch.timeoutMs - elapsed()));
    next = undefined;
    const failure = look instanceof Failure ? look : undefined;
    if (!(look instanceof Failure)) {
      seen = { last: look, verdict: watch.judge(look, elapsed()) };
      watch.onLook(look, seen.verdict);
    }
    const after = afterLook(state, failure ?? seen!.verdict, watch, clocks);
    if (after !== 'again') {
      if (seen === undefined) throw failure!;
      return after === 'lost' ? { ...seen, lost: givenUp(failure!, state.failures) } : seen;
    }
    await sleep(Math.max(1, state.dueAt - monotonic()), signal);
  }
}

/**
 * Makes looks, each of which resolves to its failure where the next one may succeed. None may take longer than is left
 * of its wait, but for a moment when the end is near. They share one listener: a listener that is gone still refers to
 * the next one, so that with one for each look of a batch V8 keeps what belongs to them until the next full collection.
 * A look that has more time left than a request may take, `requestMs`, needs no end of its own.
 */
export function looksInTime(signal: AbortSignal, clock: Clock, requestMs = Infinity) {
  const inFlight = trackInFlight(clock);
  return async (poll: PollOptions['poll'], leftMs: number): Promise<Result | Failure> => {
    if (leftMs > requestMs) return poll(signal).catch(passing);
    const ending = new AbortController();
    const cancel = (reason: unknown) => ending.abort(reason);
    const look = { cancel, expire: () => cancel(tooLate()) };
    if (signal.aborted) cancel(signal.reason);
    const untrack = signal.aborted
      ? undefined
      : inFlight.begin(look, signal, Math.max(leftMs, LEAST_LOOK_MS));
    try {
      return await poll(ending.signal);
    } catch (error) {
      return passing(error);
    } finally {
      untrack?.();
    }
  };
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

/** The failure of a wait whose last look failed by this. */
export function givenUp({ kind, facts }: Failure, failures: number): Failure {
  const why =
    failures >= MOST_FAILURES
      ? `${failures} polls failed in a row`
      : 'the service asks to wait longer than the wait timeout';
  return new Failure(kind, { ...facts, why: [...(facts.why ?? []), why] });
}

/** How long to leave a service alone that did not answer. */
export function backoff(failures: number, random: () => number): number {
  return Math.min(1000 * 2 ** failures * (0.5 + random() / 2), LONGEST_GAP_MS);
}
