// The number of retries and the pauses between them, by a clock and random numbers of the test, and Retry-After.

import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/client/rate-limit.ts';
import { retryPolicyFor, type RetryPolicy, withRetries } from '../../src/client/retry.ts';
import { Failure, type FailureFacts } from '../../src/base/errors.ts';
import type { Runtime } from '../../src/base/runtime.ts';
import type { Settings } from '../../src/config/settings.ts';

const never = new AbortController().signal;
const failure = (more: Partial<FailureFacts> = {}) =>
  new Failure('no_answer', { what: 'lost', retryable: true, ...more });

/** Patience whose clock moves only while it sleeps, and which keeps how long that was. */
function retryPolicy(more: Partial<RetryPolicy> = {}): RetryPolicy & { readonly slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    retries: 2,
    run: (attempt) => attempt(),
    totalMs: 90_000,
    maxRetryAfterMs: 60_000,
    mayRetry: () => true,
    monotonic: () => now,
    random: () => 0.5,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
    ...more,
  };
}

/** An attempt that fails with these in turn and then succeeds. */
function attempts(...failures: unknown[]) {
  let count = 0;
  const attempt = async () => {
    const next = failures[count++];
    if (next !== undefined) throw next as Error;
    return 'done';
  };
  return { attempt, count: () => count };
}

/** The failure that is thrown after a single attempt. */
const triedOnce = ({ kind, facts }: Failure) => ({ kind, facts: { ...facts, attempts: 1 } });

describe('retrying', () => {
  it('gives up after the maximum of retries, with the last failure and the number of attempts', async () => {
    const last = failure({ what: 'lost again', why: ['a reason'] });
    const { attempt, count } = attempts(failure(), failure(), last);
    await expect(withRetries(attempt, retryPolicy(), never)).rejects.toMatchObject({
      kind: 'no_answer',
      facts: { what: 'lost again', why: ['a reason'], attempts: 3 },
    });
    expect(count()).toBe(3);
  });

  it.each([
    ['a failure for good', failure({ retryable: false })],
    ['a failure that does not say', new Failure('refused', { what: 'no' })],
    ['an error that is not a Failure', new TypeError('a fault of the tool')],
  ])('does not try again after %s', async (_what, error) => {
    const { attempt, count } = attempts(error);
    const expected = error instanceof Failure ? triedOnce(error) : error;
    await expect(withRetries(attempt, retryPolicy(), never)).rejects.toMatchObject(expected);
    expect(count()).toBe(1);
  });

  it('doubles the wait each time, up to twenty seconds, with jitter', async () => {
    const most = retryPolicy({ retries: 8, totalMs: 1e9, random: () => 1 });
    await withRetries(attempts(...Array.from({ length: 8 }, () => failure())).attempt, most, never);
    expect(most.slept).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
    const least = retryPolicy({ random: () => 0 });
    await withRetries(attempts(failure(), failure()).attempt, least, never);
    expect(least.slept).toEqual([0, 0]);
  });

  it('waits at least for Retry-After, and a little more', async () => {
    const calm = retryPolicy();
    await withRetries(attempts(failure({ retryAfterMs: 30_000 })).attempt, calm, never);
    expect(calm.slept).toEqual([30_250]);
  });

  it('starts no wait longer than the total limit', async () => {
    const short = retryPolicy({ totalMs: 1000, retries: 10, random: () => 1 });
    await expect(
      withRetries(attempts(failure(), failure(), failure()).attempt, short, never),
    ).rejects.toMatchObject({ facts: { attempts: 2 } });
    expect(short.slept).toEqual([500]);
  });

  it('starts no wait that would end with the total limit', async () => {
    for (const [totalMs, slept] of [
      [500, []],
      [501, [500]],
    ] as const) {
      const exact = retryPolicy({ totalMs, retries: 1, random: () => 1 });
      await withRetries(attempts(failure()).attempt, exact, never).catch(() => undefined);
      expect(exact.slept).toEqual(slept);
    }
  });

  it('retries no more often than the failure allows', async () => {
    const page = failure({ mostRetries: 1 });
    const { attempt, count } = attempts(page, page, page);
    await expect(withRetries(attempt, retryPolicy(), never)).rejects.toMatchObject({
      facts: { attempts: 2 },
    });
    expect(count()).toBe(2);
    const more = attempts(failure({ mostRetries: 5 }), failure(), failure());
    await expect(withRetries(more.attempt, retryPolicy(), never)).rejects.toThrow('lost');
    expect(more.count()).toBe(3);
  });
});

