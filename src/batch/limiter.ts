// The limiter that all requests of a batch share. A place is a record in progress, or a poll, with its retries; a turn is
// one request. Places alone would do for a fixed number of requests at once: turns exist for the rate, for pauses that the
// service asks for, and for a limit that shrinks while places are held. The limiter also has the retry budget, and
// decides that the service is down. It sends nothing itself.

import { onAbort } from '../base/abort.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { Settings } from '../config/settings.ts';
import type { BatchOptions } from './options.ts';

type Limits = Pick<BatchOptions, 'concurrency' | 'rate'>;
type Clocks = Pick<Runtime, 'monotonic' | 'random' | 'sleep'>;

interface Signals {
  /** Once it aborts no request is sent: waiting turns reject with its reason. */
  readonly signal: AbortSignal;
  /** Once it aborts nothing is started: waiting places, and the turns of polls, reject. By default `signal`. */
  readonly halt?: AbortSignal;
}

/** `call`: a record from its first request to its response; `poll`: one read of a record that is waited for. */
export type PlaceKind = 'call' | 'poll';

export type Limiter = ReturnType<typeof createLimiter>;

// The figures of the AWS SDKs: a hundred failures, or fifty timeouts, empty the retry budget.
const BUDGET = 500;
const COST = 5;
const TIMEOUT_COST = 10;
/** The first pause if the service names no time; each further one is twice as long, up to the maximum. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;
/** The limit grows by one after this many successes for each request that it allows in flight. */
const GROWTH = 8;
/** The longest pause that a service may ask a batch for: after a longer one the batch stops. */
const MAX_RETRY_AFTER_MS = 300_000;
/** A poll that has waited for this long comes before the next call. */
const STARVED_MS = 15_000;

/** Makes a limiter that starts at full concurrency. */
export function createLimiter(
  { concurrency, rate }: Limits,
  { timeoutMs }: Pick<Settings, 'timeoutMs'>,
  clocks: Clocks,
  { signal, halt = signal }: Signals,
) {
  const { monotonic, random, sleep } = clocks;
  const gapMs = rate === undefined ? 0 : rate.spanMs / rate.count;
  const throttle = createThrottle(concurrency, monotonic, random);
  const places = createPlaces(createQueue({ call: halt, poll: halt }, monotonic), throttle.limit);
  /** The alarm at the end of a pause; `undefined` while none is set. */
  let alarm: AbortController | undefined;
  // Without a waiter the timer of a pause would only keep the process alive.
  const onLeave = () => void (turns.size() === 0 && alarm?.abort());
  const turns = createQueue({ call: signal, poll: halt }, monotonic, onLeave);
  const inFlight = { call: 0, poll: 0 };
  const inFlightNow = () => inFlight.call + inFlight.poll;
  let nextTurnAt = 0;
  let isSent = false;

  const admit = () => {
    while (turns.size() > 0 && inFlightNow() < throttle.limit()) {
      const waitMs = Math.max(throttle.pausedUntil(), nextTurnAt) - monotonic();
      if (waitMs > 0) return wakeIn(waitMs);
      inFlight[turns.admitNext()]++;
      if (gapMs > 0) nextTurnAt = Math.max(nextTurnAt, monotonic()) + gapMs;
    }
  };
  const wakeIn = (ms: number) => {
    if (alarm !== undefined) return;
    const ringing = (alarm = new AbortController());
    const wake = () => {
      alarm = undefined;
      admit();
    };
    // After an interrupt, or if all waiters have left, it rejects, and `admit` finds no waiter.
    sleep(Math.ceil(ms), AbortSignal.any([signal, ringing.signal])).then(wake, wake);
  };
  /**
   * Runs one attempt of a call in turn; `tries` counts the attempts so far, with this one. Rejects as the attempt does,
   * or, if it was not started, with the reason of the signal.
   */
  const run = async <T>(
    kind: PlaceKind,
    attempt: () => Promise<T>,
    tries: number,
    own?: AbortSignal,
  ): Promise<T> => {
    const turn = turns.wait(kind, own);
    admit();
    await turn;
    try {
      const result = await attempt();
      isSent = true;
      throttle.adapt(kind, undefined, tries);
      return result;
    } catch (error) {
      if (error instanceof Failure) {
        isSent ||= error.facts.sent === true;
        throttle.adapt(kind, error, tries);
      }
      throw error;
    } finally {
      inFlight[kind]--;
      admit();
    }
  };
  return {
    /** Resolves, once a place is free, to the function that releases it. */
    place: places.take,
    run,
    /** Makes the retry policies of calls or polls. */
    retryPolicyOf:
      (kind: PlaceKind) =>
      (retries: number): RetryPolicy => ({
        monotonic,
        random,
        // An interrupt ends each pause at once; a request that was sent gets its full time.
        sleep: (ms, own) => sleep(ms, AbortSignal.any([signal, own])),
        maxRetryAfterMs: MAX_RETRY_AFTER_MS,
        retries,
        totalMs: (timeoutMs + MAX_RETRY_AFTER_MS) * (retries + 1),
        run: (attempt, tries, own) => run(kind, attempt, tries, own),
        mayRetry: throttle.mayRetry,
      }),
    /** True if a byte of any request may have been sent. */
    isSent: () => isSent,
    /** The current maximum of requests in flight. */
    limit: throttle.limit,
    /** The number of requests in flight that are not polls. */
    callsInFlight: () => inFlight.call,
    /** Milliseconds left of a pause that the service asked for; 0 without one. */
    pausedMs: () => Math.max(0, throttle.pausedUntil() - monotonic()),
    /** The failure with which the service asked for the last pause. */
    pausedBy: throttle.pausedBy,
    /** The failure that showed that the service is down, so that nothing more should be started. */
    down: throttle.down,
  };
}

