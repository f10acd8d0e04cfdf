// The loop of a wait by itself: when it polls, what it bears and how it ends, with a clock that the test moves.

import { describe, expect, it } from 'vitest';
import type { WaitVerdict } from '../../src/api/operations/define-operation.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Session } from '../../src/client/session.ts';
import type { Result } from '../../src/client/read-response.ts';
import { pollUntilDone } from '../../src/wait/wait.ts';

const pending: WaitVerdict = { state: 'pending', standing: 'moving' };
const done: WaitVerdict = { state: 'done', standing: 'there' };
const down = (retryAfterMs?: number) =>
  new Failure('no_answer', {
    what: 'down',
    retryable: true,
    why: ['because'],
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
const seen = (data: unknown): Result => ({ data, warnings: [] });

/** The context of a wait with these clocks, in which `judge` judges the data of a poll. */
const contextOf = (clocks: object, judge: (data: unknown, elapsedMs: number) => WaitVerdict) =>
  ({
    operation: {
      wait: {
        judge: (data: unknown, _awaited: unknown, time: { readonly elapsedMs: number }) =>
          judge(data, time.elapsedMs),
      },
    },
    runtime: { now: () => 0, note: () => undefined, ...clocks },
  }) as unknown as Session;

/** A wait whose polls end so in turn, the last for ever, and a clock that only sleep moves. */
function scripted(
  outcomes: readonly (WaitVerdict | Error)[],
  { intervalMs = 3000, timeoutMs = 60_000, random = 1 } = {},
) {
  const { signal } = new AbortController();
  let [now, polls] = [500, 0];
  const told: unknown[] = [];
  const slept: number[] = [];
  const run = (first?: Result) =>
    pollUntilDone(
      contextOf(
        {
          monotonic: () => now,
          random: () => random,
          async sleep(ms: number) {
            slept.push(ms);
            now += ms;
          },
        },
        (data, elapsedMs) => {
          told.push(elapsedMs);
          return data as WaitVerdict;
        },
      ),
      { input: {}, waiting: { intervalMs, timeoutMs }, first },
      {
        signal,
        async poll() {
          const outcome = outcomes[Math.min(polls++, outcomes.length - 1)]!;
          if (outcome instanceof Error) throw outcome;
          return seen(outcome);
        },
        onPoll: ({ data }, verdict) => void told.push(data === verdict),
      },
    );
  return { run, told, slept, polls: () => polls };
}

describe('a wait', () => {
  it('polls, reports and sleeps until all is done', async () => {
    const { run, told, slept } = scripted([pending, pending, done]);
    expect(await run()).toEqual({ last: seen(done), verdict: done });
    expect(told).toEqual([0, true, 3000, true, 6750, true]);
    expect(slept).toEqual([3000, 3750]);
  });

  it('uses an earlier response as its first poll', async () => {
    const { run, polls, told } = scripted([done]);
    expect(await run(seen(pending))).toEqual({ last: seen(done), verdict: done });
    expect([polls(), told]).toEqual([1, [0, true, 3000, true]]);
  });

  it.each([
    [3000, 15_000],
    [40_000, 40_000],
  ])(
    'with a first interval of %d ms polls every %d ms in the end, and once at the timeout',
    async (intervalMs, most) => {
      const { run, slept } = scripted([pending], { intervalMs, timeoutMs: 600_000 });
      expect((await run()).verdict).toBe(pending);
      expect([slept[0], slept.at(-3)]).toEqual([intervalMs, most]);
      expect(slept.reduce((sum, ms) => sum + ms)).toBe(600_000);
    },
  );

  it.each([
    [1, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000]],
    [0, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]],
  ])(
    'waits longer after each failed poll, with jitter %d, and gives up after ten',
    async (random, gaps) => {
      const { run, slept } = scripted([pending, down()], { timeoutMs: 86_400_000, random });
      const { pollFailure } = await run();
      expect(slept.slice(1)).toEqual(gaps);
      expect(pollFailure!.facts.why).toEqual(['because', '10 polls failed in a row']);
    },
  );

  it('resets the count of failures after a response', async () => {
    const { run, slept } = scripted([pending, down(), down(), pending, down(), done]);
    await run();
    expect(slept).toEqual([3000, 2000, 4000, 5859.375, 2000]);
  });

  it('pauses as long as the service asks, if the timeout allows it', async () => {
    const { run, slept } = scripted([pending, down(50_000), down(8000), pending]);
    const { last, verdict, pollFailure } = await run();
    expect([slept, last.data, verdict]).toEqual([[3000, 50_000], pending, pending]);
    expect(pollFailure!.facts.why!.at(-1)).toBe(
      'the service asks to wait longer than the wait timeout',
    );
  });

  it('that times out after a failed poll has the last state seen', async () => {
    const { run, slept } = scripted([pending, down()]);
    expect(await run()).toEqual({ last: seen(pending), verdict: pending });
    expect(slept.reduce((sum, ms) => sum + ms)).toBe(60_000);
  });

  it('without any response ends with the failure of its last poll', async () => {
    const failure = down(120_000);
    await expect(scripted([failure]).run()).rejects.toBe(failure);
  });

  it.each([
    new Failure('not_found', { what: 'gone', retryable: false }),
    new Failure('refused', { what: 'no' }),
    new Error('a fault of the program'),
  ])('ends at once with a poll that cannot succeed later: %s', async (last) => {
    await expect(scripted([pending, last]).run()).rejects.toBe(last);
  });
});

describe('a poll', () => {
  const untilAborted = (given: AbortSignal) =>
    new Promise<Result>((_resolve, reject) => {
      given.addEventListener('abort', () => reject(given.reason as Error));
    });
  const clocks = {
    monotonic: () => performance.now(),
    random: () => 1,
    sleep: async () => undefined,
  };
  const hanging = (timeoutMs: number, signal: AbortSignal) =>
    pollUntilDone(
      contextOf(clocks, () => pending),
      { input: {}, waiting: { intervalMs: 1, timeoutMs }, first: seen(pending) },
      { signal, poll: untilAborted, onPoll: () => undefined },
    );

  it('is aborted with the signal of the wait', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', { what: 'cancelled' });
    const under = hanging(60_000, stop.signal);
    await new Promise(setImmediate);
    stop.abort(reason);
    await expect(under).rejects.toBe(reason);
  });

  it('has at least a second, and then ends with the timeout of the wait', async () => {
    const start = performance.now();
    const { signal } = new AbortController();
    expect((await hanging(10, signal)).verdict).toBe(pending);
    expect(performance.now() - start).toBeGreaterThan(900);
  });
});
