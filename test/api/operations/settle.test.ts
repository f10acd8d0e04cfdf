// The verdicts of `history settle` on a retry whose response was lost, case by case: the post before it and now.

import { describe, expect, it } from 'vitest';
import { seenIn } from '../../../src/api/operations/part-states.ts';
import { judgeRetry } from '../../../src/api/operations/settle.ts';

/** The service's clock when the request was sent. */
const SENT = Date.parse('2026-03-02T12:00:00Z');
const at = (seconds: number) => new Date(SENT + seconds * 1000).toISOString();
const old = at(-3600);

const A = 'TargetOnTwitterA';
const B = 'TargetOnLinkedIn';

interface Change {
  /** The targets that it named. */
  readonly parts?: readonly string[];
  /** Seconds from the request to the read, by the service's clock; `null` without a clock. */
  readonly ageS?: number | null;
  /** The service's clock at the request; `null` without a clock. */
  readonly sentAt?: number | null;
  readonly isCached?: boolean;
  readonly gatewayAnswered?: boolean;
}

/** Makes a post of `x failed old E1, y published 60`: the platform, the status, the seconds since the request, the error. */
const postOf = (told: string) => ({
  targets: told
    .split(', ')
    .filter(Boolean)
    .map((one) => {
      const [platform = '', status, time = 'old', error] = one.split(' ');
      const updatedAt = time === 'old' ? old : at(Number(time));
      return { id: platform === 'x' ? A : B, platform, status, updatedAt, error };
    }),
});

/** Judges a post that read so before the retry (`undefined`: nothing was read), and reads so now. */
function judge(before: string | undefined, now: string, change: Change = {}) {
  const { parts, ageS = 300, sentAt = SENT, isCached = false, gatewayAnswered = false } = change;
  return judgeRetry(
    postOf(now),
    { date: ageS === null ? undefined : SENT + ageS * 1000, isCached },
    {
      parts,
      seen: before === undefined ? undefined : seenIn(postOf(before), SENT),
      date: sentAt ?? undefined,
      gatewayAnswered,
    },
  );
}

const ofA = { parts: [A] };
const gateway = { gatewayAnswered: true };
const one = 'x failed old E1';
const two = 'x failed old E1, y failed old E1';
const xOld = `x failed since ${old}`;
const early = 'but it was sent less than 1m ago and it may still start';
const late = 'but it was sent less than 15m ago and it may still start';
const slow = 'but a gateway answered it less than 15m ago and it may still start';

