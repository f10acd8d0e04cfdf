// What a post says of a retry whose answer was lost, case by case.

import { describe, expect, it } from 'vitest';
import { judgeRetry } from '../../../src/api/operations/settle.ts';

const SENT = Date.parse('2026-03-02T12:00:00.500Z');
const at = (seconds: number) => new Date(SENT + seconds * 1000).toISOString();
const whole = (seconds: number) => at(seconds).replace(/\.\d+Z/, 'Z');

type Row = readonly [platform: string, status: string, updatedAt: string, more?: object];

const A = 'TargetOnTwitterA';
const B = 'TargetOnLinkedIn';

function judge(
  rows: readonly Row[],
  {
    parts,
    ageS = 300,
    postAt = at(-3600),
    spanMs = 10,
    isFromGateway = false,
  }: {
    parts?: readonly string[];
    ageS?: number;
    postAt?: string;
    spanMs?: number;
    isFromGateway?: boolean;
  } = {},
) {
  const targets = rows.map(([platform, status, updatedAt, more], i) => ({
    id: [A, B][i]!,
    platform,
    status,
    updatedAt,
    ...more,
  }));
  const sent = { earliest: SENT - spanMs, latest: SENT + spanMs };
  return judgeRetry(
    { updatedAt: postAt, targets },
    {
      parts,
      sent,
      ageMs: ageS * 1000,
      isFromGateway,
    },
  );
}

const old = at(-3600);

describe('what became of a retry', () => {
  it.each<readonly [string, () => ReturnType<typeof judge>, string, RegExp]>([
    [
      'published since',
      () => judge([['x', 'published', at(60)]]),
      'done',
      /^x published since 2026/,
    ],
    ['publishing since', () => judge([['x', 'publishing', at(1)]]), 'done', /publishing/],
    ['failed again', () => judge([['x', 'failed', at(60)]]), 'failed', /^x failed since/],
    [
      'failed again, too early',
      () => judge([['x', 'failed', at(20)]], { ageS: 59 }),
      'cannot tell',
      /^x failed since .*, but it was sent less than a minute ago/,
    ],
    [
      'failed again, after a gateway had answered',
      () => judge([['x', 'failed', at(20)]], { ageS: 899, isFromGateway: true }),
      'cannot tell',
      /but a gateway answered it less than 15 minutes ago/,
    ],
    [
      'one failed again, one published',
      () =>
        judge([
          ['x', 'failed', at(30)],
          ['y', 'published', at(60)],
        ]),
      'failed',
      /^x failed since .*, y published since/,
    ],
    [
      'untouched, 14 minutes after a gateway had answered',
      () => judge([['x', 'failed', old]], { ageS: 899, isFromGateway: true }),
      'cannot tell',
      /a gateway answered it/,
    ],
    [
      'untouched, 15 minutes after a gateway had answered',
      () => judge([['x', 'failed', old]], { ageS: 900, isFromGateway: true }),
      'not done',
      /^nothing changed for 15 minutes after it: x failed/,
    ],
    ['untouched', () => judge([['x', 'failed', old]]), 'not done', /failed since/],
    [
      'untouched, too early',
      () => judge([['x', 'failed', old]], { ageS: 59 }),
      'cannot tell',
      /less than a minute/,
    ],
    [
      'only one of two',
      () =>
        judge([
          ['x', 'failed', old],
          ['y', 'published', at(60)],
        ]),
      'cannot tell',
      /^only 1 of 2/,
    ],
    [
      'the other one was named',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'published', at(60)],
          ],
          { parts: [A] },
        ),
      'not done',
      /x failed/,
    ],
    [
      'the named one is gone',
      () => judge([['x', 'failed', old]], { parts: [B] }),
      'cannot tell',
      /has no target/,
    ],
    [
      'published long before',
      () => judge([['x', 'published', old]]),
      'cannot tell',
      /nothing to retry/,
    ],
    [
      'failed, but the platform has it',
      () =>
        judge([
          ['x', 'failed', old, { platformPostId: '1' }],
          ['y', 'published', at(9)],
        ]),
      'done',
      /^y published/,
    ],
    [
      'changed hours later',
      () => judge([['x', 'published', at(7200)]]),
      'cannot tell',
      /long after/,
    ],
    [
      'cancelled since',
      () => judge([['x', 'cancelled', at(60)]]),
      'cannot tell',
      /is cancelled since/,
    ],
    [
      'a new status',
      () => judge([['x', 'exploded', old]]),
      'cannot tell',
      /unknown status exploded/,
    ],
    ['no targets', () => judge([]), 'cannot tell', /no targets/],
    [
      'in the same moment',
      () => judge([['x', 'published', at(0)]]),
      'cannot tell',
      /at about the time/,
    ],
    ['a moment later', () => judge([['x', 'published', at(0.02)]]), 'done', /published/],
    [
      'later than whole seconds can say',
      () => judge([['x', 'published', whole(0.5)]]),
      'cannot tell',
      /about the time/,
    ],
    [
      'two seconds later, in whole seconds',
      () => judge([['x', 'published', whole(2)]]),
      'done',
      /published/,
    ],
    ['a second before', () => judge([['x', 'failed', at(-1)]]), 'cannot tell', /about the time/],
    [
      'clocks that are not known',
      () => judge([['x', 'published', at(60)]], { spanMs: 61_000 }),
      'cannot tell',
      /about/,
    ],
    ['no time', () => judge([['x', 'failed', 'yesterday']]), 'cannot tell', /about the time/],
    [
      'a post that changed since',
      () => judge([['x', 'failed', old]], { postAt: at(60) }),
      'cannot tell',
      /queued/,
    ],
    [
      'the same after a while',
      () => judge([['x', 'failed', old]], { postAt: at(60), ageS: 901 }),
      'not done',
      /failed/,
    ],
    [
      'behind another that is publishing',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'publishing', old],
          ],
          { parts: [A] },
        ),
      'cannot tell',
      /queued behind/,
    ],
  ])('%s', (_what, judged, expected, reason) => {
    const { verdict, why } = judged();
    expect([verdict, why]).toEqual([expected, expect.stringMatching(reason)]);
  });
});

