// The engine of a batch step by step: what it starts when, when it looks at what is waited for, and how it ends.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import {
  type ItemResult,
  schedule,
  type SchedulerOptions,
  type SchedulerWaits,
} from '../../../src/batch/run/scheduler.ts';

/** Something to wait for that a test opens. */
function gate<T = void>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { open, opened };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const ok = async (): Promise<ItemResult> => ({ verdict: 'ok' });
const none = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, unstarted: 0 };
const cut = new Failure('interrupted', { what: 'cancelled' });

async function* groups(...all: readonly (readonly number[])[]) {
  yield* all;
}

/** Starts a batch; its end has the counts of its results, `before` among the failures. */
function begin({
  before = 0,
  ...more
}: Partial<SchedulerOptions<number>> & { before?: number } = {}) {
  const controller = new AbortController();
  const state = { isOver: false };
  const counts = { ...none };
  const counted = (result: ItemResult) => {
    if (result.verdict !== 'waiting') counts[result.verdict]++;
    return result;
  };
  const { work = ok, waits } = more;
  const end = schedule<number>({
    source: groups([1, 2, 3]),
    limit: () => 1,
    maxFailures: Infinity,
    hold: () => undefined,
    signal: controller.signal,
    ...more,
    work: async (item) => counted(await work(item)),
    failures: () => before + counts.failed + counts.unknown,
    waits: waits && {
      ...waits,
      poll: async () => (await waits.poll()).map(counted),
      end: (why) => waits.end(why).map(counted),
    },
  });
  const ended = end.then((result) => ({ ...counts, ...result }));
  void ended.then(() => (state.isOver = true));
  return { ended, state, controller };
}

async function restOf({ rest }: Awaited<ReturnType<typeof begin>['ended']>) {
  const items: number[] = [];
  for await (const item of rest()) items.push(item);
  return items;
}

describe('the end of a batch', () => {
  it.each<readonly [string, readonly ItemResult[], boolean]>([
    ['nothing', [], false],
    ['what went well', [{ verdict: 'ok' }], true],
    ['what failed', [{ verdict: 'failed' }], true],
    ['what is unknown', [{ verdict: 'unknown' }], true],
    ['what was accepted', [{ verdict: 'accepted' }], true],
    ['what was skipped', [{ verdict: 'skipped' }], true],
    ['what was not started', [{ verdict: 'unstarted' }], false],
    ['what was not started, with a read', [{ verdict: 'unstarted', sent: true }], true],
    ['what failed before it was sent', [{ verdict: 'failed', sent: false }], false],
    [
      'what was sent once',
      [
        { verdict: 'ok', sent: true },
        { verdict: 'ok', sent: false },
      ],
      true,
    ],
    ['what is waited for', [{ verdict: 'waiting' }], true],
  ])('after %s says whether anything was sent', async (_what, results, sent) => {
    const left = [...results];
    const { ended } = begin({
      source: groups(results.map((_each, i) => i)),
      work: async () => left.shift()!,
    });
    expect(await ended).toMatchObject({ sent, stopped: undefined });
  });

  it.each([
    [1, 'stopped after 1 failure', [2, 3, 4]],
    [2, 'stopped after 2 failures', [3, 4]],
    [3, 'stopped after 3 failures', [4]],
  ])('comes with failure number %i', async (maxFailures, what, rest) => {
    const verdicts = ['failed', 'unknown', 'failed'] as const;
    const { ended } = begin({
      source: groups([1, 2], [3, 4]),
      work: async (n) => ({ verdict: verdicts[n - 1]! }),
      maxFailures,
    });
    const end = await ended;
    expect([end.stopped!.kind, end.stopped!.facts]).toEqual([
      'batch_failed',
      { what, retryable: false },
    ]);
    expect(await restOf(end)).toEqual(rest);
  });

  it('comes with the last failure of all, where an earlier part had some', async () => {
    const work = async (): Promise<ItemResult> => ({ verdict: 'failed' });
    const { ended } = begin({ work, maxFailures: 5, before: 3 });
    const end = await ended;
    expect([end.failed, end.stopped!.facts.what]).toEqual([2, 'stopped after 5 failures']);
  });

  it('has the first reason there was to stop', async () => {
    const [one, two] = [1, 2].map((n) => new Failure('rate_limited', { what: `${n}` }));
    const both = gate();
    const { ended, controller } = begin({
      limit: () => 2,
      maxFailures: 1,
      work: async (n) => {
        if (n === 2) await both.opened;
        return { verdict: 'failed', stop: n === 1 ? one! : two! };
      },
    });
    await settled();
    controller.abort(cut);
    both.open();
    expect(await ended).toMatchObject({ stopped: one, failed: 2 });
  });

  it('is what its source breaks with, also for those who read on', async () => {
    const broken = new Failure('local_io', { what: 'disk full' });
    const source = (async function* () {
      yield [1];
      throw broken;
    })();
    const end = await begin({ source }).ended;
    expect(end).toMatchObject({ stopped: broken, ok: 1 });
    await expect(restOf(end)).rejects.toBe(broken);
  });
});

