// The rules of a wait by themselves: what follows each look, with a clock that the test moves.

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WaitVerdict } from '../../src/api/operations/wait.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Result } from '../../src/client/read-response.ts';
import {
  afterLook,
  backoff,
  beginPolling,
  givenUp,
  LONGEST_INTERVAL_MS,
  looksInTime,
  MOST_FAILURES,
  pollUntilSettled,
  type PollOptions,
} from '../../src/wait/poll.ts';

const pending: WaitVerdict = { state: 'pending', standing: 'moving' };
const done: WaitVerdict = { state: 'done', standing: 'there' };
const down = (retryAfterMs?: number) =>
  new Failure('no_answer', {
    what: 'down',
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const monotonic = () => performance.now();
const at = (ms: number) => ({ monotonic: () => ms, random: () => 1 });
const limits = { intervalMs: 3000, timeoutMs: 60_000 };
const signal = new AbortController().signal;
const seen = (data: unknown): Result => ({ data, warnings: [] });

describe('after a look', () => {
  it('that is pending the next one is due an interval later, and the interval grows', () => {
    const state = beginPolling(limits, 1000.4);
    expect(state).toEqual({ startedAt: 1000, dueAt: 1000, intervalMs: 3000, failures: 0 });
    expect(afterLook(state, pending, limits, at(1000))).toBe('again');
    expect(state).toEqual({ startedAt: 1000, dueAt: 4000, intervalMs: 3750, failures: 0 });
    expect(afterLook(state, pending, limits, at(4000.3))).toBe('again');
    expect(state).toEqual({ startedAt: 1000, dueAt: 7750, intervalMs: 4688, failures: 0 });
  });

  it('the interval grows to 15 s, or to what the user wants', () => {
    const state = { ...beginPolling(limits, 0), intervalMs: 14_000 };
    afterLook(state, pending, limits, at(0));
    expect([state.intervalMs, LONGEST_INTERVAL_MS]).toEqual([15_000, 15_000]);
    afterLook(state, pending, limits, at(0));
    expect(state.intervalMs).toBe(15_000);
    const slow = { intervalMs: 40_000, timeoutMs: 600_000 };
    const own = beginPolling(slow, 0);
    afterLook(own, pending, slow, at(0));
    expect([own.dueAt, own.intervalMs]).toEqual([40_000, 40_000]);
  });

  it('the next one is not due after the end, and not at once', () => {
    const state = beginPolling(limits, 0);
    expect(afterLook(state, pending, limits, at(59_000))).toBe('again');
    expect(state.dueAt).toBe(60_000);
    expect(afterLook(state, pending, limits, at(59_999.8))).toBe('again');
    expect(state.dueAt).toBe(60_001);
  });

  it('that settled, or at the end of its time, it is over', () => {
    const state = () => beginPolling(limits, 0);
    expect(afterLook(state(), done, limits, at(0))).toBe('ended');
    expect(afterLook(state(), { ...done, state: 'ended_badly' }, limits, at(0))).toBe('ended');
    expect(afterLook(state(), pending, limits, at(60_000))).toBe('ended');
    expect(afterLook(state(), pending, limits, at(60_001))).toBe('ended');
    expect(afterLook(state(), down(), limits, at(60_000))).toBe('ended');
    expect(afterLook({ ...state(), failures: 9 }, down(), limits, at(60_000))).toBe('ended');
  });

  it('that failed the pauses grow, and an answer begins anew', () => {
    const state = beginPolling(limits, 0);
    expect(afterLook(state, down(), limits, at(0))).toBe('again');
    expect([state.dueAt, state.failures]).toEqual([2000, 1]);
    expect(afterLook(state, down(), limits, at(2000))).toBe('again');
    expect([state.dueAt, state.failures]).toEqual([6000, 2]);
    expect(afterLook(state, pending, limits, at(6000))).toBe('again');
    expect(state.failures).toBe(0);
  });

  it('that asks for time it has that, if there is so much', () => {
    const state = beginPolling(limits, 0);
    expect(afterLook(state, down(30_000), limits, at(0))).toBe('again');
    expect(state.dueAt).toBe(30_000);
    expect(afterLook(state, down(1), limits, at(30_000))).toBe('again');
    expect(state.dueAt).toBe(34_000);
    expect(afterLook(beginPolling(limits, 0), down(60_000), limits, at(0))).toBe('lost');
    expect(afterLook(beginPolling(limits, 0), down(59_999), limits, at(0))).toBe('again');
  });

  it('that is the tenth to fail in a row it is given up', () => {
    const long = { intervalMs: 1000, timeoutMs: 86_400_000 };
    const state = beginPolling(long, 0);
    const ends = Array.from({ length: 10 }, () => afterLook(state, down(), long, at(0)));
    expect(ends).toEqual([...Array<string>(9).fill('again'), 'lost']);
    expect(MOST_FAILURES).toBe(10);
  });
});

describe('a pause after failures', () => {
  it('doubles to a minute, of which chance takes up to a half', () => {
    expect([1, 2, 5, 6, 10].map((count) => backoff(count, () => 1))).toEqual([
      2000, 4000, 32_000, 60_000, 60_000,
    ]);
    expect([1, 2, 6, 7].map((count) => backoff(count, () => 0))).toEqual([
      1000, 2000, 32_000, 60_000,
    ]);
    expect(backoff(1, () => 0.5)).toBe(1500);
  });
});

describe('a wait that is given up', () => {
  it('says why behind what was known', () => {
    const lost = new Failure('no_answer', { what: 'down', why: ['because'] });
    expect(givenUp(lost, 10)).toMatchObject({
      kind: 'no_answer',
      facts: { what: 'down', why: ['because', '10 polls failed in a row'] },
    });
    expect(givenUp(down(), 11).facts.why).toEqual(['11 polls failed in a row']);
    expect(givenUp(down(), 9).facts.why).toEqual([
      'the service asks to wait longer than the wait timeout',
    ]);
  });
});

describe('a look', () => {
  const result = seen(1);

  it('gives its answer, or the failure after which another may succeed', async () => {
    const { signal: own } = new AbortController();
    const look = looksInTime(own, monotonic);
    expect(await look(async () => result, 1000)).toBe(result);
    for (const passing of [
      new Failure('no_answer', { what: 'down' }),
      new Failure('rate_limited', { what: 'busy', retryable: true }),
    ])
      expect(await look(async () => Promise.reject(passing), 1000)).toBe(passing);
    for (const last of [
      new Failure('not_found', { what: 'gone', retryable: false }),
      new Failure('refused', { what: 'no' }),
      new Error('a fault of the program'),
    ])
      await expect(look(async () => Promise.reject(last), 1000)).rejects.toBe(last);
    expect(getEventListeners(own, 'abort')).toEqual([]);
  });

  const untilAborted = (given: AbortSignal) =>
    new Promise<Result>((_resolve, reject) => {
      const end = () => reject(given.reason as Error);
      if (given.aborted) end();
      given.addEventListener('abort', end);
    });

  it('ends with the signal of the wait, also with one that was given before', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', { what: 'cancelled' });
    const look = looksInTime(stop.signal, monotonic);
    const under = look(untilAborted, 60_000);
    stop.abort(reason);
    await expect(under).rejects.toBe(reason);
    await expect(look(untilAborted, 60_000)).rejects.toBe(reason);
  });

  it('has an end of its own only where a request may take longer than is left', async () => {
    const stop = new AbortController();
    const look = looksInTime(stop.signal, monotonic, 5000);
    const given: AbortSignal[] = [];
    const noting = async (own: AbortSignal) => {
      given.push(own);
      return result;
    };
    for (const leftMs of [5001, 5000]) expect(await look(noting, leftMs)).toBe(result);
    expect(given.map((own) => own === stop.signal)).toEqual([true, false]);
    expect(await look(async () => Promise.reject(down()), 5001)).toBeInstanceOf(Failure);
    const under = look(untilAborted, 5001);
    const reason = new Failure('interrupted', { what: 'cancelled' });
    stop.abort(reason);
    await expect(under).rejects.toBe(reason);
  });

  it('has a second at least, and no more than is left', async () => {
    const start = performance.now();
    const ended = (await looksInTime(signal, monotonic)(untilAborted, 10)) as Failure;
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(ended.kind).toBe('no_answer');
    expect(ended.facts).toEqual({
      what: 'the wait ended before the service responded',
      sent: true,
      retryable: true,
      timedOut: true,
    });
  });
});

describe('a wait', () => {
  /** Looks with these outcomes in turn, the last for ever, and a clock that only sleep moves. */
  function scripted(...outcomes: readonly (WaitVerdict | Failure)[]) {
    let [now, looks] = [500, 0];
    const told: unknown[] = [];
    const slept: number[] = [];
    const next = () => outcomes[Math.min(looks++, outcomes.length - 1)]!;
    const options: PollOptions = {
      ...limits,
      poll: async () => {
        const outcome = next();
        if (outcome instanceof Failure) throw outcome;
        return seen(outcome);
      },
      judge: ({ data }, elapsedMs) => {
        told.push(elapsedMs);
        return data as WaitVerdict;
      },
      onLook: ({ data }, verdict) => told.push(data === verdict),
    };
    const clocks = {
      monotonic: () => now,
      random: () => 1,
      sleep: async (ms: number, given: AbortSignal) => {
        expect(given).toBe(signal);
        slept.push(ms);
        now += ms;
      },
    };
    const run = (first?: Result) => pollUntilSettled(options, first, clocks, signal);
    return { run, told, slept, looks: () => looks };
  }

  it('looks, tells and sleeps until it has settled', async () => {
    const { run, told, slept } = scripted(pending, pending, done);
    expect(await run()).toEqual({ last: seen(done), verdict: done });
    expect(told).toEqual([0, true, 3000, true, 6750, true]);
    expect(slept).toEqual([3000, 3750]);
  });

  it('takes a look that was had already as its first, once', async () => {
    const { run, looks, told } = scripted(done);
    expect(await run(seen(pending))).toEqual({ last: seen(done), verdict: done });
    expect([looks(), told]).toEqual([1, [0, true, 3000, true]]);
  });

  it('that was given up has what was seen last, and why', async () => {
    const { run, looks } = scripted(pending, down(120_000));
    const { last, verdict, lost } = await run();
    expect([last.data, verdict, looks()]).toEqual([pending, pending, 2]);
    expect(lost!.facts.why).toEqual(['the service asks to wait longer than the wait timeout']);
  });

  it('whose time ran out at a failure has what was seen last, and nothing lost', async () => {
    const { run, slept } = scripted(pending, down());
    expect(await run()).toEqual({ last: seen(pending), verdict: pending });
    expect(slept.reduce((sum, ms) => sum + ms)).toBe(60_000);
  });

  it('that has seen nothing ends as its last look did', async () => {
    const failure = down(120_000);
    await expect(scripted(failure).run()).rejects.toBe(failure);
  });
});