describe('how it is told', () => {
  const minute = 60_000;

  it.each<readonly [string, () => ReturnType<typeof judge>, object]>([
    [
      'close, while it is publishing',
      () => judge([['x', 'publishing', at(0)]]),
      {
        why: `x ${A} changed at about the time it was sent (${at(0)})`,

        againMs: minute,
      },
    ],
    [
      'close, and settled',
      () => judge([['x', 'failed', at(0)]]),
      { why: `x ${A} changed at about the time it was sent (${at(0)})` },
    ],
    [
      'long after',
      () => judge([['x', 'published', at(900.02)]]),
      { why: `x ${A} changed long after it was sent (${at(900.02)})` },
    ],
    [
      'at the end of the time of its effect',
      () => judge([['x', 'published', at(900.01)]]),
      { verdict: 'done', why: `x published since ${at(900.01)}` },
    ],
    [
      'cancelled',
      () => judge([['x', 'cancelled', at(60)]]),
      { why: `x ${A} is cancelled since ${at(60)}` },
    ],
    [
      'one of two, while that is publishing',
      () =>
        judge([
          ['x', 'failed', old],
          ['y', 'publishing', at(60)],
        ]),
      { why: 'only 1 of 2 targets changed after it was sent', againMs: minute },
    ],
    [
      'one of two, settled',
      () =>
        judge([
          ['x', 'failed', old],
          ['y', 'published', at(60)],
        ]),
      { why: 'only 1 of 2 targets changed after it was sent' },
    ],
    [
      'both',
      () =>
        judge([
          ['x', 'failed', at(30)],
          ['y', 'published', at(60)],
        ]),
      { verdict: 'failed', why: `x failed since ${at(30)}, y published since ${at(60)}` },
    ],
    [
      'both, of which one moves',
      () =>
        judge([
          ['x', 'publishing', at(30)],
          ['y', 'published', at(60)],
        ]),
      {
        verdict: 'done',
        why: `x publishing since ${at(30)}, y published since ${at(60)}`,
        isMoving: true,
      },
    ],
    [
      'nothing to retry',
      () => judge([['x', 'published', old]]),
      { why: 'no target is failed and none changed since: there was nothing to retry' },
    ],
    [
      'untouched, a moment ago',
      () => judge([['x', 'failed', old]], { ageS: 59 }),
      { why: 'it was sent less than a minute ago and may not have begun', againMs: 1000 },
    ],
    [
      'untouched for a minute',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'failed', old],
          ],
          { ageS: 60 },
        ),
      {
        verdict: 'not done',
        why: `nothing changed for 60 s after it: x failed since ${old}, y failed since ${old}`,
      },
    ],
    [
      'a post that changed since',
      () => judge([['x', 'failed', old]], { postAt: at(60), ageS: 300 }),
      {
        why: 'the post changed after it was sent, its targets did not: it may be queued',
        againMs: 10 * minute,
      },
    ],
    [
      'a post that changed since with another target',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'published', at(60)],
          ],
          { parts: [A], postAt: at(60) },
        ),
      { verdict: 'not done', why: `nothing changed for 5 minutes after it: x failed since ${old}` },
    ],
    [
      'behind another that is publishing',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'publishing', old],
          ],
          { parts: [A], ageS: 899 },
        ),
      { why: `y ${B} is publishing: it may be queued behind that`, againMs: 1000 },
    ],
    [
      'behind another that has been publishing for long',
      () =>
        judge(
          [
            ['x', 'failed', old],
            ['y', 'publishing', old],
          ],
          { parts: [A], ageS: 900 },
        ),
      {
        verdict: 'not done',
        why: `nothing changed for 15 minutes after it: x failed since ${old}`,
      },
    ],
    [
      'a target that is gone',
      () => judge([['x', 'failed', old]], { parts: [B] }),
      { why: `the post has no target ${B} any more` },
    ],
    ['no targets', () => judge([]), { why: 'the post has no targets' }],
    [
      'no targets that were named',
      () => judge([['x', 'failed', old]], { parts: [] }),
      { why: 'the post has no targets' },
    ],
  ])('%s', (_what, judged, told) => {
    expect(judged()).toMatchObject({ verdict: 'cannot tell', ...told });
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
  ])('%s: %s', (side, updatedAt) => {
    const { verdict, why } = judge([['x', 'failed', updatedAt]]);
    const told = why.includes('about the time')
      ? 'close'
      : verdict === 'failed'
        ? 'after'
        : 'before';
    expect(told).toBe(side);
  });
});