describe('the outcome of a retry', () => {
  it.each<[what: string, before: string | undefined, now: string, change?: Change]>([
    ['published since', one, 'x published 60'],
    ['published at once', one, 'x published 0.02', { ageS: 0 }],
    ['published hours later', one, 'x published 7200', { ageS: 9000 }],
    ['published before, by any request', 'x published old', 'x published old', { parts: [A] }],
    ['published, and no clock', one, 'x published 60', { ageS: null, sentAt: null }],
    ['published, and nothing was read before', undefined, 'x published 60'],
    [
      'published, beside one that the request did not name',
      two,
      'x published 9, y failed old',
      ofA,
    ],
    [
      'published, beside one that was not failed',
      'x failed old, y cancelled old',
      'x published 9, y cancelled old',
    ],
    ['listed twice, published', one, 'x failed old E1, x published 9'],
  ])('done: %s', (_what, before, now, change) => {
    const settled = judge(before, now, change);
    expect(settled).toMatchObject({ verdict: 'done', isMoving: undefined, againMs: undefined });
    expect(settled.why).toMatch(/^x published since \S+$/);
    expect([...settled.parts!.keys()]).toEqual([A]);
  });

  it.each<[what: string, before: string | undefined, now: string, why: string]>([
    ['publishing', one, 'x publishing 1', `x publishing since ${at(1)}`],
    ['scheduled', one, 'x scheduled 1', `x scheduled since ${at(1)}`],
    [
      'publishing, and nothing was read before',
      undefined,
      'x publishing 1',
      `x publishing since ${at(1)}`,
    ],
    [
      'listed twice, published and publishing',
      one,
      'x published 1, x publishing 2',
      `x publishing since ${at(2)}`,
    ],
    [
      'one of two published',
      two,
      'x publishing 1, y published 2',
      `x publishing since ${at(1)}, y published since ${at(2)}`,
    ],
  ])('done, and still in progress: %s', (_what, before, now, why) => {
    expect(judge(before, now)).toMatchObject({ verdict: 'done', isMoving: true, why });
  });

  it.each<[what: string, before: string, now: string, why: string, change?: Change]>([
    ['with another time', one, 'x failed 60 E1', `x failed since ${at(60)}`],
    ['with another error', one, 'x failed old E2', xOld],
    ['after a minute', one, 'x failed 20 E1', `x failed since ${at(20)}`, { ageS: 60 }],
    [
      '15 minutes after a gateway',
      one,
      'x failed 20 E1',
      `x failed since ${at(20)}`,
      { ageS: 900, ...gateway },
    ],
    [
      'beside one that is published',
      two,
      'x failed 30 E1, y published 60',
      `x failed since ${at(30)}`,
    ],
  ])('failed again: %s', (_what, before, now, why, change) => {
    const settled = judge(before, now, change);
    expect(settled).toMatchObject({ verdict: 'failed', why });
    expect(settled.parts!.get(A)).toMatchObject({ verdict: 'failed', why });
  });

  it.each<[what: string, before: string, now: string, change: Change, span: string, left?: string]>(
    [
      ['untouched', one, one, {}, '5m'],
      ['untouched for a minute', two, two, { ageS: 60 }, '1m'],
      ['untouched for a while', one, one, { ageS: 90.5 }, '1m 30s'],
      ['untouched for hours', one, one, { ageS: 9001 }, '2h 30m'],
      ['untouched, 15 minutes after a gateway', one, one, { ageS: 900, ...gateway }, '15m'],
      ['beside one that it did not name', two, 'x failed old E1, y published 60', ofA, '5m'],
      [
        'behind a long publication',
        two,
        'x failed old E1, y publishing old',
        { ...ofA, ageS: 900 },
        '15m',
      ],
      ['beside one that is done', two, 'x failed old E1, y published 60', {}, '5m'],
      [
        'listed twice, both as before',
        'x failed old E1, x failed 0 E2',
        'x failed old E1, x failed 0 E2',
        {},
        '5m',
      ],
    ],
  )('not done: %s', (_what, before, now, change, span) => {
    const { verdict, parts } = judge(before, now, change);
    const why = `${xOld}, unchanged since the retry for ${span}`;
    expect([verdict, parts!.get(A)]).toEqual(['not done', { verdict: 'not done', why }]);
  });

  const again = 'and it was not read before: use --failed next time';
  const timeless = 'and the responses have no date that says for how long';
  const older = 'the response shows x in an older state than the change';
  const almost = { ageS: 899 };

  it.each<
    [
      what: string,
      before: string | undefined,
      now: string,
      change: Change,
      why: string,
      againMs?: number,
    ]
  >([
    ['untouched, too early', one, one, { ageS: 59 }, `${xOld}, ${early}`, 1000],
    [
      'failed again, too early',
      one,
      'x failed 20 E1',
      { ageS: 59 },
      `x failed since ${at(20)}, ${early}`,
      1000,
    ],
    [
      'untouched, by a clock that was set back',
      one,
      one,
      { ageS: -500 },
      `${xOld}, ${early}`,
      60_000,
    ],
    ['untouched, after a gateway', one, one, { ...almost, ...gateway }, `${xOld}, ${slow}`, 1000],
    [
      'failed again, after a gateway',
      one,
      'x failed 20 E1',
      { ...almost, ...gateway },
      `x failed since ${at(20)}, ${slow}`,
      1000,
    ],
    [
      'behind another',
      two,
      'x failed old E1, y publishing old',
      { ...ofA, ...almost },
      `${xOld}, ${late}`,
      1000,
    ],
    ['no date in the response', one, one, { ageS: null }, `${xOld}, ${timeless}`],
    ['no date at the request', one, one, { sentAt: null }, `${xOld}, ${timeless}`],
    ['nothing was read before', undefined, one, {}, `${xOld}, ${again}`],
    [
      'it was not shown before',
      'y failed old',
      'x failed old E1, y failed old',
      ofA,
      `${xOld}, ${again}`,
    ],
    [
      'the named one is gone',
      two,
      'x published 60',
      { parts: [B] },
      `the post has no target ${B} any more`,
    ],
    ['no targets', one, '', {}, `the post has no target ${A} any more`],
    ['no targets, and nothing was read before', undefined, '', {}, 'the post has no targets'],
    [
      'from a cache',
      one,
      'x published 60',
      { isCached: true },
      'the response came from a cache: it may show an old state',
    ],
    ['older than before', 'x failed 0 E1', 'x failed -60 E1', {}, older],
    ['cancelled since', one, 'x cancelled 60', {}, `x cancelled since ${at(60)}`],
    ['in need of a person', one, 'x action_required 60', {}, `x action_required since ${at(60)}`],
    ['a new status', one, 'x exploded 60', {}, 'unknown status exploded'],
    [
      'listed twice, once in a new status',
      one,
      'x failed 60 E2, x exploded 60',
      {},
      'unknown status exploded',
    ],
    [
      'listed twice, failed and cancelled',
      one,
      'x failed 60 E2, x cancelled 61',
      {},
      `x cancelled since ${at(61)}`,
    ],
  ])('cannot tell: %s', (_what, before, now, change, why, againMs) => {
    expect(judge(before, now, change)).toMatchObject({ verdict: 'cannot tell', why, againMs });
  });

  it('needs targets with a status', () => {
    const read = { date: SENT, isCached: false };
    const change = { parts: undefined, seen: undefined, date: SENT, gatewayAnswered: false };
    expect(judgeRetry({ targets: [{ id: A }] }, read, change)).toEqual({
      verdict: 'cannot tell',
      why: 'the response lacks targets with a status',
      againMs: undefined,
    });
  });

  it('says nothing of a time and a platform that the response lacks', () => {
    const post = { targets: [{ id: A, status: 'published' }] };
    const change = { parts: [A], seen: undefined, date: SENT, gatewayAnswered: false };
    expect(judgeRetry(post, { date: SENT, isCached: false }, change).why).toBe(`${A} published`);
  });

  it('is for the targets that had failed, if it named none; without a read for all', () => {
    const now = 'x published 60, y published old';
    const partsOf = (before: string | undefined, change: Change = {}) => [
      ...judge(before, now, change).parts!.keys(),
    ];
    expect(partsOf('x failed old, y published old')).toEqual([A]);
    expect(partsOf(undefined)).toEqual([A, B]);
    // Nothing to retry: all of them say what became of the request.
    expect(partsOf('x published old, y published old')).toEqual([A, B]);
    expect(partsOf('x failed old, y failed old', { parts: [B] })).toEqual([B]);
  });

  it('of several targets is that of the one that needs a person first', () => {
    const before = two;
    const verdictOn = (now: string) => judge(before, now, { ageS: 900 }).verdict;
    expect(verdictOn('x published 60, y cancelled 60')).toBe('cannot tell');
    expect(verdictOn('x failed 60 E2, y failed old E1')).toBe('not done');
    expect(verdictOn('x failed 60 E2, y published 60')).toBe('failed');
    // The time of the next read is shown with each verdict.
    expect(judge(before, 'x cancelled 60, y failed old E1', { ageS: 50 })).toMatchObject({
      verdict: 'cannot tell',
      againMs: 10_000,
    });
  });
});
