// Looks again and again until what is waited for has settled. Sleeps between looks, so that waiting costs nothing;
// a look that fails in passing is no end of the wait.

import { Failure } from '../errors.ts';
import type { Result } from './answer.ts';
import type { Patience } from './retry.ts';
import type { Verdict } from './settle.ts';

export interface Watch {
  /** One look. */
  poll(): Promise<Result>;
  /** How things stand; `elapsedMs` since the wait began. */
  judge(seen: Result, elapsedMs: number): Verdict;
  /** Told after each look. */
  onLook(seen: Result, verdict: Verdict): void;
  /** Milliseconds between looks at first; they grow to 15 s. */
  readonly intervalMs: number;
  /** Milliseconds for the whole wait. */
  readonly timeoutMs: number;
}

export interface Waited {
  readonly last: Result;
  /** `pending` when time ran out. */
  readonly verdict: Verdict;
}

const GROWTH = 1.25;
const LONGEST_INTERVAL_MS = 15_000;
const LONGEST_GAP_MS = 60_000;
const MOST_FAILURES = 10;

/** Waits until the verdict is no longer `pending`, or time is up. `first` is a look that was had already. */
export async function waitUntilSettled(
  watch: Watch,
  first: Result | undefined,
  { monotonic, random, sleep }: Omit<Patience, 'retries' | 'totalMs'>,
  signal: AbortSignal,
): Promise<Waited> {
  const start = monotonic();
  let [seen, intervalMs, failures, gap] = [first, watch.intervalMs, 0, 0];
  for (;;) {
    try {
      seen = gap === 0 && seen !== undefined ? seen : await watch.poll();
      [failures, gap] = [0, intervalMs];
    } catch (error) {
      if (monotonic() - start >= watch.timeoutMs) throw error;
      gap = gapAfter(error, ++failures, random);
    }
    if (seen !== undefined && failures === 0) {
      // What cannot be judged now cannot be judged later: it is no passing failure.
      const verdict = watch.judge(seen, monotonic() - start);
      watch.onLook(seen, verdict);
      const left = start + watch.timeoutMs - monotonic();
      if (verdict.state !== 'pending' || left <= 0) return { last: seen, verdict };
    }
    const left = start + watch.timeoutMs - monotonic();
    await sleep(Math.max(1, Math.min(gap, left)), signal);
    intervalMs = Math.min(intervalMs * GROWTH, Math.max(watch.intervalMs, LONGEST_INTERVAL_MS));
  }
}

/** How long to leave a service alone that did not answer; throws what will not pass, and the tenth in a row. */
function gapAfter(error: unknown, failures: number, random: () => number): number {
  const passing =
    error instanceof Failure && (error.facts.retryable === true || error.kind === 'no_answer');
  if (!passing || failures >= MOST_FAILURES) throw error;
  const asked = error.facts.retryAfterMs ?? 0;
  return Math.min(Math.max(asked, 1000 * 2 ** failures * (0.5 + random() / 2)), LONGEST_GAP_MS);
}
