// Timeouts of what is under way, requests or polls: each is ended at its timeout, or when its caller gives up. One
// timer for all of them, and one listener for all of a signal: both for each request cost 3 µs of the 30 that an item
// of a batch takes.

import { type Clock, createRunningClock, nextCheckMs } from '../../base/running-clock.ts';

/**
 * A free list. A Map or Set of this churn holds memory: when V8 grows one, the old table stays linked to the new one,
 * so what was in it lives until the next full collection (10 µs and 4 KB an item of a batch, measured).
 */
export interface FreeList<T> {
  /** Things in it now. */
  readonly size: number;
  /** Puts a thing in; the number takes it out again. */
  put(thing: T): number;
  /** Takes out what was put in under a number. */
  take(slot: number): void;
  /** What is in it, in no order. Putting in and taking out meanwhile is allowed. */
  all(): readonly T[];
}

/** As many slots as were ever in use at once. */
export function createFreeList<T>(): FreeList<T> {
  const things: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    get size() {
      return things.length - free.length;
    },
    put(thing) {
      const slot = free.pop() ?? things.length;
      things[slot] = thing;
      return slot;
    },
    take(slot) {
      if (things[slot] === undefined) return;
      things[slot] = undefined;
      free.push(slot);
    },
    all: () => things.filter((thing) => thing !== undefined),
  };
}

/** A request under way. Each of the two ends it. */
export interface InFlightRequest {
  expire(): void;
  cancel(reason: unknown): void;
}

export interface InFlight {
  /**
   * Tracks a request until the returned function is called, once. `signal` must not have aborted. A timeout below 250
   * ms may be noticed up to 250 ms late where others are under way with longer ones.
   */
  begin(request: InFlightRequest, signal: AbortSignal, timeoutMs: number): () => void;
}

interface Watched {
  readonly request: InFlightRequest;
  /** When its time is over, in milliseconds of running time. */
  readonly due: number;
  readonly watch: Watch;
}

/** The listener of a signal, as long as there are requests that it cancels. */
interface Watch {
  readonly signal: AbortSignal;
  requests: number;
  close(): void;
}

/** Nothing in flight yet. */
export function trackInFlight(clock: Clock): InFlight {
  const under = createFreeList<Watched>();
  // Few: those of a batch have one in common. No Map, for the reason above.
  const watches: Watch[] = [];
  const now = createRunningClock(clock);
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;

  const listen = (signal: AbortSignal): Watch => {
    const onAbort = () => {
      for (const { request, watch } of under.all())
        if (watch.signal === signal) request.cancel(signal.reason);
    };
    const close = () => {
      signal.removeEventListener('abort', onAbort);
      watches.splice(watches.indexOf(watch), 1);
    };
    const watch = { signal, requests: 0, close };
    signal.addEventListener('abort', onAbort, { once: true });
    watches.push(watch);
    return watch;
  };
  const check = () => {
    const time = now();
    const next = under.all().reduce((first, { due }) => Math.min(first, due), Infinity);
    if (next > time) timer = setTimeout(check, nextCheckMs(next - time));
    // An answer that has arrived meanwhile is read first.
    else turn = setImmediate(expire, time);
  };
  const expire = (time: number) => {
    for (const { request, due } of under.all()) if (due <= time) request.expire();
    if (under.size > 0) check();
  };

  return {
    begin(request, signal, timeoutMs) {
      const due = now() + timeoutMs;
      if (under.size === 0) timer = setTimeout(check, nextCheckMs(timeoutMs));
      const watch = watches.find((each) => each.signal === signal) ?? listen(signal);
      watch.requests++;
      const slot = under.put({ request, due, watch });
      return () => {
        under.take(slot);
        if (--watch.requests === 0) watch.close();
        if (under.size > 0) return;
        clearTimeout(timer);
        clearImmediate(turn);
      };
    },
  };
}