describe('an attempt after one that may have been applied', () => {
  const lost = new Failure('outcome_unknown', {
    what: 'lost',
    sent: true,
    retryable: true,
    requestId: 'req-1',
    why: ['a reason'],
  });
  const last = async (second: Failure) => {
    const error: unknown = await withRetries(
      attempts(lost, second).attempt,
      retryPolicy({ retries: 1 }),
      never,
    ).catch((thrown: unknown) => thrown);
    return error as Failure;
  };

  it('ends as outcome unknown with the last failure', async () => {
    const refused = new Failure('refused', {
      what: 'no',
      why: ['its reason'],
      requestId: 'req-2',
      retryable: true,
    });
    expect(await last(refused)).toMatchObject({ kind: 'outcome_unknown' });
    expect((await last(refused)).facts).toEqual({
      ...lost.facts,
      attempts: 2,
      why: ['a reason', 'last attempt: no', 'its reason'],
      retryable: false,
    });
    expect((await last(new Failure('refused', { what: 'no' }))).facts.why).toEqual([
      'a reason',
      'last attempt: no',
    ]);
  });

  it('that never begins, or sends nothing, is not counted', async () => {
    const stopped = new Failure('interrupted', { what: 'cancelled' });
    const run: RetryPolicy['run'] = async (attempt, tries) => {
      if (tries > 2) throw stopped;
      return attempt();
    };
    const ended = { kind: 'interrupted', facts: { sent: true, outcome: 'unknown', attempts: 2 } };
    await expect(
      withRetries(attempts(lost, lost).attempt, retryPolicy({ run }), never),
    ).rejects.toMatchObject(ended);
    await expect(
      withRetries(attempts(lost, lost, stopped).attempt, retryPolicy(), never),
    ).rejects.toMatchObject(ended);
  });
});

it('the total limit is the timeout of one attempt times the attempts', () => {
  const runtime = { monotonic: () => 7, random: () => 0.5, sleep: async () => undefined };
  for (const [retries, totalMs] of [
    [0, 1000],
    [2, 3000],
  ] as const)
    expect(
      retryPolicyFor({ timeoutMs: 1000 } as Settings, runtime as unknown as Runtime, retries),
    ).toMatchObject({ retries, totalMs, ...runtime });
});

describe('an interrupted wait between attempts', () => {
  const cancelled = new Failure('interrupted', {
    what: 'cancelled',
    sent: false,
  });
  const cut = () => retryPolicy({ sleep: () => Promise.reject(cancelled) });

  it.each([
    ['nothing was sent', failure({ sent: false })],
    ['it is unknown if anything was sent', failure()],
  ])('ends at once, unchanged, when %s', async (_what, before) => {
    await expect(withRetries(attempts(before).attempt, cut(), never)).rejects.toBe(cancelled);
  });

  it.each([
    ['an answer to a read was lost', failure({ sent: true }), 'none'],
    [
      'the service had refused',
      new Failure('rate_limited', { what: 'slow', sent: true, retryable: true }),
      'none',
    ],
    [
      'a change may have happened',
      new Failure('outcome_unknown', { what: 'lost', sent: true, retryable: true }),
      'unknown',
    ],
  ] as const)('reports that the request was sent when %s', async (_what, before, outcome) => {
    await expect(withRetries(attempts(before).attempt, cut(), never)).rejects.toMatchObject({
      kind: 'interrupted',
      facts: { what: 'cancelled', sent: true, outcome },
    });
  });
});

describe('a batch', () => {
  it('that is stopped ends the call: as it is before the first attempt, as sent after one', async () => {
    const cancelled = new Failure('interrupted', {
      what: 'cancelled',
      sent: false,
    });
    const none = attempts();
    const closed = retryPolicy({ run: () => Promise.reject(cancelled) });
    await expect(withRetries(none.attempt, closed, never)).rejects.toBe(cancelled);
    expect(none.count()).toBe(0);
    const closing = retryPolicy({
      run: (attempt, tries) => (tries === 1 ? attempt() : Promise.reject(cancelled)),
    });
    await expect(
      withRetries(attempts(failure({ sent: true })).attempt, closing, never),
    ).rejects.toMatchObject({ facts: { what: 'cancelled', sent: true } });
  });

  it('with an empty retry budget fails, whatever attempts are left', async () => {
    const { attempt, count } = attempts(failure());
    const fed = retryPolicy({ mayRetry: () => false });
    await expect(withRetries(attempt, fed, never)).rejects.toThrow('lost');
    expect(count()).toBe(1);
  });
});

const asking = (askedMs: number, status = 429) =>
  new Failure('rate_limited', {
    what: 'slow',
    status,
    retryable: true,
    retryAfterMs: askedMs,
    why: ['own'],
  });
