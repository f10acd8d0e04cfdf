// The limiter of a batch, on a clock that the test moves: pauses, places, turns, the budget, and the loop over a list.

import { describe, expect, it } from 'vitest';
import { createLimiter, eachLimited } from '../../src/batch/limiter.ts';
import { Failure } from '../../src/base/errors.ts';

const limited = (retryAfterMs?: number) =>
  new Failure('rate_limited', {
    what: 'slow down',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const lost = (timedOut = false) => new Failure('no_answer', { what: 'lost', timedOut });
const turnOfLoop = () => new Promise(setImmediate);

function setup(concurrency: number, rate?: { count: number; spanMs: number }, random = 1) {
  const clock = { now: 0 };
  const sleepers: { until: number; wake: () => void }[] = [];
  const [signal, halt] = [new AbortController(), new AbortController()];
  const clocks = {
    monotonic: () => clock.now,
    random: () => random,
    sleep: (ms: number) =>
      new Promise<void>((wake) => sleepers.push({ until: clock.now + ms, wake })),
  };
  const signals = { signal: signal.signal, halt: halt.signal };
  const limiter = createLimiter({ concurrency, rate }, { timeoutMs: 30_000 }, clocks, signals);
  const pass = async (ms: number) => {
    clock.now += ms;
    for (const each of sleepers.filter(({ until }) => until <= clock.now)) each.wake();
    await turnOfLoop();
  };
  /** Makes a request that ends so, and waits until that has been noted. */
  const request = (failure?: Failure, tries = 1, kind: 'call' | 'poll' = 'call') =>
    limiter
      .run(kind, () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)), tries)
      .catch(() => undefined);
  /** Makes requests that are in flight until the returned function ends each of them. */
  const inFlight = async (count: number) => {
    const ends: ((failure?: Failure) => void)[] = [];
    const all = Array.from({ length: count }, () =>
      limiter
        .run(
          'call',
          () =>
            new Promise<void>((resolve, reject) =>
              ends.push((failure) => (failure === undefined ? resolve() : reject(failure))),
            ),
          1,
        )
        .catch(() => undefined),
    );
    await turnOfLoop();
    return {
      begun: () => ends.length,
      async end(failure?: Failure) {
        for (const each of ends.splice(0)) each(failure);
        await turnOfLoop();
      },
      all: Promise.all(all),
    };
  };
  return { limiter, pass, clock, sleepers, signal, halt, request, inFlight };
}

describe('a pause', () => {
  it('halves the requests in flight once, however many responses ask for it, and they grow back slowly', async () => {
    const { limiter, pass, inFlight, request } = setup(8);
    const first = await inFlight(8);
    await first.end(limited(2000));
    expect([limiter.limit(), limiter.pausedMs()]).toEqual([4, 2000]);
    const second = await inFlight(8);
    await pass(1999);
    expect(second.begun()).toBe(0);
    await pass(1);
    expect(second.begun()).toBe(4);
    await second.end();
    await second.end();
    const used = [limiter.limit()];
    for (let i = 0; i < 400; i++) {
      await request();
      used.push(limiter.limit());
    }
    // After eight successes for each request in flight; eight were had before.
    expect([5, 6, 7, 8].map((limit) => used.indexOf(limit))).toEqual([24, 64, 112, 168]);
    expect(used.at(-1)).toBe(8);
  });

  it.each([
    [1, 1],
    [0, 0.5],
  ])(
    'without a given time grows to 30 s, and is short again after a success (%d)',
    async (random, share) => {
      const { limiter, pass, request } = setup(1, undefined, random);
      const pausedBy = async (failure?: Failure, kind?: 'poll') => {
        await request(failure, 1, kind);
        const ms = limiter.pausedMs();
        await pass(ms);
        return ms / share;
      };
      const inRow: number[] = [];
      for (let i = 0; i < 7; i++) inRow.push(await pausedBy(limited(), i % 2 ? 'poll' : undefined));
      expect(inRow).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000));
      expect([await pausedBy(), await pausedBy(limited())]).toEqual([0, 1000]);
    },
  );

  it('is the longest that the service asked of any request in flight', async () => {
    const { limiter, inFlight, clock } = setup(8);
    const [a, b, c, d] = [
      await inFlight(1),
      await inFlight(1),
      await inFlight(1),
      await inFlight(1),
    ];
    await a.end(limited());
    clock.now = 400;
    await b.end(limited());
    expect([limiter.pausedMs(), limiter.limit()]).toEqual([600, 4]);
    await c.end(limited(5000));
    expect([limiter.pausedMs(), limiter.limit()]).toEqual([5000, 4]);
    // A later, shorter one does not shorten it.
    await d.end(limited(1000));
    expect([limiter.pausedMs(), limiter.limit()]).toEqual([5000, 4]);
  });

  it('of more than five minutes means that the service is down', async () => {
    const { limiter, request, pass } = setup(1);
    await request(limited(300_000));
    expect([limiter.retryPolicyOf('call')(0).mayRetry(), limiter.down()]).toEqual([
      true,
      undefined,
    ]);
    await pass(300_000);
    const long = limited(300_001);
    await request(long, 1, 'poll');
    expect([limiter.retryPolicyOf('call')(0).mayRetry(), limiter.down()]).toEqual([false, long]);
  });

  it('would not help when a quota of a month is used up: the service is down', async () => {
    const { limiter, request } = setup(1);
    const quota = limited().with({ isLasting: true });
    await request(quota);
    expect([limiter.down(), limiter.pausedMs()]).toEqual([quota, 0]);
  });
});

