// The verdicts of `history settle` on a retry whose response was lost, case by case.

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
  readonly gatewayAnswered?: boolean;
}

/** Judges a post whose targets x and y are given as `failed 60, published old`; the seconds count from the retry. */
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
const gateway = { gatewayAnswered: true };

const since = (what: string, seconds: number) => `${what} since ${at(seconds)}`;
const [x, y] = [`x failed since ${old}`, `y failed since ${old}`];

describe('the outcome of a retry', () => {
  it.each<[what: string, targets: string, why: string, isMoving?: boolean]>([
    ['published since', 'published 60', since('x published', 60)],
    ['a moment later', 'published 0.02', since('x published', 0.02)],
    ['two seconds later, in whole seconds', 'published 2026-03-02T12:00:02Z', 'x published since'],
    ['at the end of the time of its effect', 'published 900.01', since('x published', 900.01)],
    ['a target that started publishing', 'publishing 1', since('x publishing', 1), true],
    [
      'two targets, one still publishing',
      'publishing 30, published 60',
      `${since('x publishing', 30)}, ${since('y published', 60)}`,
      true,
    ],
    ['failed, but the platform has it', 'failed old 1, published 9', since('y published', 9)],
    ['failed since, but the platform has it', 'failed 60 1', since('x failed', 60)],
  ])('done: %s', (_what, targets, why, isMoving) => {
    const settled = judge(targets);
    expect(settled).toMatchObject({ verdict: 'done', ...(isMoving && { isMoving }) });
    expect(settled.why.startsWith(why)).toBe(true);
    expect(settled.parts?.length).toBe(settled.why.split(', ').length);
  });

  it.each<[targets: string, why: string, ids: readonly string[], change?: Change]>([
    ['failed 60', since('x failed', 60), [A]],
    ['failed 60', since('x failed', 60), [A], { ageS: 60 }],
    ['failed 30, published 60', `${since('x failed', 30)}, ${since('y published', 60)}`, [A, B]],
  ])('failed again: %s', (told, why, ids, change) => {
    const parts = ids.map((id) => ({ id }));
    expect(judge(told, change)).toMatchObject({ verdict: 'failed', why, parts });
  });

  const toA = { ...ofA, postAt: at(60) };
  it.each<[what: string, targets: string, change: Change, span: string, left?: string]>([
    ['untouched', 'failed old', {}, '5m'],
    ['untouched for a minute', 'failed old, failed old', { ageS: 60 }, '1m', `${x}, ${y}`],
    ['untouched for a while', 'failed old', { ageS: 90.5 }, '1m 30s'],
    ['untouched beside a status of its own', 'failed old, exploded 60', ofA, '5m'],
    ['untouched, 15 minutes after a gateway', 'failed old', { ageS: 900, ...gateway }, '15m'],
    ['untouched, where the other one was named', 'failed old, published 60', ofA, '5m'],
    ['a post that changed, after a while', 'failed old', { postAt: at(60), ageS: 901 }, '15m'],
    ['a post that changed with another target', 'failed old, published 60', toA, '5m'],
    ['behind a long publication', 'failed old, publishing old', { ...ofA, ageS: 900 }, '15m'],
  ])('not done: %s', (_what, targets, change, span, left = x) => {
    const why = `nothing changed for ${span} after it: ${left}`;
    expect(judge(targets, change)).toMatchObject({ verdict: 'not done', why });
  });

  const early = 'it was sent less than a minute ago and may not have begun';
  const slow = 'a gateway answered it less than 15 minutes ago: the service may still do it';
  const half = 'only 1 of 2 targets changed after it was sent';
  const none = 'the post has no targets';
  const idle = 'no target is failed and none changed since: there was nothing to retry';
  const queued = 'the post changed after it was sent, its targets did not: it may be queued';
  const touched = queued.replace('changed', 'may have changed');
  const behind = `y ${B} is publishing: it may be queued behind that`;
  const close = (time: string) => `x ${A} changed at about the time it was sent (${time})`;
  const late = (seconds: number) => `x ${A} changed long after it was sent (${at(seconds)})`;
  const again = `${since('x failed', 20)}, but`;
  const young = { ageS: 59 };
  const queuedFor = (ageS: number) => ({ postAt: at(60), ageS });
  const rounded = '2026-03-02T12:00:01Z';
  const almost = { ageS: 899 };
  const answered = { ...almost, ...gateway };

  it.each<[what: string, targets: string, change: Change, why: string, againMs?: number]>([
    ['failed again, too early', 'failed 20', young, `${again} ${early}`, 1000],
    ['failed again, after a gateway', 'failed 20', answered, `${again} ${slow}`, 1000],
    ['untouched, after a gateway', 'failed old', answered, slow, 1000],
    ['untouched, too early', 'failed old', young, early, 1000],
    ['one of two targets changed', 'failed old, published 60', {}, half],
    ['one of two targets changed and is publishing', 'failed old, publishing 60', {}, half, minute],
    ['the named one is gone', 'failed old', { parts: [B] }, `the post has no target ${B} any more`],
    ['no targets', '', {}, none],
    ['no targets that were named', 'failed old', { parts: [] }, none],
    ['published long before', 'published old', {}, idle],
    ['changed hours later', 'published 7200', {}, late(7200)],
    ['a little too late', 'published 900.02', {}, late(900.02)],
    ['cancelled since', 'cancelled 60', {}, `x ${A} is cancelled since ${at(60)}`],
    ['scheduled since', 'scheduled 60', {}, `x ${A} is scheduled since ${at(60)}`],
    ['in need of a person', 'action_required 60', {}, `x ${A} is action_required since ${at(60)}`],
    ['a new status', 'exploded old', {}, 'unknown status exploded'],
    ['in the same moment', 'published 0', {}, close(at(0))],
    ['in the same moment, while it is publishing', 'publishing 0', {}, close(at(0)), minute],
    ['in the same moment, while another is', 'failed 0, publishing old', ofA, close(at(0)), minute],
    ['a second before', 'failed -1', {}, close(at(-1))],
    ['rounded up from the same moment', `published ${rounded}`, { spanMs: 0 }, close(rounded)],
    ['clocks that are not known', 'published 60', { spanMs: 61_000 }, close(at(60))],
    ['no time', 'failed yesterday', {}, close('yesterday')],
    ['a post that changed since', 'failed old', { postAt: at(60) }, queued, 10 * minute],
    ['a post that may have changed since', 'failed old', { postAt: at(0) }, touched, 10 * minute],
    ['a post that changed, a minute ago', 'failed old', queuedFor(60), queued, 14 * minute],
    ['a post that changed just now', 'failed old', queuedFor(59), queued, 14 * minute + 1000],
    ['behind another', 'failed old, publishing old', { ...ofA, ...almost }, behind, 1000],
  ])('unknown: %s', (_what, targets, change, why, againMs) => {
    expect(judge(targets, change)).toEqual({ verdict: 'cannot tell', why, againMs });
  });

  it.each([
    // Milliseconds: two seconds that the clocks may differ, and one that a time is written in.
    ['before', at(-2.012)],
    ['close', at(-2.011)],
    ['close', '2026-03-02T11:59:58Z'],
    ['close', '2026-03-02T11:59:58.489900Z'],
    ['close', '2026-03-02T11:59Z'],
    ['close', '2026-03-02'],
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
  ])('a time reported by the service is %s a retry: %s', (side, updatedAt) => {
    const { verdict, why } = judge(`failed ${updatedAt}`);
    const told = why.includes('about the time')
      ? 'close'
      : verdict === 'failed'
        ? 'after'
        : 'before';
    expect(told).toBe(side);
  });
});
