// The pace of a batch and its engine, on a clock that the test moves.

import { describe, expect, it } from 'vitest';
import { schedule, type ItemResult } from '../../../src/batch/run/scheduler.ts';
import { createRateLimiter, rateLimiterFor } from '../../../src/batch/run/rate-limit.ts';
import { isInShard } from '../../../src/batch/options.ts';
import { Failure } from '../../../src/base/errors.ts';
import { hashOf } from '../../../src/base/hash.ts';

const limited = (retryAfterMs?: number) =>
  new Failure('rate_limited', {
    what: 'slow down',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const lost = (timedOut = false) => new Failure('no_answer', { what: 'lost', timedOut });

function paced(concurrency: number, rate?: { count: number; spanMs: number }, random = 1) {
  const clock = { now: 0 };
  const sleepers: { until: number; wake: () => void }[] = [];
  const abort = new AbortController();
  const pace = createRateLimiter({
    concurrency,
    rate,
    mostAskedMs: 300_000,
    monotonic: () => clock.now,
    random: () => random,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ until: clock.now + ms, wake });
      }),
    signal: abort.signal,
  });
  const pass = async (ms: number) => {
    clock.now += ms;
    for (const each of sleepers.filter(({ until }) => until <= clock.now)) each.wake();
    await new Promise(setImmediate);
  };
  return { pace, pass, abort, clock, sleepers };
}

