// How often, and how long in between: retrying by its clock and its dice, and Retry-After in both its forms.

import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/call/retry-after.ts';
import { retrying, type Patience } from '../../src/call/retry.ts';
import { Failure, type FailureFacts } from '../../src/errors.ts';

const never = new AbortController().signal;
const failure = (more: Partial<FailureFacts> = {}) =>
  new Failure('no_answer', { what: 'lost', retryable: true, ...more });

/** Patience whose clock moves only while it sleeps, and which keeps how long that was. */
function patience(more: Partial<Patience> = {}) {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    retries: 2,
    totalMs: 90_000,
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
  const attempt = async (): Promise<string> => {
    const next = failures[count++];
    if (next !== undefined) throw next as Error;
    return 'done';
  };
  return { attempt, count: () => count };
}

describe('retrying', () => {
  it('does not try again what succeeded', async () => {
    const { attempt, count } = attempts();
    await expect(retrying(attempt, patience(), never)).resolves.toBe('done');
    expect(count()).toBe(1);
  });

  it('tries again after what may be tried again, and succeeds with it', async () => {
    const { attempt, count } = attempts(failure(), failure());
    await expect(retrying(attempt, patience(), never)).resolves.toBe('done');
    expect(count()).toBe(3);
  });

  it('gives up after the further attempts it has, with the last failure and their number', async () => {
    const last = failure({ what: 'lost again', why: ['a reason'] });
    const { attempt, count } = attempts(failure(), failure(), last);
    await expect(retrying(attempt, patience(), never)).rejects.toMatchObject({
      kind: 'no_answer',
      facts: { what: 'lost again', why: ['a reason', 'tried 3 times'] },
    });
    expect(count()).toBe(3);
  });

  it.each([
    ['a failure for good', failure({ retryable: false })],
    ['a failure that does not say', new Failure('refused', { what: 'no' })],
    ['what is no failure at all', new TypeError('a fault of the tool')],
  ])('does not try again after %s', async (_what, error) => {
    const { attempt, count } = attempts(error);
    await expect(retrying(attempt, patience(), never)).rejects.toBe(error);
    expect(count()).toBe(1);
  });

  it('waits twice as long each time, up to twenty seconds, by the dice', async () => {
    const most = patience({ retries: 8, totalMs: 1e9, random: () => 1 });
    await retrying(attempts(...Array.from({ length: 8 }, () => failure())).attempt, most, never);
    expect(most.slept).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
    const least = patience({ random: () => 0 });
    await retrying(attempts(failure(), failure()).attempt, least, never);
    expect(least.slept).toEqual([0, 0]);
  });

  it('waits at least as long as it was asked to, and a little more', async () => {
    const calm = patience();
    await retrying(attempts(failure({ retryAfterMs: 30_000 })).attempt, calm, never);
    expect(calm.slept).toEqual([30_250]);
  });

  it('does not wait longer than a minute for a service [H13]', async () => {
    const calm = patience({ totalMs: 1e9 });
    const { attempt, count } = attempts(failure({ retryAfterMs: 60_001 }));
    await expect(retrying(attempt, calm, never)).rejects.toThrow('lost');
    expect({ slept: calm.slept, tries: count() }).toEqual({ slept: [], tries: 1 });
  });

  it('does not begin a wait that outlasts the whole [T31]', async () => {
    const short = patience({ totalMs: 1000, retries: 10, random: () => 1 });
    await expect(
      retrying(attempts(failure(), failure(), failure()).attempt, short, never),
    ).rejects.toMatchObject({ facts: { why: ['tried 2 times'] } });
    expect(short.slept).toEqual([500]);
  });

  it('ends at once when the wait is cut short', async () => {
    const cancelled = new Failure('interrupted', { what: 'cancelled' });
    const cut = patience({ sleep: () => Promise.reject(cancelled) });
    await expect(retrying(attempts(failure()).attempt, cut, never)).rejects.toBe(cancelled);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 2, 2, 12);

  it.each([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
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
    '1.5',
    'abc',
    '1e9',
    '0x10',
    '+5',
    '5s',
    '2026-03-02T12:00:30Z',
    'Monday, 02-Mar-26 12:00:30 GMT',
    'Mon, 02 Mar 2026 12:00:30 CET',
    '١٢',
  ])('%j asks for nothing [H12]', (value) => {
    expect(retryAfterMs({ 'retry-after': value }, now)).toBeUndefined();
  });

  it('that is missing asks for nothing', () => {
    expect(retryAfterMs({}, now)).toBeUndefined();
  });

  it('as a date counts by the clock of the server, where it tells it [H14]', () => {
    const headers = {
      'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT',
      date: 'Mon, 02 Mar 2026 09:00:00 GMT',
    };
    expect(retryAfterMs(headers, now)).toBe(30_000);
    expect(retryAfterMs({ ...headers, date: 'yesterday' }, now)).toBe(0);
  });
});
