// What a post says of a retry whose answer was lost, case by case.

import { describe, expect, it } from 'vitest';
import { judgeRetry } from '../../../src/api/operations/settle.ts';

const SENT = Date.parse('2026-03-02T12:00:00.500Z');
const at = (seconds: number) => new Date(SENT + seconds * 1000).toISOString();
const old = at(-3600);

const A = 'TargetOnTwitterA';
const B = 'TargetOnLinkedIn';

interface Change {
  readonly parts?: readonly string[];
  /** Seconds from the request to the read. */
  readonly ageS?: number;
  readonly postAt?: string;
  readonly spanMs?: number;
  readonly isFromGateway?: boolean;
}

/** Judges a post whose targets x and y are told as `failed 60, published old`: the seconds are from the retry on. */
function judge(
  told: string,
  { parts, ageS = 300, postAt = old, spanMs = 10, ...more }: Change = {},
) {
  const targets = told
    .split(', ')
    .filter(Boolean)
    .map((target, i) => {
      const [status = '', time = '', platformPostId] = target.split(' ');
      const updatedAt = time === 'old' ? old : /^-?[\d.]+$/.test(time) ? at(Number(time)) : time;
      return { id: [A, B][i]!, platform: 'xy'[i]!, status, updatedAt, platformPostId };
    });
  const sent = { earliest: SENT - spanMs, latest: SENT + spanMs };
  const change = { parts, sent, ageMs: ageS * 1000, ...more };
  return judgeRetry({ updatedAt: postAt, targets }, change);
}

const minute = 60_000;
const ofA = { parts: [A] };
const gateway = { isFromGateway: true };