describe('the pace', () => {
  it('halves for one pause, however many are told to wait, and grows back slowly', async () => {
    const { pace, pass } = paced(8);
    for (let i = 0; i < 8; i++) expect(pace.turn()).toBeUndefined();
    for (let i = 0; i < 8; i++) pace.ended(limited(2000), 1);
    expect(pace.limit()).toBe(4);
    let turns = 0;
    const waiting = Array.from({ length: 8 }, async () => {
      await pace.turn();
      turns++;
    });
    await pass(1999);
    expect(turns).toBe(0);
    await pass(1);
    expect(turns).toBe(4);
    for (let i = 0; i < 4; i++) pace.ended(undefined, 2);
    await Promise.all(waiting);
    for (let i = 0; i < 4; i++) pace.ended(undefined, 1);
    const used = [pace.limit()];
    for (let i = 0; i < 400; i++) {
      void pace.turn();
      pace.ended(undefined, 1);
      used.push(pace.limit());
    }
    // After eight successes for each request in flight; eight were had before.
    expect([5, 6, 7, 8].map((limit) => used.indexOf(limit))).toEqual([24, 64, 112, 168]);
    expect(used.at(-1)).toBe(8);
  });

  it('gives up a service after a hundred failures, or fifty time-outs, in a row', () => {
    for (const [failure, most] of [
      [lost(), 100],
      [lost(true), 50],
      [new Failure('outcome_unknown', { what: 'lost' }), 100],
    ] as const) {
      const { pace } = paced(1);
      let count = 0;
      while (pace.down() === undefined) {
        void pace.turn();
        pace.ended(failure, 1);
        count++;
      }
      expect(count).toBe(most);
    }
    const { pace } = paced(1);
    for (let i = 0; i < 1000; i++) {
      void pace.turn();
      pace.ended(lost(), 1);
      void pace.turn();
      pace.ended(undefined, 2);
    }
    expect(pace.down()).toBeUndefined();
  });

  it('pauses for longer each time in a row, up to 30 s, and for a second after a success', () => {
    for (const [random, share] of [
      [1, 1],
      [0, 0.5],
    ] as const) {
      const { pace, clock } = paced(1, undefined, random);
      const pausedBy = (failure: Failure | undefined) => {
        pace.ended(failure, 1);
        const ms = pace.pausedMs();
        clock.now += ms;
        return ms / share;
      };
      const inRow = [1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000);
      expect(inRow.map(() => pausedBy(limited()))).toEqual(inRow);
      expect([undefined, limited(), lost()].map(pausedBy)).toEqual([0, 1000, 0]);
      expect(pace.pausedMs()).toBe(0);
    }
  });

  it('is paused once by all that were under way, and for longer where one of them says so', () => {
    const { pace, clock } = paced(8);
    pace.ended(limited(), 1);
    clock.now = 400;
    pace.ended(limited(), 1);
    expect([pace.pausedMs(), pace.limit()]).toEqual([600, 4]);
    pace.ended(limited(100), 1);
    expect(pace.pausedMs()).toBe(600);
    pace.ended(limited(5000), 1);
    expect([pace.pausedMs(), pace.limit()]).toEqual([5000, 4]);
  });

  it('gives up a service that asks for more than five minutes, at once and for good', () => {
    const { pace } = paced(1);
    expect(pace.ended(limited(300_000), 1)).toBe(true);
    expect(pace.down()).toBeUndefined();
    const long = limited(300_001);
    expect(pace.ended(long, 1)).toBe(false);
    pace.ended(limited(400_000), 1);
    expect(pace.down()).toBe(long);
  });

  it('has attempts left until a hundred have failed, more after each success', () => {
    const { pace } = paced(1);
    const spend = (times: number) =>
      Array.from({ length: times }, () => pace.ended(lost(), 1)).filter((may) => may).length;
    expect(spend(98)).toBe(98);
    // What took three attempts has paid for two, and no credit is kept above the first budget.
    pace.ended(undefined, 3);
    expect(spend(5)).toBe(3);
    for (const refused of ['refused', 'not_found', 'unauthorized'] as const)
      expect(pace.ended(new Failure(refused, { what: 'no' }), 1)).toBe(true);
    const full = paced(1).pace;
    for (let i = 0; i < 9; i++) full.ended(undefined, 3);
    for (let i = 0; i < 99; i++) expect(full.ended(lost(), 1)).toBe(true);
    expect(full.ended(lost(), 1)).toBe(false);
  });

  it('leaves the gaps that a rate asks for', async () => {
    const { pace, pass } = paced(8, { count: 10, spanMs: 1000 });
    let turns = 0;
    for (let i = 0; i < 5; i++) void Promise.resolve(pace.turn()).then(() => turns++);
    await pass(0);
    expect(turns).toBe(1);
    await pass(99);
    expect(turns).toBe(1);
    await pass(1);
    expect(turns).toBe(2);
    await pass(100);
    expect(turns).toBe(3);
  });

  it('lets those go first who came first, also where the pause is just over', async () => {
    const { pace, pass, clock } = paced(2);
    pace.ended(limited(1000), 1);
    pace.ended(limited(1000), 1);
    const order: string[] = [];
    const first = pace.turn()!.then(() => order.push('first'));
    clock.now += 1000;
    const second = Promise.resolve(pace.turn()).then(() => order.push('second'));
    await Promise.resolve();
    await pass(0);
    pace.ended(undefined, 1);
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('sleeps once for all who wait, and lets as many go as it has places for', async () => {
    const { pace, pass, sleepers } = paced(4);
    expect([pace.active(), pace.turn(), pace.active()]).toEqual([0, undefined, 1]);
    pace.ended(limited(1000), 1);
    const waiting = [1, 2, 3].map(() => Promise.resolve(pace.turn()));
    expect([sleepers.length, pace.active()]).toEqual([1, 0]);
    await pass(999);
    expect(pace.active()).toBe(0);
    await pass(1);
    expect([sleepers.length, pace.active()]).toEqual([1, 2]);
    for (let i = 0; i < 3; i++) pace.ended(undefined, 1);
    await Promise.all(waiting);
    expect(pace.active()).toBe(0);
  });

  it('gives each call of a batch the time of all its attempts, and ends its sleeps', async () => {
    const { signal } = new AbortController();
    const slept: unknown[] = [];
    const runtime = {
      monotonic: () => 0,
      random: () => 0,
      sleep: async (...asked: unknown[]) => void slept.push(asked),
    };
    const limits = { concurrency: 3, rate: undefined };
    const { pace, retryPolicy } = rateLimiterFor(limits, { timeoutMs: 30_000 }, runtime, signal);
    expect(pace.limit()).toBe(3);
    const policy = retryPolicy(2);
    expect(policy).toMatchObject({ retries: 2, totalMs: 990_000, mostAskedMs: 300_000 });
    expect(retryPolicy(0).totalMs).toBe(330_000);
    await policy.sleep(5, new AbortController().signal);
    expect(slept).toEqual([[5, signal]]);
    expect([policy.turn!(), pace.active()]).toEqual([undefined, 1]);
    expect([policy.ended!(undefined, 1), pace.active()]).toEqual([true, 0]);
  });

  it('tells those who wait when it is over', async () => {
    const { pace, abort } = paced(1);
    expect(pace.turn()).toBeUndefined();
    const second = pace.turn();
    abort.abort(new Error('over'));
    await expect(second).rejects.toThrow('over');
    await expect(pace.turn()).rejects.toThrow('over');
  });
});

describe('the engine', () => {
  it('holds when results pile up, and reads no further ahead than a group', async () => {
    let [read, held, running, most, ended] = [0, 0, 0, 0, 0];
    const tally = await schedule<number>({
      source: (async function* () {
        for (; read < 5; read++) yield [1, 2, 3, 4];
      })(),
      work: async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        ended++;
        return { verdict: 'ok' } satisfies ItemResult;
      },
      limit: () => 3,
      maxFailures: Infinity,
      failures: () => 0,
      hold: () => (++held % 5 === 0 ? new Promise<void>((go) => setImmediate(go)) : undefined),
      signal: new AbortController().signal,
    });
    expect(tally).toMatchObject({ sent: true, stopped: undefined });
    expect([ended, most]).toEqual([20, 3]);
  });

  it('ends with what its source or its work breaks with', async () => {
    const broken = new Failure('local_io', { what: 'disk full' });
    const batch = {
      limit: () => 2,
      maxFailures: Infinity,
      failures: () => 0,
      hold: () => undefined,
      signal: new AbortController().signal,
    };
    const fails = async (): Promise<ItemResult> => Promise.reject(broken);
    const source = (async function* () {
      yield [1, 2, 3];
    })();
    expect((await schedule({ ...batch, source, work: fails })).stopped).toBe(broken);
    const bad = { next: async () => Promise.reject(broken) };
    expect((await schedule({ ...batch, source: bad, work: fails })).stopped).toBe(broken);
  });
});

const text = (i: number) => `{"postId":"Post${i.toString(36).padStart(12, '0')}"}`;

describe('hashes', () => {
  it('of many like records are all different', () => {
    const count = 400_000;
    const seen = new Set<string>();
    for (let i = 0; i < count; i++) {
      const { high, low } = hashOf(text(i));
      seen.add(`${high} ${low}`);
    }
    expect(seen.size).toBe(count);
  });

  it('put a record into exactly one shard, and about as many into each', () => {
    const sizes = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i++) {
      const hash = hashOf(`record ${i}`);
      const mine = [1, 2, 3, 4, 5].filter((index) => isInShard(hash, { index, count: 5 }));
      expect(mine).toHaveLength(1);
      sizes[mine[0]! - 1]!++;
    }
    for (const size of sizes) expect(size).toBeGreaterThan(850);
  });

  // Reckoned by another program, in another language: two machines with two versions share a list by these numbers.
  it.each([
    ['', 3954623016, 863885215, 1, 3017],
    ['{"postId":"PostSpringLaunch"}', 1527434359, 1662855389, 2, 4360],
    ['{"postId":"PostAutumnRecaps"}', 1141404942, 720023055, 1, 4943],
    [
      '{"postId":"PostSpringLaunch","targetIds":["TargetSpringLink"]}',
      1749641975,
      3031725467,
      3,
      1976,
    ],
    ['{"conversationId":"convo 🎉"}', 1434839823, 1300872241, 1, 9824],
  ])('are for ever what they are: %j', (record, high, low, ofThree, ofMany) => {
    const hash = hashOf(record);
    expect(hash).toEqual({ high, low });
    const shard = (count: number) =>
      Array.from({ length: count }, (_, i) => i + 1).filter((index) =>
        isInShard(hash, { index, count }),
      );
    expect([shard(3), shard(10_000)]).toEqual([[ofThree], [ofMany]]);
  });
});