describe('the retry budget', () => {
  it.each([
    ['a hundred lost calls', lost(), 100],
    ['fifty time-outs', lost(true), 50],
    ['a hundred unknown outcomes', new Failure('outcome_unknown', { what: 'lost' }), 100],
  ])('is used up by %s in a row', async (_what, failure, most) => {
    const { limiter, request } = setup(1);
    for (let i = 1; i < most; i++) await request(failure);
    expect(limiter.down()).toBeUndefined();
    await request(failure);
    expect(limiter.down()).toBe(failure);
  });

  it('is refilled by successes, which pay for their attempts, and refusals cost nothing', async () => {
    const { limiter, request } = setup(1);
    for (let i = 0; i < 500; i++) {
      await request(lost());
      await request(undefined, 2);
      await request(new Failure('refused', { what: 'no' }));
    }
    expect(limiter.down()).toBeUndefined();
  });

  it('ignores lost polls: a wait has its own limit', async () => {
    const { limiter, request } = setup(1);
    for (let i = 0; i < 200; i++) await request(lost(), 1, 'poll');
    expect(limiter.retryPolicyOf('call')(0).mayRetry()).toBe(true);
  });
});

describe('the rate', () => {
  it('leaves gaps between requests', async () => {
    const { inFlight, pass } = setup(8, { count: 10, spanMs: 1000 });
    const five = await inFlight(5);
    const begun = [five.begun()];
    for (const ms of [99, 1, 100]) {
      await pass(ms);
      begun.push(five.begun());
    }
    expect(begun).toEqual([1, 1, 2, 3]);
  });

  it('ends with the signal: what has not started never starts', async () => {
    const { limiter, inFlight, signal } = setup(1);
    await inFlight(1);
    let begun = 0;
    const second = limiter.run('call', async () => begun++, 1);
    signal.abort(new Error('over'));
    await expect(second).rejects.toThrow('over');
    await expect(limiter.run('call', async () => begun++, 1)).rejects.toThrow('over');
    expect(begun).toBe(0);
  });

  it('stops polls when nothing more is started; calls may still retry', async () => {
    const { limiter, inFlight, halt } = setup(1);
    const one = await inFlight(1);
    const poll = limiter.run('poll', async () => undefined, 1);
    const call = limiter.run('call', async () => 'sent', 1);
    halt.abort(new Error('enough'));
    await expect(poll).rejects.toThrow('enough');
    await one.end();
    expect(await call).toBe('sent');
  });
});

describe('a waiter with a signal of its own', () => {
  it('leaves the queue of turns with it, and the others keep their order', async () => {
    const { limiter, inFlight, signal } = setup(1);
    const one = await inFlight(1);
    const own = new AbortController();
    const order: string[] = [];
    const turn = (name: string, under?: AbortSignal) =>
      limiter.run('poll', async () => void order.push(name), 1, under);
    const [first, gone, last] = [turn('first'), turn('gone', own.signal), turn('last')];
    own.abort(new Error('its wait is over'));
    await expect(gone).rejects.toThrow('its wait is over');
    await one.end();
    await Promise.all([first, last]);
    expect(order).toEqual(['first', 'last']);
    await expect(turn('late', own.signal)).rejects.toThrow('its wait is over');
    // One that had its turn is not touched by its signal any more.
    const ended = new AbortController();
    await turn('done', ended.signal);
    ended.abort(new Error('too late'));
    signal.abort(new Error('over'));
    expect(order).toEqual(['first', 'last', 'done']);
  });
});

