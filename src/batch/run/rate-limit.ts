// The rate limiter that all calls of a batch share: concurrency, requests a second, a common pause when the service
// asks for one, a retry budget, and a stop when the service is down. Sends nothing itself.

import type { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { RetryPolicy } from '../../client/retry.ts';
import type { Settings } from '../../config/settings.ts';
import type { BatchSettings, Rate } from '../options.ts';

interface RateLimiterOptions {
  /** Maximum requests in flight. */
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  /** The batch stops where the service asks for a longer wait. */
  readonly mostAskedMs: number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Once it is aborted there are no turns; those that are waited for reject with its reason. */
  readonly signal: AbortSignal;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

// The figures of the AWS SDKs: a hundred failures, or fifty timeouts, empty the retry budget.
const BUDGET = 500;
const COST = 5;
const TIMEOUT_COST = 10;
/** A pause for which the service gave no time; each further one is twice as long. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;
/** Successes for each request in flight before the limit grows by one. */
const GROWTH = 8;

interface Waiter {
  resolve(): void;
  reject(reason: unknown): void;
}

/** A rate limiter that starts at full concurrency. */
export function createRateLimiter(options: RateLimiterOptions) {
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
      if (ms > 0) return wake(ms);
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
  const rejectAll = () => {
    for (const { reject } of waiting) reject(signal.reason);
    waiting = [];
  };
  signal.addEventListener('abort', rejectAll, { once: true });

  return {
    /** A turn to send one request; `undefined` when there is nothing to wait for. `ended` gives it back. */
    turn(): Promise<void> | undefined {
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
    /** Called once for each turn, with `tries` made of this call. Returns whether it may be tried again. */
    ended(failure: Failure | undefined, tries: number): boolean {
      active--;
      const again = throttle.note(failure, tries);
      if (waiting.length > 0) admit();
      return again;
    },
    /** Requests that may be in flight now. */
    limit: throttle.limit,
    /** Requests in flight. */
    active: () => active,
    /** Milliseconds left of a pause that the service asked for; 0 without one. */
    pausedMs: () => Math.max(0, throttle.pausedUntil() - monotonic()),
    /** The service's last failure, where nothing more should be started because of it. */
    down: throttle.down,
  };
}

/** Adapts to the service's answers: the concurrency limit, the pause, the retry budget. */
function createThrottle({ concurrency, mostAskedMs, monotonic, random }: RateLimiterOptions) {
  let tokens = BUDGET;
  let limit = concurrency;
  let successes = 0;
  let pausedUntil = 0;
  let pauses = 0;
  let down: Failure | undefined;

  const pause = (askedMs: number | undefined) => {
    const now = monotonic();
    // What was in flight when the pause began is refused too: that is the same pause.
    const isNew = now >= pausedUntil;
    const usual = Math.min(FIRST_PAUSE_MS * 2 ** pauses, MAX_PAUSE_MS) * (0.5 + random() / 2);
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
    if (limit < concurrency && ++successes >= limit * GROWTH) {
      limit++;
      successes = 0;
    }
  };

  return {
    limit: () => limit,
    pausedUntil: () => pausedUntil,
    down: () => down,
    /** Returns whether the budget allows another attempt. */
    note(failure: Failure | undefined, tries: number): boolean {
      if (failure === undefined || !isServiceTrouble(failure)) {
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

/** A refusal is about the record; these failures are about the service. */
const isServiceTrouble = ({ kind }: Failure) =>
  ['rate_limited', 'no_answer', 'outcome_unknown'].includes(kind);

/** The longest wait that a service may ask a batch for. */
const MAX_ASKED_MS = 300_000;

/** The rate limiter of a batch, and the retry policy of its calls. Once the signal is aborted no request leaves. */
export function rateLimiterFor(
  { concurrency, rate }: Pick<BatchSettings, 'concurrency' | 'rate'>,
  { timeoutMs }: Pick<Settings, 'timeoutMs'>,
  runtime: Pick<Runtime, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): { readonly pace: RateLimiter; readonly retryPolicy: (retries: number) => RetryPolicy } {
  const { monotonic, random } = runtime;
  // An interrupt ends each sleep at once; a request that has left is given its time.
  const sleep = (ms: number) => runtime.sleep(ms, signal);
  const common = { mostAskedMs: MAX_ASKED_MS, monotonic, random, sleep };
  const pace = createRateLimiter({ concurrency, rate, ...common, signal });
  const { turn, ended } = pace;
  /** One attempt and the wait after it. */
  const attemptMs = timeoutMs + MAX_ASKED_MS;
  // Object.assign, because on Node 20 each property after a spread costs 1 µs.
  const retryPolicy = (retries: number) =>
    Object.assign({ retries, totalMs: attemptMs * (retries + 1) }, common, { turn, ended });
  return { pace, retryPolicy };
}
