// The end of a part, by what was seen of it before its change, in the response that accepted it, and now.

import { describe, expect, it } from 'vitest';
import {
  acceptanceOf,
  endOf,
  isOlder,
  isSameState,
  newestOf,
  type PartState,
  retriedParts,
  seenIn,
  MAY_START_MS,
  statesOf,
} from '../../../src/api/operations/part-states.ts';

const ACCEPTED = Date.parse('2026-03-02T12:00:00Z');
/** A time so many seconds after the acceptance. */
const at = (seconds: number) => new Date(ACCEPTED + seconds * 1000).toISOString();
const old = at(-3600);

/** Makes a state of `failed -3600 E1`: the status, the seconds after the acceptance, the error. */
function stateOf(told: string): PartState {
  const [status = '', time = '', error] = told.split(' ');
  const updatedAt = /^-?[\d.]+$/.test(time) ? at(Number(time)) : time || undefined;
  return { status, updatedAt, error };
}
const statesFrom = (told: string) => told.split(', ').filter(Boolean).map(stateOf);

interface Facts {
  /** `undefined`: there was no change. */
  readonly answered?: string | undefined;
  readonly isDated?: boolean;
  readonly sinceMs?: number;
  readonly isCached?: boolean;
  readonly newest?: number;
}

/** Returns the end of a part that read so before its change, and reads so now. */
function end(before: string, now: string, facts: Facts = {}) {
  const { answered = '', isDated = true, sinceMs = 5000, ...more } = facts;
  const seen = { before: statesFrom(before), answered: statesFrom(answered) };
  const acceptance = { ...seen, date: isDated ? ACCEPTED : undefined };
  const newest = newestOf([...seen.before, ...seen.answered]);
  return endOf(statesFrom(now), acceptance, { sinceMs, newest, ...more });
}

const grace = { sinceMs: MAY_START_MS.accepted };
const almost = { sinceMs: MAY_START_MS.accepted - 1 };
const failed = 'failed -3600 E1';

describe('a part after its change', () => {
  it.each<[what: string, before: string, now: string, facts: Facts, end: string]>([
    ['is in progress', failed, 'publishing 1', grace, 'moving'],
    ['is scheduled', failed, 'scheduled', grace, 'moving'],
    ['is in an unlisted status', failed, 'rehearsing 1', grace, 'moving'],
    ['is not shown', failed, '', grace, 'moving'],
    ['is published', failed, 'published 1', {}, 'published'],
    ['is published, as before', 'published -3600', 'published -3600', {}, 'published'],
    ['is published, by a cache', failed, 'published -9999', { isCached: true }, 'published'],
    ['is published, by an old time', failed, 'published -9999', {}, 'published'],

    ['reads as before', failed, failed, {}, 'moving'],
    ['reads as before at the end of the grace', failed, failed, almost, 'moving'],
    ['reads as before after the grace', failed, failed, grace, 'failed'],
    ['reads as in the answer', failed, 'failed 0 E2', { answered: 'failed 0 E2' }, 'moving'],
    ['is cancelled, as before', 'cancelled -9', 'cancelled -9', {}, 'moving'],
    ['is cancelled, as before, after the grace', 'cancelled -9', 'cancelled -9', grace, 'ended'],
    ['needs a person, as before', 'action_required -9', 'action_required -9', {}, 'moving'],
    ['needs a person, not as before', failed, 'action_required 5', {}, 'ended'],

    ['has another error', failed, 'failed 0 E2', {}, 'failed'],
    ['has another error and no time', 'failed - E1', 'failed - E2', { isDated: false }, 'failed'],
    ['has the error of the answer', failed, 'failed 9 E2', { answered: 'failed 0 E2' }, 'failed'],
    ['has lost its error', failed, 'failed 0', {}, 'moving'],
    ['has an error, and nothing was seen before', '', 'failed 0 E1', {}, 'moving'],

    ['was touched at the acceptance', failed, 'failed 0 E1', {}, 'moving'],
    ['was touched a second before', failed, 'failed -1 E1', {}, 'moving'],
    ['was touched a second after', failed, 'failed 1 E1', {}, 'moving'],
    ['was touched, after the grace', failed, 'failed 0 E1', grace, 'failed'],
    ['was touched later', failed, 'failed 1.001 E1', {}, 'failed'],
    ['was touched later, in whole seconds', failed, 'failed 2026-03-02T12:00:02Z E1', {}, 'failed'],
    ['was touched before, and was not in the answer', failed, 'failed -60 E1', {}, 'moving'],
    [
      'was touched before, and not in the answer, which shows it',
      failed,
      'failed -60 E1',
      { answered: failed },
      'failed',
    ],
    ['was touched at a time without a date', failed, 'failed 9 E1', { isDated: false }, 'moving'],
    [
      'was touched when the answer had shown its start',
      failed,
      'failed 0.5 E1',
      { answered: 'publishing 0' },
      'failed',
    ],
    [
      'was touched when the answer had shown no start',
      failed,
      'failed 0.5 E1',
      { answered: failed },
      'moving',
    ],
    [
      'was touched, without a date, when the answer had shown its start',
      failed,
      'failed 0.5 E1',
      { answered: 'publishing 0', isDated: false },
      'failed',
    ],
    ['has no times', 'failed - E1', 'failed - E1', {}, 'moving'],
    ['has no time that can be read', failed, 'failed yesterday E1', {}, 'moving'],

    ['is older than before', failed, 'failed -7200 E2', grace, 'moving'],
    ['is older than a poll', failed, 'failed 10 E2', { newest: ACCEPTED + 11_000 }, 'moving'],
    ['is as new as a poll', failed, 'failed 10 E2', { newest: ACCEPTED + 10_000 }, 'failed'],
    [
      'is as new as a poll, rounded',
      failed,
      'failed 2026-03-02T12:00:10Z E2',
      { newest: ACCEPTED + 10_999 },
      'failed',
    ],
    ['comes from a cache', failed, 'failed 10 E2', { isCached: true, ...grace }, 'moving'],

    ['is listed twice: failed, published', failed, 'failed 10 E2, published 10', {}, 'published'],
    ['is listed twice: failed, publishing', failed, 'failed 10 E2, publishing 9', grace, 'moving'],
    ['is listed twice: published, scheduled', failed, 'published 9, scheduled 9', {}, 'moving'],
    ['is listed twice: failed again, as before', failed, `failed 10 E2, ${failed}`, {}, 'moving'],
    ['is listed twice: failed both', failed, 'failed 10 E2, failed 11 E2', {}, 'failed'],
    ['is listed twice: failed, cancelled', failed, 'failed 10 E2, cancelled 10', {}, 'ended'],
    [
      'is listed twice, as before, after the grace',
      `${failed}, failed -60 E2`,
      `${failed}, failed -60 E2`,
      grace,
      'failed',
    ],
    ['is listed twice, older than before', `${failed}, failed -60 E2`, failed, grace, 'moving'],
    ['was listed twice before', `${failed}, failed 0 E2`, 'failed 0 E2', {}, 'moving'],
  ])('%s', (_what, before, now, facts, expected) => {
    expect(end(before, now, facts)).toBe(expected);
  });
});

