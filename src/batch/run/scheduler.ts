// Runs a batch's items with a limit on how many requests run at once, and stops when it should. Reads at most one group
// ahead, keeps no item that has ended, and lets the calls in flight finish. What is waited for takes no place: all
// items are started first, and what still moves is looked at when it is due.

import { Failure } from '../../base/errors.ts';
import { asFailure } from '../../output/error-report.ts';
import { LONGEST_INTERVAL_MS } from '../../wait/poll.ts';
import { GRACE_MS } from './cancellation.ts';

/**
 * What became of an item. `accepted`: the service has taken the change, and the wait for its result was cut off;
 * `skipped`: there was nothing to do; `unstarted`: nothing was sent.
 */
export type ItemVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'skipped' | 'unstarted';

export interface ItemResult {
  /** `waiting`: it has been started and is waited for; another result will follow. */
  readonly verdict: ItemVerdict | 'waiting';
  /** Set when nothing more may be started, and why. */
  readonly stop?: Failure | undefined;
  /** Whether a request was sent, which an unstarted item may have done too: a read that was cut off. */
  readonly sent?: boolean;
}

/** The items that are waited for. */
export interface SchedulerWaits {
  /** How many there are, those that are looked at now included. */
  count(): number;
  /** The monotonic clock. */
  now(): number;
  /** When one may be looked at; `undefined` where none is asleep. */
  dueAt(): number | undefined;
  /** Looks at the one that is due. Resolves to its result, and those of others that ended by it. */
  poll(): Promise<readonly ItemResult[]>;
  /** Rejects when nothing more may be started. */
  sleepUntil(at: number): Promise<void>;
  /** From now on each item is looked at once more, without waiting until it is due. */
  lastLooks(): void;
  /** Waits for none of them any longer. */
  end(why: Failure): readonly ItemResult[];
}

export interface SchedulerOptions<Item> {
  /** Groups of items, in order. */
  readonly source: AsyncIterator<readonly Item[]>;
  /** One item from start to end. Rejects only with what ends the whole batch. */
  work(item: Item): Promise<ItemResult>;
  /** What `work` leaves to wait for. */
  readonly waits?: SchedulerWaits | undefined;
  /** How many items may run now. */
  limit(): number;
  /** Failed and unknown items after which nothing more is started. */
  readonly maxFailures: number;
  /** How many there are, those of an earlier part of the batch included. */
  failures(): number;
  /** Backpressure: the next item starts when this has resolved. */
  hold(): Promise<void> | undefined;
  /** Aborted when nothing more may be started. */
  readonly signal: AbortSignal;
}

export interface ScheduleResult<Item> {
  /** Whether any request was sent. */
  readonly sent: boolean;
  /** Why not every item was started; `undefined` where all were. */
  readonly stopped: Failure | undefined;
  /** Reads on the items that were never started. Rejects as the source did, which cannot be read on then. */
  readonly rest: () => AsyncGenerator<Item>;
}

/** A look that is late by more than this comes before the next item. */
const STARVED_MS = LONGEST_INTERVAL_MS;

/** Runs a batch to its end. Resolves also when it was stopped; never rejects. */
export function schedule<Item>(batch: SchedulerOptions<Item>): Promise<ScheduleResult<Item>> {
  const { work, waits, limit, hold, signal } = batch;
  const items = itemReader(batch.source);
  let running = 0;
  let [waiting, holding, justStarted] = [false, false, false];

  return new Promise((resolve) => {
    const pump = () => {
      while (step());
      const isOver = tally.stopped() !== undefined || items.isAtEnd();
      // Results that nobody reads may be held for ever.
      const isBusy = running > 0 || (waiting && !holding) || (waits?.count() ?? 0) > 0;
      if (isOver && !isBusy) {
        signal.removeEventListener('abort', onAbort);
        resolve({ sent: tally.sent(), stopped: tally.stopped(), rest: items.rest });
      } else if (running < limit()) alarm();
    };
    const tally = createTally(batch, pump);
    const alarm = alarmOf(waits, pump);
    /** Takes one step that can be taken now; `false` where there is none. */
    const step = (): boolean => {
      if (running >= limit()) return false;
      // How late the next look is; negative where it is not due yet.
      const late = waits === undefined ? -1 : waits.now() - (waits.dueAt() ?? Infinity);
      const isStarved = justStarted && late > STARVED_MS;
      if (tally.stopped() !== undefined || waiting || isStarved) return look(late);
      if (!items.isLoaded()) {
        if (items.isAtEnd()) return look(late);
        void wait(items.load());
      } else if (!holds()) {
        justStarted = true;
        void run(work(items.take()));
      }
      return true;
    };
    const look = (late: number): boolean => {
      if (late < 0 || (waiting && (holding || hold() !== undefined))) return false;
      if (waiting || !holds()) {
        justStarted = false;
        void run(waits!.poll());
      }
      return true;
    };
    /** Whether the results have to be taken first; waits for that. */
    const holds = (): boolean => {
      const held = hold();
      holding = held !== undefined;
      if (held !== undefined) void wait(held);
      return holding;
    };
    const run = async (ended: Promise<ItemResult> | Promise<readonly ItemResult[]>) => {
      running++;
      await ended.then(tally.take, tally.stop);
      running--;
      pump();
    };
    const wait = async (until: Promise<unknown>) => {
      waiting = true;
      await until.catch(tally.stop);
      [waiting, holding] = [false, false];
      pump();
    };
    const onAbort = () => {
      tally.abort(signal.reason);
      pump();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else pump();
  });
}

/** Takes up results, and stops when it should. After too many failures, what is waited for is looked at once more. */
function createTally(
  {
    waits,
    maxFailures,
    failures,
  }: Pick<SchedulerOptions<never>, 'waits' | 'maxFailures' | 'failures'>,
  wake: () => void,
) {
  let sent = false;
  let stopped: Failure | undefined;

  const endWaits = (why: unknown) => waits?.end(asFailure(why)).forEach(takeOne);
  const stop = (why: unknown) => {
    if (stopped !== undefined) return;
    stopped = asFailure(why);
    endWaits(stopped);
  };
  const stopGently = (why: Failure) => {
    if (stopped !== undefined) return;
    stopped = why;
    waits?.lastLooks();
    const end = () => {
      endWaits(why);
      wake();
    };
    waits?.sleepUntil(waits.now() + GRACE_MS).then(end, () => undefined);
  };
  const takeOne = (result: ItemResult) => {
    sent ||= result.sent ?? result.verdict !== 'unstarted';
    if (result.stop !== undefined) stop(result.stop);
    if (failures() >= maxFailures) stopGently(tooManyFailures(maxFailures));
  };
  return {
    take: (ended: ItemResult | readonly ItemResult[]) =>
      'verdict' in ended ? takeOne(ended) : ended.forEach(takeOne),
    stop,
    abort(why: unknown): void {
      stop(why);
      // It may have been stopping already.
      endWaits(why);
    },
    sent: () => sent,
    stopped: () => stopped,
  };
}

/** Makes the function that has `wake` called when the next look is due. */
function alarmOf(waits: SchedulerWaits | undefined, wake: () => void): () => void {
  let setFor = Infinity;
  return () => {
    const at = waits?.dueAt() ?? Infinity;
    if (at >= setFor) return;
    setFor = at;
    const ring = () => {
      if (setFor === at) setFor = Infinity;
      wake();
    };
    waits!.sleepUntil(at).then(ring, () => undefined);
  };
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
