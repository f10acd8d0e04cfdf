// Durations as they are shown to people.

import { describe, expect, it } from 'vitest';
import { formatDuration, parseAge, relativeTime } from '../../src/base/durations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [1, '1ms'],
    [300, '300ms'],
    [1000, '1s'],
    [1001, '2s'],
    [59_000, '59s'],
    [59_100, '1m'],
    [200_000, '3m 20s'],
    [3599_000, '59m 59s'],
    [HOUR, '1h'],
    [HOUR + 59_000, '1h'],
    [7500_000, '2h 5m'],
    [25 * HOUR + 60_000, '1d 1h'],
    [30 * DAY, '30d'],
  ])('of %i ms is %s', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  it.each([
    [0, 'now'],
    [499, 'now'],
    [-499, 'now'],
    [500, 'now'],
    [4999, 'now'],
    [5000, 'in 5 seconds'],
    [-1000, '1 second ago'],
    [-2000, '2 seconds ago'],
    [59_499, 'in 59 seconds'],
    [59_500, 'in 1 minute'],
    [MINUTE, 'in 1 minute'],
    [-3 * MINUTE, '3 minutes ago'],
    [59.6 * MINUTE, 'in 1 hour'],
    [-HOUR, '1 hour ago'],
    [23 * HOUR, 'in 23 hours'],
    [23.6 * HOUR, 'in 1 day'],
    [2 * DAY, 'in 2 days'],
    [-400 * DAY, '400 days ago'],
  ])('to %i ms from now is %s', (ms, shown) => {
    expect(relativeTime(ms)).toBe(shown);
  });

  it('that is an age is a number of up to four digits, or any duration, also above 24 hours', () => {
    expect(['36h', '9999d', '1w', '90s', '0s', '0000000001s', '07d'].map(parseAge)).toEqual([
      36 * HOUR,
      9999 * DAY,
      7 * DAY,
      90_000,
      undefined,
      undefined,
      7 * DAY,
    ]);
  });
});