describe('a batch that is stopped', () => {
  it('before it begins starts nothing, and all is left', async () => {
    const controller = new AbortController();
    controller.abort(cut);
    const { ended } = begin({ signal: controller.signal });
    const end = await ended;
    expect(end).toMatchObject({ ...none, sent: false, stopped: cut });
    expect(await restOf(end)).toEqual([1, 2, 3]);
  });

  it('lets what is under way end, and starts nothing more', async () => {
    const work = gate();
    const { ended, state, controller } = begin({
      work: () => work.opened.then(ok),
    });
    await settled();
    controller.abort(cut);
    await settled();
    expect(state.isOver).toBe(false);
    work.open();
    const end = await ended;
    expect(end).toMatchObject({ ok: 1, stopped: cut });
    expect(await restOf(end)).toEqual([2, 3]);
  });

  it.each([
    ['first', false],
    ['next', true],
  ])('while its %s group is read has that among what is left', async (_which, isHeldBefore) => {
    const [reading, held] = [gate(), gate()];
    let holds = isHeldBefore;
    const source = (async function* () {
      if (isHeldBefore) yield [1];
      await reading.opened;
      yield [2, 3];
    })();
    const { ended, state, controller } = begin({
      source,
      hold: () => (holds ? held.opened : undefined),
    });
    await settled();
    holds = false;
    held.open();
    await settled();
    controller.abort(cut);
    await settled();
    expect(state.isOver).toBe(false);
    reading.open();
    expect(await restOf(await ended)).toEqual([2, 3]);
  });

  it('does not wait for a reader who takes no results', async () => {
    const { ended, state, controller } = begin({ hold: () => gate().opened });
    await settled();
    expect(state.isOver).toBe(false);
    controller.abort(cut);
    const end = await ended;
    expect(end).toMatchObject({ ...none, stopped: cut });
    expect(await restOf(end)).toEqual([1, 2, 3]);
  });
});

/** Things that are waited for, by a clock that the test moves; each look says what comes of it. */
function waiting(due: readonly number[], now = 0) {
  const asleep = [...due];
  const log: (string | number)[] = [];
  const sleepers: { readonly at: number; wake(): void }[] = [];
  const clock = { now };
  let inFlight = 0;
  let result: ItemResult = { verdict: 'ok' };
  let pause: Promise<void> | undefined;
  const waits: SchedulerWaits = {
    count: () => asleep.length + inFlight,
    now: () => clock.now,
    dueAt: () => (asleep.length === 0 ? undefined : Math.min(...asleep)),
    async poll() {
      const first = Math.min(...asleep);
      asleep.splice(asleep.indexOf(first), 1);
      inFlight++;
      log.push(`look ${first}`);
      await pause;
      inFlight--;
      return [result];
    },
    sleepUntil: (at) => new Promise((wake) => void sleepers.push({ at, wake })),
    lastLooks: () => void log.push('last looks'),
    end: (why) => {
      log.push(`end ${why.facts.what}`);
      return asleep.splice(0).map(() => ({ verdict: 'accepted' }));
    },
  };
  return {
    waits,
    log,
    asleep,
    sleepers,
    clock,
    ends: (with_: ItemResult, after?: Promise<void>) => void ([result, pause] = [with_, after]),
    async pass(ms: number) {
      clock.now += ms;
      for (const each of sleepers.filter(({ at }) => at <= clock.now)) each.wake();
      await settled();
    },
  };
}
const starting = (log: (string | number)[]) => async (n: number) => {
  log.push(`start ${n}`);
  return ok();
};