describe('a part without a change', () => {
  it.each([
    ['failed -3600 E1', 'failed'],
    ['cancelled', 'ended'],
    ['draft', 'ended'],
    ['published', 'published'],
    ['publishing', 'moving'],
  ])('that is %s is judged as it is: %s', (now, expected) => {
    expect(endOf(statesFrom(now), undefined, { sinceMs: 0 })).toBe(expected);
    const isOpen = expected === 'failed' || expected === 'ended';
    const cached = endOf(statesFrom(now), undefined, { sinceMs: 0, isCached: true });
    expect(cached).toBe(isOpen ? 'moving' : expected);
  });
});

describe('two states', () => {
  const same = (one: string, other: string) => [
    isSameState(stateOf(one), stateOf(other)),
    isSameState(stateOf(other), stateOf(one)),
  ];

  it.each([
    ['failed - E1', 'failed - E1', true],
    ['failed - E1', 'failed - E2', false],
    ['failed - E1', 'failed', false],
    ['failed', 'cancelled', false],
    ['failed yesterday', 'failed yesterday', true],
    ['failed yesterday', 'failed today', false],
    ['failed 0', 'failed', false],
    // One of the two responses rounds its time.
    ['failed 2026-03-02T12:00:00Z', 'failed 2026-03-02T12:00:00.999Z', true],
    ['failed 2026-03-02T12:00:00Z', 'failed 2026-03-02T12:00:01.000Z', false],
    ['failed 2026-03-02T12:00:00.1Z', 'failed 2026-03-02T12:00:00.199Z', true],
    ['failed 2026-03-02T12:00:00.1Z', 'failed 2026-03-02T12:00:00.2Z', false],
    ['failed 2026-03-02T12:00:00.123Z', 'failed 2026-03-02T12:00:00.124Z', false],
    ['failed 2026-03-02T12:00:00.123456Z', 'failed 2026-03-02T12:00:00.123999Z', true],
    ['failed 2026-03-02T12:00Z', 'failed 2026-03-02T12:00:59.999Z', true],
    ['failed 2026-03-02T12:00Z', 'failed 2026-03-02T12:01:00Z', false],
    // A clock without fractions may write them as zeros.
    ['failed 2026-03-02T12:00:00.000Z', 'failed 2026-03-02T12:00:00.999Z', true],
  ])('%s and %s are the same: %s', (one, other, isSame) => {
    expect(same(one, other)).toEqual([isSame, isSame]);
  });

  it.each([
    ['2026-03-02T11:59:59Z', true],
    ['2026-03-02T11:59:59.001Z', true],
    ['2026-03-02T11:59Z', true],
    ['2026-03-02T11:59:59.5Z', true],
    ['2026-03-02T12:00:00Z', false],
    ['2026-03-02T12:00Z', false],
    ['yesterday', false],
    [undefined, false],
  ])('one of %s is older than noon: %s', (updatedAt, expected) => {
    expect(isOlder({ status: 'failed', updatedAt }, ACCEPTED)).toBe(expected);
  });
});

