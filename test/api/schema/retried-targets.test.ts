// What a post says of a retry whose answer was lost, case by case.

import { describe, expect, it } from 'vitest';
import { judgeRetry } from '../../../src/api/schema/retried-targets.ts';

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
  }: {
    parts?: readonly string[];
    ageS?: number;
    postAt?: string;
    spanMs?: number;
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
  return judgeRetry({ updatedAt: postAt, targets }, { parts, sent, ageMs: ageS * 1000 });
}

const old = at(-3600);

describe('what became of a retry', () => {
  it.each<readonly [string, ReturnType<typeof judge>, string, RegExp]>([
    ['published since', judge([['x', 'published', at(60)]]), 'done', /^x published since 2026/],
    ['publishing since', judge([['x', 'publishing', at(1)]]), 'done', /publishing/],
    ['failed again', judge([['x', 'failed', at(60)]]), 'done', /failed since/],
    ['untouched', judge([['x', 'failed', old]]), 'not done', /failed since/],
    [
      'untouched, too early',
      judge([['x', 'failed', old]], { ageS: 59 }),
      'cannot tell',
      /less than a minute/,
    ],
    [
      'only one of two',
      judge([
        ['x', 'failed', old],
        ['y', 'published', at(60)],
      ]),
      'cannot tell',
      /^only 1 of 2/,
    ],
    [
      'the other one was named',
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
      judge([['x', 'failed', old]], { parts: [B] }),
      'cannot tell',
      /has no target/,
    ],
    ['published long before', judge([['x', 'published', old]]), 'cannot tell', /nothing to retry/],
    [
      'failed, but the platform has it',
      judge([
        ['x', 'failed', old, { platformPostId: '1' }],
        ['y', 'published', at(9)],
      ]),
      'done',
      /^y published/,
    ],
    ['changed hours later', judge([['x', 'published', at(7200)]]), 'cannot tell', /long after/],
    ['cancelled since', judge([['x', 'cancelled', at(60)]]), 'cannot tell', /is cancelled since/],
    ['a new status', judge([['x', 'exploded', old]]), 'cannot tell', /unknown status exploded/],
    ['no targets', judge([]), 'cannot tell', /no targets/],
    ['in the same moment', judge([['x', 'published', at(0)]]), 'cannot tell', /at about the time/],
    ['a moment later', judge([['x', 'published', at(0.02)]]), 'done', /published/],
    [
      'later than whole seconds can say',
      judge([['x', 'published', whole(0.5)]]),
      'cannot tell',
      /about the time/,
    ],
    [
      'two seconds later, in whole seconds',
      judge([['x', 'published', whole(2)]]),
      'done',
      /published/,
    ],
    ['a second before', judge([['x', 'failed', at(-1)]]), 'cannot tell', /about the time/],
    [
      'clocks that are not known',
      judge([['x', 'published', at(60)]], { spanMs: 61_000 }),
      'cannot tell',
      /about/,
    ],
    ['no time', judge([['x', 'failed', 'yesterday']]), 'cannot tell', /about the time/],
    [
      'a post that changed since',
      judge([['x', 'failed', old]], { postAt: at(60) }),
      'cannot tell',
      /queued/,
    ],
    [
      'the same after a while',
      judge([['x', 'failed', old]], { postAt: at(60), ageS: 901 }),
      'not done',
      /failed/,
    ],
    [
      'behind another that is publishing',
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
  ])('%s', (_what, { verdict, why }, expected, reason) => {
    expect([verdict, why]).toEqual([expected, expect.stringMatching(reason)]);
  });
});