describe('places', () => {
  /** The order in which five calls and five polls, which ask at once, get the one place. */
  async function orderOf(lateMs: number) {
    const { limiter, clock } = setup(1);
    const first = await limiter.place('call');
    let order = '';
    const all = Array.from('PPPPPCCCCC', async (letter) => {
      const release = await limiter.place(letter === 'P' ? 'poll' : 'call');
      order += letter;
      release();
    });
    clock.now += lateMs;
    first();
    await Promise.all(all);
    return order;
  }

  it('go to calls before polls', async () => {
    expect(await orderOf(15_000)).toBe('CCCCCPPPPP');
  });

  it('alternate once a poll has waited for more than 15 s', async () => {
    expect(await orderOf(15_001)).toBe('PCPCPCPCPC');
  });

  it('are freed once, also when released twice', async () => {
    const { limiter } = setup(1);
    const release = await limiter.place('call');
    release();
    release();
    await limiter.place('call');
    let isTaken = false;
    void limiter.place('poll').then(() => (isTaken = true));
    await turnOfLoop();
    expect(isTaken).toBe(false);
  });
});

describe('the loop over a list', () => {
  it('runs as many items as there are places, keeps their order, and waits for items that released their place', async () => {
    const { limiter, halt } = setup(3);
    let [running, most, ended] = [0, 0, 0];
    const order: number[] = [];
    const work = async (item: number, release: () => void) => {
      order.push(item);
      most = Math.max(most, ++running);
      await turnOfLoop();
      running--;
      release();
      await turnOfLoop();
      ended++;
    };
    const items = Array.from({ length: 20 }, (_, i) => i);
    expect(await eachLimited(items, { limiter, signal: halt.signal }, work)).toBe(20);
    expect([order, most, ended]).toEqual([items, 3, 20]);
  });

  it('starts no further item once it is stopped, and lets running work end', async () => {
    const { limiter, halt } = setup(2);
    const ended: number[] = [];
    const work = async (item: number) => {
      await turnOfLoop();
      if (item === 1) halt.abort(new Error('enough'));
      ended.push(item);
    };
    expect(await eachLimited([1, 2, 3, 4, 5], { limiter, signal: halt.signal }, work)).toBe(2);
    expect(ended).toEqual([1, 2]);
  });

  it('rejects with the error of its work, when the rest has ended', async () => {
    const { limiter, halt } = setup(2);
    const broken = new Failure('local_io', { what: 'disk full' });
    let ended = 0;
    const work = async (item: number) => {
      if (item === 2) throw broken;
      await turnOfLoop();
      ended++;
    };
    await expect(eachLimited([1, 2, 3, 4], { limiter, signal: halt.signal }, work)).rejects.toBe(
      broken,
    );
    expect(ended).toBe(1);
  });
});

it('each call of a batch gets the full time of its attempts; an interrupt, and its own signal, end its pauses', async () => {
  const [stop, own] = [new AbortController(), new AbortController()];
  const { signal } = stop;
  const slept: unknown[] = [];
  const runtime = {
    monotonic: () => 0,
    random: () => 0,
    sleep: async (ms: number, under: AbortSignal) => void slept.push([ms, under.aborted]),
  };
  const limits = { concurrency: 3, rate: undefined };
  const limiter = createLimiter(limits, { timeoutMs: 30_000 }, runtime, { signal });
  expect(limiter.limit()).toBe(3);
  const policy = limiter.retryPolicyOf('call')(2);
  expect(policy).toMatchObject({ retries: 2, totalMs: 990_000, maxRetryAfterMs: 300_000 });
  await policy.sleep(5, own.signal);
  own.abort();
  await policy.sleep(6, own.signal);
  stop.abort();
  await policy.sleep(7, new AbortController().signal);
  expect(slept).toEqual([
    [5, false],
    [6, true],
    [7, true],
  ]);
});