describe('the states in a response', () => {
  const target = (id: unknown, status: unknown, more: object = {}) => ({ id, status, ...more });

  it('is each target with its status, its time and a hash of its error', () => {
    const error = `${'x'.repeat(60)} at 12:00:01, request 4711`;
    const other = { error: error.replace('12:00:01', '12:00:09'), updatedAt: at(9) };
    const post = { targets: [target('A', 'failed', { error, updatedAt: old })] };
    const seen = seenIn(post, ACCEPTED);
    expect(seen).toEqual({
      date: ACCEPTED,
      parts: {
        A: [{ status: 'failed', updatedAt: old, error: expect.stringMatching(/^[\w-]{11}$/) }],
      },
    });
    const later = seenIn({ targets: [target('A', 'failed', other)] }, undefined);
    expect(statesOf(later, 'A')[0]!.error).toBe(statesOf(seen, 'A')[0]!.error);
    const short = seenIn({ targets: [target('A', 'failed', { error: 'No.' })] }, undefined);
    expect(statesOf(short, 'A')[0]!.error).not.toBe(statesOf(seen, 'A')[0]!.error);
  });

  it('has a target once for each time that it is listed', () => {
    const seen = seenIn({ targets: [target('A', 'failed'), target('A', 'published')] }, undefined);
    expect(statesOf(seen, 'A').map(({ status }) => status)).toEqual(['failed', 'published']);
  });

  it.each([
    [undefined],
    [{}],
    [{ targets: 'none' }],
    [{ targets: [null] }],
    [{ targets: [target('A', 'failed'), target(1, 'failed')] }],
  ])('is nothing where it cannot be judged: %j', (post) => {
    expect(seenIn(post, undefined).parts).toEqual({});
  });

  it.each([['__proto__'], ['constructor'], ['toString']])('may name a part %s', (id) => {
    const seen = seenIn({ targets: [target(id, 'failed')] }, undefined);
    expect(statesOf(seen, id)).toHaveLength(1);
    expect(statesOf(seenIn({ targets: [] }, undefined), id)).toEqual([]);
    expect(statesOf(undefined, id)).toEqual([]);
  });

  it('leaves out values of another type', () => {
    const odd = target('A', 'failed', { updatedAt: 5, error: { text: 'No.' } });
    expect(statesOf(seenIn({ targets: [odd] }, undefined), 'A')).toEqual([
      { status: 'failed', updatedAt: undefined, error: undefined },
    ]);
  });

  it('makes the acceptance of a part, of which one response may show nothing', () => {
    const before = seenIn({ targets: [target('A', 'failed'), target('B', 'failed')] }, undefined);
    const answered = seenIn({ targets: [target('A', 'publishing')] }, ACCEPTED);
    const more = { date: ACCEPTED, isEarlier: true };
    expect(acceptanceOf('A', before, answered, more)).toEqual({
      before: statesOf(before, 'A'),
      answered: statesOf(answered, 'A'),
      ...more,
    });
    expect(acceptanceOf('B', before, answered, {}).answered).toEqual([]);
    expect(acceptanceOf('B', undefined, undefined, {})).toEqual({ before: [], answered: [] });
  });

  it('says for which parts a request was that named none', () => {
    const post = (...told: readonly string[]) =>
      seenIn({ targets: told.map((one) => target(one[0], one.slice(2))) }, undefined);
    const answered = post('A publishing', 'B published', 'C failed');
    const before = post('A failed', 'B published', 'D failed');
    expect(retriedParts(before, answered)).toEqual(['A', 'D']);
    expect(retriedParts(undefined, answered)).toEqual(['A', 'B', 'C']);
    expect(retriedParts(post('A published', 'A failed'), answered)).toEqual(['A']);
  });
});