interface Waiter {
  readonly since: number;
  resolve(): void;
  reject(reason: Error): void;
}

/**
 * Makes the queue of calls and polls, each first in, first out, until the signal aborts. A call comes first, unless a
 * poll has waited for too long: then calls and polls take turns.
 */
function createQueue(
  signals: Readonly<Record<PlaceKind, AbortSignal>>,
  monotonic: () => number,
  onLeave: () => void = () => undefined,
) {
  const waiters: Record<PlaceKind, Waiter[]> = { call: [], poll: [] };
  let last: PlaceKind = 'poll';
  for (const kind of ['call', 'poll'] as const) {
    const rejectAll = () => {
      for (const { reject } of waiters[kind].splice(0)) reject(signals[kind].reason as Error);
    };
    signals[kind].addEventListener('abort', rejectAll, { once: true });
  }
  const nextKind = (): PlaceKind => {
    if (waiters.call.length === 0) return 'poll';
    const waitedMs = monotonic() - (waiters.poll[0]?.since ?? Infinity);
    return waitedMs > STARVED_MS && last === 'call' ? 'poll' : 'call';
  };
  return {
    /** Resolves when it is admitted; rejects when its own signal, or that of its kind, aborts before. */
    wait: (kind: PlaceKind, own?: AbortSignal): Promise<void> => {
      const ended = [signals[kind], own].find((signal) => signal?.aborted);
      if (ended !== undefined) return Promise.reject(ended.reason as Error);
      const since = monotonic();
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters[kind] = waiters[kind].filter((one) => one !== waiter);
          waiter.reject(own!.reason as Error);
          onLeave();
        };
        const forget = own === undefined ? () => undefined : onAbort(own, leave);
        const waiter: Waiter = {
          since,
          resolve: () => {
            forget();
            resolve();
          },
          reject: (reason) => {
            forget();
            reject(reason);
          },
        };
        waiters[kind].push(waiter);
      });
    },
    admitNext(): PlaceKind {
      last = nextKind();
      waiters[last].shift()?.resolve();
      return last;
    },
    size: () => waiters.call.length + waiters.poll.length,
  };
}

/** Makes the places: at most `limit()` are taken at once. Releasing one a second time changes nothing. */
function createPlaces(queue: ReturnType<typeof createQueue>, limit: () => number) {
  let taken = 0;
  const admit = () => {
    while (queue.size() > 0 && taken < limit()) {
      taken++;
      queue.admitNext();
    }
  };
  return {
    async take(kind: PlaceKind, own?: AbortSignal): Promise<() => void> {
      const place = queue.wait(kind, own);
      admit();
      await place;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        taken--;
        admit();
      };
    },
  };
}