const said = async (failures: readonly Failure[], more: Partial<RetryPolicy> = {}) => {
  const calm = retryPolicy({ random: () => 0, totalMs: 1e9, ...more });
  const error: unknown = await withRetries(attempts(...failures).attempt, calm, never).catch(
    (thrown: unknown) => thrown,
  );
  return (error as Failure).facts.why;
};

describe('the message when a service asks to wait', () => {
  it.each([
    [0, [asking(0)], ['own', 'rate limited']],
    [0, [asking(0, 503)], ['own', 'service unavailable']],
    [
      0,
      [new Failure('rate_limited', { what: 'slow', status: 429, retryable: true })],
      ['rate limited'],
    ],
    [
      0,
      [asking(0).with({ isLasting: true, retryable: false })],
      ['own', 'a quota is used up; another attempt would be in vain for now'],
    ],
    [0, [asking(30_000)], ['own', 'rate limited, next possible in 30s']],
    [1, [asking(0), asking(0)], ['own', 'rate limited; gave up after 2 attempts']],
    [
      1,
      [asking(1), asking(30_001, 503)],
      ['own', 'service unavailable; gave up after 2 attempts, next possible in 31s'],
    ],
    [
      2,
      [asking(1), asking(1), asking(119_000)],
      ['own', 'rate limited; gave up after 3 attempts, next possible in 1m 59s'],
    ],
    [
      2,
      [asking(1), asking(1), asking(120_000)],
      ['own', 'rate limited; gave up after 3 attempts, next possible in 2m'],
    ],
  ])('after %i retries', async (retries, failures, why) => {
    expect(await said(failures, { retries })).toEqual(why);
  });

  it.each([
    [60_001, '1m 1s'],
    [262_800_001, '3d 1h'],
  ])('a wait of %i ms is refused at once', async (asked, span) => {
    expect(await said([asking(asked)])).toEqual([
      'own',
      `rate limited; the service asks to wait ${span}, which is too long`,
    ]);
  });

  it('in a batch, the limit is that of the batch', async () => {
    const batch = { maxRetryAfterMs: 300_000, mayRetry: () => false };
    expect(await said([asking(90_000)], batch)).toEqual([
      'own',
      'rate limited, next possible in 1m 30s',
    ]);
    expect(await said([asking(300_001)], { maxRetryAfterMs: 300_000 })).toEqual([
      'own',
      'rate limited; the service asks to wait 5m 1s, which is too long',
    ]);
  });

  it('a longer wait is accepted where the limit allows it', async () => {
    const over = 'rate limited; the service asks to wait 30s, which is too long';
    expect(await said([asking(30_000)], { totalMs: 30_000 })).toEqual(['own', over]);
    expect(await said([asking(30_000)], { totalMs: 29_000 })).toEqual(['own', over]);
    // It would fit, but for the dice.
    expect(await said([asking(30_000)], { totalMs: 30_001, random: () => 1 })).toEqual([
      'own',
      'rate limited, next possible in 30s',
    ]);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 2, 2, 12);

  it.each([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    ['299.997', 300_000],
    ['0.2', 1000],
    ['999999999', 999_999_999_000],
    [' 5 ', 5000],
    ['99999999999', 1e12],
    ['Mon, 02 Mar 2026 12:00:30 GMT', 30_000],
    ['Mon, 02 Mar 2026 11:00:00 GMT', 0],
  ])('%j asks for %i milliseconds', (value, ms) => {
    expect(retryAfterMs({ 'retry-after': value }, now)).toBe(ms);
  });

  it.each([
    '',
    '-5',
    '1.5.5',
    '.5',
    '1,5',
    'abc',
    '1e9',
    '0x10',
    '+5',
    '5s',
    '2026-03-02T12:00:30Z',
    'Monday, 02-Mar-26 12:00:30 GMT',
    'Mon, 02 Mar 2026 12:00:30 CET',
    '١٢',
    'on Mon, 02 Mar 2026 12:00:30 GMT',
    'Mon, 02 Mar 2026 12:00:30 GMT or so',
    '12 seconds',
    'about 12',
  ])('%j is ignored', (value) => {
    expect(retryAfterMs({ 'retry-after': value }, now)).toBeUndefined();
  });

  it('as a date is read by the clock of the server, when its Date header is there', () => {
    const headers = {
      'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT',
      date: 'Mon, 02 Mar 2026 09:00:00 GMT',
    };
    expect(retryAfterMs(headers, now)).toBe(30_000);
    expect(retryAfterMs({ ...headers, date: 'yesterday' }, now)).toBe(0);
  });
});
