// What is waited for, below the bar: counts, the longest and the newest failures, in the room that there is.

import { describe, expect, it } from 'vitest';
import { waitingLines, type WaitingView } from '../../../src/batch/report/waiting-lines.ts';
import type { StandingParts } from '../../../src/batch/run/waiting-slots.ts';

interface View {
  readonly standings?: readonly (readonly [count: number, parts: StandingParts])[];
  readonly oldest?: readonly (readonly [id: string, startedAt: number])[];
  readonly failures?: readonly string[];
}

const view = ({ standings = [], oldest = [], failures = [] }: View): WaitingView => ({
  waited: {
    count: () => oldest.length,
    standings: () => standings.map(([count, parts]) => ({ text: '', count, parts })).values(),
    oldest: (most) => {
      expect(most).toBe(3);
      return oldest.map(([postId, startedAt]) => ({ input: { postId }, startedAt }));
    },
  },
  failures,
  now: 100_000,
  mask: (text) => text.replaceAll('secret', '[redacted]'),
});
const publishing = (kind: string) => [kind, 'publishing'] as const;
const one = [['Post', 35_500]] as const;

describe('the lines below the bar', () => {
  it('count by status and platform, the most frequent first, then name the longest and the failures', () => {
    const lines = waitingLines(
      view({
        standings: [
          [1, [['mastodon', 'queued']]],
          [12, [publishing('mastodon')]],
          [30, [publishing('linkedin')]],
          [10, [publishing('linkedin'), ['twitter', 'queued']]],
          [2, [['x', 'checking']]],
          [1, [['y', 'rare']]],
        ],
        oldest: [
          ['PostA', 1000],
          ['PostB', 40_999],
          ['PostC', 99_001],
        ],
        failures: ['PostD too long', 'PostE of a secret'],
      }),
      8,
      100,
    );
    expect(lines).toEqual([
      'publishing: 40 linkedin, 12 mastodon',
      'queued: 10 twitter, 1 mastodon',
      'checking: 2 x',
      'longest: PostA 1m 39s, PostB 59s, PostC 0s',
      'failed: PostD too long',
      'failed: PostE of a [redacted]',
    ]);
  });

  const full = {
    standings: ['a', 'b', 'c', 'd'].map((status, i) => [9 - i, [['x', status]]] as const),
    oldest: one,
    failures: ['F', 'G', 'H'],
  };
  it.each([
    [0, []],
    [1, []],
    [2, ['a: 9 x', 'longest: Post 1m 4s']],
    [3, ['a: 9 x', 'b: 8 x', 'longest: Post 1m 4s']],
    [4, ['a: 9 x', 'b: 8 x', 'c: 7 x', 'longest: Post 1m 4s']],
    [6, ['a: 9 x', 'b: 8 x', 'c: 7 x', 'longest: Post 1m 4s', 'failed: F', 'failed: G']],
  ])('of %i are those that matter most', (room, lines) => {
    expect(waitingLines(view(full), room, 100)).toEqual(lines);
  });

  it('are none where there is nothing to say, and failures alone where nothing is waited for', () => {
    expect(waitingLines(view({}), 8, 100)).toEqual([]);
    expect(waitingLines(view({ standings: [[1, [publishing('x')]]] }), 8, 100)).toEqual([]);
    expect(waitingLines(view({ failures: ['F'] }), 8, 100)).toEqual(['failed: F']);
    expect(waitingLines(view({ oldest: one, failures: ['F'] }), 8, 100)).toEqual([
      'longest: Post 1m 4s',
      'failed: F',
    ]);
  });

  const names = {
    oldest: [
      ['PostA', 35_000],
      ['PostB', 35_000],
    ] as const,
  };
  it.each([
    [26, 'longest: PostA 1m 5s, ...'],
    [33, 'longest: PostA 1m 5s, ...'],
    [34, 'longest: PostA 1m 5s, PostB 1m 5s'],
  ])('at %i columns are cut between names', (width, line) => {
    expect(waitingLines(view(names), 8, width)).toEqual([line]);
  });

  it('are cut inside a text that names one thing', () => {
    const lines = (width: number) => waitingLines(view({ failures: ['x'.repeat(20)] }), 8, width);
    expect(lines(29)).toEqual([`failed: ${'x'.repeat(20)}`]);
    expect(lines(28)).toEqual([`failed: ${'x'.repeat(16)}...`]);
    expect(lines(3)).toEqual(['...']);
  });

  it('have no letter that may be wider than one column, and nothing that drives the terminal', () => {
    const failures = ['é日\u001b[31m', 'plain ~!'];
    expect(waitingLines(view({ failures }), 8, 100)).toEqual([
      String.raw`failed: ??\u{1b}[31m`,
      'failed: plain ~!',
    ]);
  });
});