describe('what is waited for', () => {
  it('is looked at when it is due, and not before', async () => {
    const { waits, log, pass, sleepers } = waiting([1000, 3000]);
    const { ended, state } = begin({ waits, work: starting(log) });
    await settled();
    expect(log).toEqual(['start 1', 'start 2', 'start 3']);
    expect(sleepers.map(({ at }) => at)).toEqual([1000]);
    await pass(999);
    expect(log).toHaveLength(3);
    await pass(1);
    expect([log.at(-1), state.isOver]).toEqual(['look 1000', false]);
    expect(sleepers.map(({ at }) => at)).toEqual([1000, 3000]);
    await pass(2000);
    expect(await ended).toMatchObject({ ok: 5, stopped: undefined });
  });

  it('is looked at at once where it is due now', async () => {
    const { waits, log, sleepers } = waiting([500, 500], 500);
    await begin({ waits, source: groups(), work: starting(log) }).ended;
    expect([log, sleepers]).toEqual([['look 500', 'look 500'], []]);
  });

  it.each([
    [15_010, ['start 1', 'start 2', 'start 3', 'look 10', 'look 10']],
    [15_011, ['start 1', 'look 10', 'start 2', 'look 10', 'start 3']],
  ])(
    'comes after what is to be started, but for looks that are too late: at %i',
    async (at, all) => {
      const { waits, log, clock } = waiting([10, 10]);
      const work = async (n: number) => {
        clock.now = at;
        return starting(log)(n);
      };
      await begin({ waits, work }).ended;
      expect(log).toEqual(all);
    },
  );

  it('is looked at while the list is read', async () => {
    const { waits, log } = waiting([0]);
    const reading = gate();
    const source = (async function* () {
      await reading.opened;
      yield [1];
    })();
    const { ended } = begin({ waits, source, work: starting(log) });
    await settled();
    expect(log).toEqual(['look 0']);
    reading.open();
    await ended;
    expect(log).toEqual(['look 0', 'start 1']);
  });

  it.each([
    ['read', [0], ['start 1', 'look 0']],
    ['at its end', [0, 0], ['look 0', 'look 0']],
  ])('is not looked at while results are held, where the list is %s', async (what, due, all) => {
    const { waits, log } = waiting(due);
    const [reading, held] = [gate(), gate()];
    const source = (async function* () {
      if (what !== 'read') return;
      await reading.opened;
      yield [1];
    })();
    let isHeld = true;
    const { ended } = begin({
      waits,
      source,
      work: starting(log),
      hold: () => (isHeld ? held.opened : undefined),
    });
    await settled();
    reading.open();
    await settled();
    expect(log).toEqual([]);
    isHeld = false;
    held.open();
    await ended;
    expect(log).toEqual(all);
  });

  it('keeps the batch until it has ended', async () => {
    const { waits, log, ends } = waiting([0]);
    const look = gate();
    ends({ verdict: 'failed' }, look.opened);
    const { ended, state } = begin({ waits, source: groups(), limit: () => 2 });
    await settled();
    expect([log, state.isOver]).toEqual([['look 0'], false]);
    look.open();
    expect(await ended).toMatchObject({ failed: 1 });
  });

  it('is looked at once more after too many failures, and given up ten seconds later', async () => {
    const { waits, log, pass, asleep, sleepers } = waiting([50_000], 100);
    const { ended, state } = begin({
      waits,
      maxFailures: 2,
      work: async () => ({ verdict: 'failed' }),
    });
    await settled();
    expect([log, state.isOver, asleep]).toEqual([['last looks'], false, [50_000]]);
    expect(sleepers.map(({ at }) => at)).toContain(10_100);
    await pass(9999);
    expect(state.isOver).toBe(false);
    await pass(1);
    expect(await ended).toMatchObject({ failed: 2, accepted: 1 });
    expect(log).toEqual(['last looks', 'end stopped after 2 failures']);
  });

  it('is given up at once where the batch is stopped, also while it was stopping', async () => {
    const { waits, log } = waiting([50_000]);
    const { ended, controller } = begin({
      waits,
      maxFailures: 1,
      work: async () => ({ verdict: 'failed' }),
    });
    await settled();
    controller.abort(cut);
    const end = await ended;
    expect(end).toMatchObject({ failed: 1, accepted: 1 });
    expect(end.stopped!.facts.what).toBe('stopped after 1 failure');
    expect(log.at(-1)).toBe('end cancelled');
  });
});
