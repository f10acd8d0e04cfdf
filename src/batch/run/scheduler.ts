// Runs work for every item of a source, so many at once, and stops when it should. Reads no further ahead than a
// group, keeps no item after it has ended, and lets what is under way finish.

import { Failure, internalFailure } from '../../base/errors.ts';

/**
 * What became of an item. `accepted`: the service has taken the change, and the wait for what comes of it was cut
 * off; `unstarted`: it was taken up, but nothing was sent.
 */
export type ItemVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'unstarted';

export interface ItemResult {
  readonly verdict: ItemVerdict;
  /** Set when nothing more may be started, and why. */
  readonly stop?: Failure;
  /** Whether a request of it had left, also where it counts as unstarted: a read that was cut off. */
  readonly sent?: boolean;
}

export interface SchedulerOptions<Item> {
  /** Groups of items, in order. */
  readonly source: AsyncIterator<readonly Item[]>;
  /** One item from start to end. Rejects only with what ends the whole batch. */
  work(item: Item): Promise<ItemResult>;
  /** Items that may be under way now. */
  limit(): number;
  /** Failed and unknown items after which nothing more is started. */
  readonly maxFailures: number;
  /** Something to wait for before the next item starts: results that nobody takes yet. */
  hold(): Promise<void> | undefined;
  /** Aborted when nothing more may be started. */
  readonly signal: AbortSignal;
}

export interface BatchCounts {
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  readonly accepted: number;
  /** Whether any request had left. */
  readonly sent: boolean;
  /** Why not all was started; nothing where all was. */
  readonly stopped: Failure | undefined;
}

const NONE: Readonly<Record<ItemVerdict, number>> = {
  ok: 0,
  failed: 0,
  unknown: 0,
  accepted: 0,
  unstarted: 0,
};

/** Runs a batch to its end. Resolves also when it was stopped; never rejects. */
export function schedule<Item>(batch: SchedulerOptions<Item>): Promise<BatchCounts> {
  const { source, work, limit, maxFailures, hold, signal } = batch;
  const counts = { ...NONE };
  let group: readonly Item[] = [];
  let [at, running] = [0, 0];
  let [waiting, holding, exhausted, anySent] = [false, false, false, false];
  let stopped: Failure | undefined;

  const stop = (why: unknown) => {
    stopped ??= why instanceof Failure ? why : internalFailure(why);
  };
  const take = ({ done, value }: IteratorResult<readonly Item[]>): void => {
    [group, at] = [done === true ? [] : value, 0];
    exhausted = done === true;
  };

  return new Promise((resolve) => {
    const pump = () => {
      while (step());
      const over = stopped !== undefined || (exhausted && at === group.length);
      // Results that nobody takes may be held for ever.
      if (!over || running > 0 || (waiting && !holding)) return;
      signal.removeEventListener('abort', onAbort);
      resolve({ ...counts, sent: anySent, stopped });
    };
    /** Does one thing that can be done now; `false` where there is none. */
    const step = (): boolean => {
      if (stopped !== undefined || waiting || running >= limit()) return false;
      const held = at < group.length ? hold() : undefined;
      holding = held !== undefined;
      if (held !== undefined) wait(held);
      else if (at < group.length) start(group[at++]!);
      else if (!exhausted) read();
      else return false;
      return true;
    };
    const start = (item: Item) => {
      running++;
      begun(work, item).then(finish, broke);
    };
    const finish = ({ verdict, stop: why, sent = verdict !== 'unstarted' }: ItemResult) => {
      running--;
      counts[verdict]++;
      anySent ||= sent;
      if (why !== undefined) stop(why);
      if (counts.failed + counts.unknown >= maxFailures) stop(enough(maxFailures));
      pump();
    };
    const broke = (error: unknown) => {
      running--;
      stop(error);
      pump();
    };
    const wait = (until: Promise<unknown>) => {
      waiting = true;
      const on = () => {
        waiting = false;
        pump();
      };
      until.then(on, (error: unknown) => {
        stop(error);
        on();
      });
    };
    const read = () => wait(source.next().then(take));
    const onAbort = () => {
      stop(signal.reason);
      pump();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else pump();
  });
}

/** What is wrong before there is a promise is wrong with the item all the same. */
function begun<Item>(work: SchedulerOptions<Item>['work'], item: Item): Promise<ItemResult> {
  try {
    return work(item);
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error('no promise'));
  }
}

const enough = (count: number) =>
  new Failure('batch_failed', {
    what: `stopped after ${count} failure${count === 1 ? '' : 's'}`,
    retryable: false,
  });

// What is left of a batch that was stopped: the records that nobody has taken up. Reads them on from where the batch
// ended, so that none of them has to be kept meanwhile.

export interface UntakenItems<Item> {
  /** The same groups, looked at as they pass. */
  readonly source: AsyncIterator<readonly Item[]>;
  /** One more item of the last group has been taken up; they are in order. */
  took(): void;
  /** The items that have not. Rejects as the source did, which cannot be read on then. */
  rest(): AsyncGenerator<Item>;
}

/** Follows a source that one reader takes items of. */
export function trackUntaken<Item>(source: AsyncIterator<readonly Item[]>): UntakenItems<Item> {
  let group: readonly Item[] = [];
  let at = 0;
  let broken: { readonly error: unknown } | undefined;
  const next = async () => {
    try {
      const result = await source.next();
      [group, at] = [result.done === true ? [] : result.value, 0];
      return result;
    } catch (error) {
      broken = { error };
      throw error;
    }
  };
  return {
    source: { next },
    took: () => void at++,
    async *rest() {
      // A generator that threw says from then on that it has come to its end.
      if (broken !== undefined) throw broken.error;
      do yield* group.slice(at);
      while ((await next()).done !== true);
    },
  };
}
