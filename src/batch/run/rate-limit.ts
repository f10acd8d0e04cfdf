// How fast a batch may go: so many requests at once, so many in a second, all of them held back together when the
// service asks for it, and none any more when it is down. One for all workers. Sends nothing itself.

import type { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import type { Settings } from '../../config/settings.ts';
import type { BatchSettings, Rate } from '../options.ts';

export interface RateLimiterOptions {
  /** Requests under way at once, at most. */
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  /** Milliseconds; a service that asks for a longer wait is given up. */
  readonly mostAskedMs: number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Once it is aborted nobody gets a turn; whoever waits for one is told the reason. */
  readonly signal: AbortSignal;
}

export interface RateLimiter {
  /** Waits for a turn to send one request; nothing to wait for when it is there. `ended` gives it back. */
  turn(): Promise<void> | undefined;
  /**
   * Told once for each turn what came of the request, `tries` so far for this call.
   * Tells whether the same call may be tried again.
   */
  ended(failure: Failure | undefined, tries: number): boolean;
  /** Requests that may be under way now. */
  limit(): number;
  /** Requests that are. */
  active(): number;
  /** Milliseconds for which all requests are still held back because the service asked for it; 0 when they are not. */
  pausedMs(): number;
  /** Why no more should be started: what the service said last. */
  down(): Failure | undefined;
}

// The figures of the AWS clients: a hundred failures, or fifty time-outs, empty the budget.
const BUDGET = 500;
const COST = 5;
const TIMEOUT_COST = 10;
/** A pause that the service did not name. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Successes for each request under way before one more is let in. */
const GROWTH = 8;

interface Waiter {
  resolve(): void;
  reject(reason: unknown): void;
}

/** A pace that starts at full speed. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { rate, monotonic, sleep, signal } = options;
  const gap = rate === undefined ? 0 : rate.spanMs / rate.count;
  const throttle = createThrottle(options);
  let waiting: Waiter[] = [];
  let active = 0;
  let nextSlot = 0;
  let asleep = false;

  const waitMs = () => Math.max(throttle.pausedUntil(), nextSlot) - monotonic();
  const isFree = () => waiting.length === 0 && active < throttle.limit() && waitMs() <= 0;
  const take = () => {
    active++;
    if (gap > 0) nextSlot = Math.max(nextSlot, monotonic()) + gap;
  };
  const admit = () => {
    while (waiting.length > 0 && active < throttle.limit()) {
      const ms = waitMs();
      if (ms > 0) {
        wake(ms);
        return;
      }
      take();
      waiting.shift()!.resolve();
    }
  };
  const wake = (ms: number) => {
    if (asleep) return;
    asleep = true;
    const woken = () => {
      asleep = false;
      admit();
    };
    sleep(Math.ceil(ms), signal).then(woken, () => undefined);
  };
  signal.addEventListener(
    'abort',
    () => {
      for (const { reject } of waiting) reject(signal.reason);
      waiting = [];
    },
    { once: true },
  );

  return {
    turn() {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (isFree()) {
        take();
        return undefined;
      }
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        admit();
      });
    },
    ended(failure, tries) {
      active--;
      const again = throttle.note(failure, tries);
      if (waiting.length > 0) admit();
      return again;
    },
    limit: throttle.limit,
    active: () => active,
    pausedMs: () => Math.max(0, throttle.pausedUntil() - monotonic()),
    down: throttle.down,
  };
}

/** What the answers so far allow: how many at once, from when on, and whether to go on at all. */
function createThrottle({ concurrency: most, mostAskedMs, monotonic, random }: RateLimiterOptions) {
  let tokens = BUDGET;
  let limit = most;
  let successes = 0;
  let pausedUntil = 0;
  let pauses = 0;
  let down: Failure | undefined;

  const pause = (askedMs: number | undefined) => {
    const now = monotonic();
    // What was under way when the pause began is refused too: that is the same pause.
    const isNew = now >= pausedUntil;
    const usual = Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS) * (0.5 + random() / 2);
    if (isNew) {
      limit = Math.max(1, Math.floor(limit / 2));
      pauses++;
      successes = 0;
    }
    if (isNew || askedMs !== undefined)
      pausedUntil = Math.max(pausedUntil, now + (askedMs ?? usual));
  };
  const good = (tries: number) => {
    tokens = Math.min(BUDGET, tokens + Math.max(1, (tries - 1) * COST));
    pauses = 0;
    if (limit < most && ++successes >= limit * GROWTH) {
      limit++;
      successes = 0;
    }
  };

  return {
    limit: () => limit,
    pausedUntil: () => pausedUntil,
    down: () => down,
    /** Takes in an answer; tells whether the budget allows another attempt. */
    note(failure: Failure | undefined, tries: number): boolean {
      if (failure === undefined || !isOfTheService(failure)) {
        good(tries);
        return true;
      }
      const { retryAfterMs: asked, timedOut } = failure.facts;
      if ((asked ?? 0) > mostAskedMs) {
        down ??= failure;
        return false;
      }
      if (failure.kind === 'rate_limited') pause(asked);
      tokens -= timedOut === true ? TIMEOUT_COST : COST;
      if (tokens <= 0) down ??= failure;
      return tokens > 0;
    },
  };
}

/** A refusal is about the record; these are about the service. */
const isOfTheService = ({ kind }: Failure) =>
  kind === 'rate_limited' || kind === 'no_answer' || kind === 'outcome_unknown';

// The pace that all calls of a batch share, and the patience with which each of them is tried.

/** The longest wait that a service may ask a batch for. */
const MOST_ASKED_MS = 300_000;

/** What every call of a batch is tried by, less the turns; `attemptMs` for one attempt and the wait after it. */
export type BatchRetryOptions = Pick<RetryPolicy, 'monotonic' | 'random' | 'sleep'> & {
  readonly mostAskedMs: number;
  readonly attemptMs: number;
};

/** A pace at full speed. Once the signal is aborted nothing more leaves. */
export function rateLimiterFor(
  { concurrency, rate }: Pick<BatchSettings, 'concurrency' | 'rate'>,
  { timeoutMs }: Pick<Settings, 'timeoutMs'>,
  runtime: Pick<Runtime, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): { readonly pace: RateLimiter; readonly retryPolicy: BatchRetryOptions } {
  const { monotonic, random } = runtime;
  // Who sleeps is woken at once by an interrupt; a request that has left is given its time.
  const sleep = (ms: number) => runtime.sleep(ms, signal);
  const common = { mostAskedMs: MOST_ASKED_MS, monotonic, random, sleep };
  return {
    pace: createRateLimiter({ concurrency, rate, ...common, signal }),
    retryPolicy: { ...common, attemptMs: timeoutMs + MOST_ASKED_MS },
  };
}

/** How one call is tried, with so many further attempts, each in its turn. */
export function retryPolicyInBatch(
  { turn, ended }: Pick<RateLimiter, 'turn' | 'ended'>,
  { attemptMs, ...common }: BatchRetryOptions,
  retries: number,
): RetryPolicy {
  return { retries, totalMs: attemptMs * (retries + 1), ...common, turn, ended };
}