describe('what became of a retry', () => {
  it.each<[what: string, targets: string, change: Change, why: string, more?: object]>([
    ['published since', 'published 60', {}, `x published since ${at(60)}`],
    ['a moment later', 'published 0.02', {}, `x published since ${at(0.02)}`],
    [
      'two seconds later, in whole seconds',
      'published 2026-03-02T12:00:02Z',
      {},
      'x published since',
    ],
    [
      'at the end of the time of its effect',
      'published 900.01',
      {},
      `x published since ${at(900.01)}`,
    ],
    ['publishing since', 'publishing 1', {}, `x publishing since ${at(1)}`, { isMoving: true }],
    [
      'both, of which one moves',
      'publishing 30, published 60',
      {},
      `x publishing since ${at(30)}, y published since ${at(60)}`,
      { isMoving: true },
    ],
    [
      'failed, but the platform has it',
      'failed old 1, published 9',
      {},
      `y published since ${at(9)}`,
    ],
  ])('done: %s', (_what, targets, change, why, more = {}) => {
    const settled = judge(targets, change);
    expect(settled).toMatchObject({ verdict: 'done', ...more });
    expect(settled.why.startsWith(why)).toBe(true);
  });

  it.each<[what: string, targets: string, why: string]>([
    ['failed again', 'failed 60', `x failed since ${at(60)}`],
    [
      'one failed again, one published',
      'failed 30, published 60',
      `x failed since ${at(30)}, y published since ${at(60)}`,
    ],
  ])('failed: %s', (_what, targets, why) => {
    expect(judge(targets)).toMatchObject({ verdict: 'failed', why });
  });

  const sinceOld = `x failed since ${old}`;
  it.each<[what: string, targets: string, change: Change, why: string]>([
    ['untouched', 'failed old', {}, `nothing changed for 5m after it: ${sinceOld}`],
    [
      'untouched for a minute',
      'failed old, failed old',
      { ageS: 60 },
      `nothing changed for 1m after it: ${sinceOld}, y failed since ${old}`,
    ],
    [
      'untouched, 15 minutes after a gateway had answered',
      'failed old',
      { ageS: 900, ...gateway },
      `nothing changed for 15m after it: ${sinceOld}`,
    ],
    [
      'untouched, where the other one was named',
      'failed old, published 60',
      ofA,
      `nothing changed for 5m after it: ${sinceOld}`,
    ],
    [
      'a post that changed since, after a while',
      'failed old',
      { postAt: at(60), ageS: 901 },
      `nothing changed for 15m after it: ${sinceOld}`,
    ],
    [
      'a post that changed since with another target',
      'failed old, published 60',
      { ...ofA, postAt: at(60) },
      `nothing changed for 5m after it: ${sinceOld}`,
    ],
    [
      'behind another that has been publishing for long',
      'failed old, publishing old',
      { ...ofA, ageS: 900 },
      `nothing changed for 15m after it: ${sinceOld}`,
    ],
  ])('not done: %s', (_what, targets, change, why) => {
    expect(judge(targets, change)).toMatchObject({ verdict: 'not done', why });
  });

  const early = 'it was sent less than a minute ago and may not have begun';
  const slow = 'a gateway answered it less than 15 minutes ago: the service may still do it';
  const close = (time: string) => `x ${A} changed at about the time it was sent (${time})`;
  it.each<[what: string, targets: string, change: Change, why: string, againMs?: number]>([
    [
      'failed again, too early',
      'failed 20',
      { ageS: 59 },
      `x failed since ${at(20)}, but ${early}`,
      1000,
    ],
    [
      'failed again, after a gateway had answered',
      'failed 20',
      { ageS: 899, ...gateway },
      `x failed since ${at(20)}, but ${slow}`,
      1000,
    ],
    [
      'untouched, after a gateway had answered',
      'failed old',
      { ageS: 899, ...gateway },
      slow,
      1000,
    ],
    ['untouched, too early', 'failed old', { ageS: 59 }, early, 1000],
    [
      'one of two, settled',
      'failed old, published 60',
      {},
      'only 1 of 2 targets changed after it was sent',
    ],
    [
      'one of two, while that is publishing',
      'failed old, publishing 60',
      {},
      'only 1 of 2 targets changed after it was sent',
      minute,
    ],
    ['the named one is gone', 'failed old', { parts: [B] }, `the post has no target ${B} any more`],
    ['no targets', '', {}, 'the post has no targets'],
    ['no targets that were named', 'failed old', { parts: [] }, 'the post has no targets'],
    [
      'published long before',
      'published old',
      {},
      'no target is failed and none changed since: there was nothing to retry',
    ],
    [
      'changed hours later',
      'published 7200',
      {},
      `x ${A} changed long after it was sent (${at(7200)})`,
    ],
    [
      'a little too late',
      'published 900.02',
      {},
      `x ${A} changed long after it was sent (${at(900.02)})`,
    ],
    ['cancelled since', 'cancelled 60', {}, `x ${A} is cancelled since ${at(60)}`],
    ['a new status', 'exploded old', {}, 'unknown status exploded'],
    ['in the same moment', 'published 0', {}, close(at(0))],
    ['in the same moment, while it is publishing', 'publishing 0', {}, close(at(0)), minute],
    ['a second before', 'failed -1', {}, close(at(-1))],
    ['clocks that are not known', 'published 60', { spanMs: 61_000 }, close(at(60))],
    ['no time', 'failed yesterday', {}, close('yesterday')],
    [
      'a post that changed since',
      'failed old',
      { postAt: at(60) },
      'the post changed after it was sent, its targets did not: it may be queued',
      10 * minute,
    ],
    [
      'behind another that is publishing',
      'failed old, publishing old',
      { ...ofA, ageS: 899 },
      `y ${B} is publishing: it may be queued behind that`,
      1000,
    ],
  ])('cannot tell: %s', (_what, targets, change, why, againMs) => {
    expect(judge(targets, change)).toEqual({ verdict: 'cannot tell', why, againMs });
  });

  it.each([
    // Milliseconds: two seconds that the clocks may differ, and one that a time is written in.
    ['before', at(-2.012)],
    ['close', at(-2.011)],
    ['close', '2026-03-02T11:59:58Z'],
    ['before', '2026-03-02T11:59:57Z'],
    ['close', '2026-03-02T12:00:01Z'],
    ['after', '2026-03-02T12:00:02Z'],
    ['close', '2026-03-02T12:00:01.000Z'],
    ['after', '2026-03-02T12:00:02.000Z'],
    ['after', '2026-03-02T12:00:00.6Z'],
    ['close', '2026-03-02T12:00:00.5Z'],
    ['after', '2026-03-02T12:00:00.52Z'],
    ['close', '2026-03-02T12:00:00.51Z'],
    ['after', '2026-03-02T12:00:00.511900Z'],
    ['close', '2026-03-02T12:00:00.510100Z'],
  ])('a time of the service is %s a retry: %s', (side, updatedAt) => {
    const { verdict, why } = judge(`failed ${updatedAt}`);
    const told = why.includes('about the time')
      ? 'close'
      : verdict === 'failed'
        ? 'after'
        : 'before';
    expect(told).toBe(side);
  });
});
