// Runs a batch's items with a limit on how many run at once, and stops when it should. Reads at most one group ahead,
// keeps no item that has ended, and lets the calls in flight finish.

import { Failure, internalFailure } from '../../base/errors.ts';

/**
 * What became of an item. `accepted`: the service has taken the change, and the wait for its result was cut off;
 * `skipped`: there was nothing to do; `unstarted`: nothing was sent.
 */
export type ItemVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'skipped' | 'unstarted';

export interface ItemResult {
  readonly verdict: ItemVerdict;
  /** Set when nothing more may be started, and why. */
  readonly stop?: Failure;
  /** Whether a request was sent, which an unstarted item may have done too: a read that was cut off. */
  readonly sent?: boolean;
}

export interface SchedulerOptions<Item> {
  /** Groups of items, in order. */
  readonly source: AsyncIterator<readonly Item[]>;
  /** One item from start to end. Rejects only with what ends the whole batch. */
  work(item: Item): Promise<ItemResult>;
  /** How many items may run now. */
  limit(): number;
  /** Failed and unknown items after which nothing more is started. */
  readonly maxFailures: number;
  /** Backpressure: the next item starts when this has resolved. */
  hold(): Promise<void> | undefined;
  /** Aborted when nothing more may be started. */
  readonly signal: AbortSignal;
}

export interface BatchCounts {
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  readonly accepted: number;
  readonly skipped: number;
  /** Whether any request was sent. */
  readonly sent: boolean;
  /** Why not every item was started; `undefined` where all were. */
  readonly stopped: Failure | undefined;
}

/** The counts, and how to read on the items that were never started. */
export interface ScheduleResult<Item> extends BatchCounts {
  /** Rejects as the source did, which cannot be read on then. */
  readonly rest: () => AsyncGenerator<Item>;
}

/** Runs a batch to its end. Resolves also when it was stopped; never rejects. */
export function schedule<Item>(batch: SchedulerOptions<Item>): Promise<ScheduleResult<Item>> {
  const { work, limit, maxFailures, hold, signal } = batch;
  const items = itemReader(batch.source);
  const counts = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, unstarted: 0 };
  let running = 0;
  let [waiting, holding, sent] = [false, false, false];
  let stopped: Failure | undefined;

  const stop = (why: unknown) => {
    stopped ??= why instanceof Failure ? why : internalFailure(why);
  };
  const count = (result: ItemResult) => {
    const { verdict } = result;
    counts[verdict]++;
    sent ||= result.sent ?? verdict !== 'unstarted';
    if (result.stop !== undefined) stop(result.stop);
    if (counts.failed + counts.unknown >= maxFailures) stop(tooManyFailures(maxFailures));
  };

  return new Promise((resolve) => {
    const pump = () => {
      while (step());
      const isOver = stopped !== undefined || items.isAtEnd();
      // Results that nobody reads may be held for ever.
      if (!isOver || running > 0 || (waiting && !holding)) return;
      signal.removeEventListener('abort', onAbort);
      resolve({ ...counts, sent, stopped, rest: items.rest });
    };
    /** Takes one step that can be taken now; `false` where there is none. */
    const step = (): boolean => {
      if (stopped !== undefined || waiting || running >= limit()) return false;
      const held = items.isLoaded() ? hold() : undefined;
      holding = held !== undefined;
      if (held !== undefined) void wait(held);
      else if (items.isLoaded()) void start(items.take());
      else if (items.isAtEnd()) return false;
      else void wait(items.load());
      return true;
    };
    const start = async (item: Item) => {
      running++;
      try {
        count(await work(item));
      } catch (error) {
        stop(error);
      }
      running--;
      pump();
    };
    const wait = async (until: Promise<unknown>) => {
      waiting = true;
      try {
        await until;
      } catch (error) {
        stop(error);
      }
      waiting = false;
      pump();
    };
    const onAbort = () => {
      stop(signal.reason);
      pump();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else pump();
  });
}

/** Gives the items of a source one by one, a group loaded at a time. */
function itemReader<Item>(source: AsyncIterator<readonly Item[]>) {
  let group: readonly Item[] = [];
  let next = 0;
  let exhausted = false;
  let broken: { readonly error: unknown } | undefined;
  /** Loads the next group; `false` where there is none. */
  const load = async () => {
    try {
      const result = await source.next();
      exhausted = result.done === true;
      [group, next] = [result.done === true ? [] : result.value, 0];
      return !exhausted;
    } catch (error) {
      broken = { error };
      throw error;
    }
  };
  return {
    isLoaded: () => next < group.length,
    isAtEnd: () => exhausted && next === group.length,
    take: () => group[next++]!,
    load,
    async *rest() {
      // A generator that threw says from then on that it has come to its end.
      if (broken !== undefined) throw broken.error;
      do yield* group.slice(next);
      while (await load());
    },
  };
}

const tooManyFailures = (count: number) =>
  new Failure('batch_failed', {
    what: `stopped after ${count} failure${count === 1 ? '' : 's'}`,
    retryable: false,
  });