/** Adapts to the service's responses: the limit of requests in flight, the pause, the retry budget. */
function createThrottle(concurrency: number, monotonic: () => number, random: () => number) {
  let budget = BUDGET;
  let limit = concurrency;
  let successes = 0;
  let pausedUntil = 0;
  /** The number of pauses since the last success. */
  let pauses = 0;
  let down: Failure | undefined;
  let pausedBy: Failure | undefined;

  const pause = (failure: Failure) => {
    const { retryAfterMs } = failure.facts;
    pausedBy = failure;
    const now = monotonic();
    // Requests in flight at the start of a pause are refused too: that is the same pause.
    const isNew = now >= pausedUntil;
    // This uses the number of pauses before this one.
    const jitteredMs = Math.min(FIRST_PAUSE_MS * 2 ** pauses, MAX_PAUSE_MS) * (0.5 + random() / 2);
    if (isNew) {
      limit = Math.max(1, Math.floor(limit / 2));
      pauses++;
      successes = 0;
    }
    if (isNew || retryAfterMs !== undefined)
      pausedUntil = Math.max(pausedUntil, now + (retryAfterMs ?? jitteredMs));
  };
  const succeed = (tries: number) => {
    // A success gives back what the failed attempts of its call took, or one if there were none.
    budget = Math.min(BUDGET, budget + Math.max(1, (tries - 1) * COST));
    pauses = 0;
    if (limit < concurrency && ++successes >= limit * GROWTH) {
      limit++;
      successes = 0;
    }
  };

  return {
    limit: () => limit,
    pausedUntil: () => pausedUntil,
    pausedBy: () => pausedBy,
    down: () => down,
    // An empty budget is one of the reasons for `down`.
    mayRetry: () => down === undefined,
    /** Adapts to the end of a request. A failed poll costs no retry budget, because a wait limits them itself. */
    adapt(kind: PlaceKind, failure: Failure | undefined, tries: number): void {
      if (failure === undefined || !isServiceTrouble(failure)) return succeed(tries);
      const { retryAfterMs, timedOut, isLasting = false } = failure.facts;
      const isTooLong = retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS;
      if (isTooLong || isLasting) down ??= failure;
      else if (failure.kind === 'rate_limited') pause(failure);
      if (kind === 'poll') return;
      budget -= timedOut === true ? TIMEOUT_COST : COST;
      if (budget <= 0) down ??= failure;
    },
  };
}

/** A refusal is about the record; these failures are about the service. */
const isServiceTrouble = ({ kind }: Failure) =>
  ['rate_limited', 'no_answer', 'outcome_unknown'].includes(kind);

interface EachOptions {
  readonly limiter: Pick<Limiter, 'place'>;
  /** Aborted when nothing more may be started. */
  readonly signal: AbortSignal;
}

/**
 * Starts `work` for each item when there is a place, and waits until all that were started have ended. `work` may
 * release its place before it ends. Resolves with the number of started items, which are the first of the list. Rejects
 * as `work` does, and then starts no further item.
 */
export async function eachLimited<Item>(
  items: readonly Item[],
  { limiter, signal }: EachOptions,
  work: (item: Item, releasePlace: () => void) => Promise<void>,
): Promise<number> {
  const running = new Set<Promise<void>>();
  let started = 0;
  /** The first error of `work`, in an object because an error may be `undefined`. */
  let broken: { readonly error: unknown } | undefined;
  try {
    for (const item of items) {
      const release = await limiter.place('call');
      if (signal.aborted || broken !== undefined) {
        release();
        break;
      }
      started++;
      const ended = work(item, release)
        .catch((error: unknown) => void (broken ??= { error }))
        .finally(() => {
          release();
          running.delete(ended);
        });
      running.add(ended);
    }
  } catch (reason) {
    // An abort rejects `place`. That ends the loop, but is not a failure.
    if (!signal.aborted) throw reason;
  }
  await Promise.all(running);
  if (broken !== undefined) throw broken.error;
  return started;
}

/**
 * Reads each item, as many at once as the limiter allows; resolves with the results or failures in the order of the
 * items. Rejects with a failure that every other read would meet as well: a signal, a rejected token, a bug of this
 * program.
 */
export async function readEach<Item, Answer>(
  items: readonly Item[],
  options: EachOptions,
  read: (item: Item) => Promise<Answer>,
): Promise<readonly (Answer | Failure)[]> {
  const answers = new Map<number, Answer | Failure>();
  await eachLimited([...items.entries()], options, async ([at, item]) => {
    try {
      answers.set(at, await read(item));
    } catch (error) {
      if (!(error instanceof Failure) || endsAll(error)) throw error;
      answers.set(at, error);
    }
  });
  options.signal.throwIfAborted();
  // Without an abort every item was read.
  return items.map((_item, at) => answers.get(at)!);
}

const endsAll = ({ kind }: Failure) =>
  isSignal(kind) || kind === 'unauthorized' || kind === 'internal';
