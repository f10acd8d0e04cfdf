// Durations as they are shown to people.

import { describe, expect, it } from 'vitest';
import {
  DURATION_PATTERN,
  formatRoughDuration,
  formatTwoUnits,
  parseAge,
  relativeTime,
} from '../../src/base/durations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [1, '1 s'],
    [1000, '1 s'],
    [1001, '2 s'],
    [90_000, '90 s'],
    [2 * MINUTE - 1, '120 s'],
    [2 * MINUTE, '2 minutes'],
    [2 * MINUTE + 1, '3 minutes'],
    [2 * HOUR - 1, '120 minutes'],
    [2 * HOUR, '2 hours'],
    [2 * DAY - 1, '48 hours'],
    [2 * DAY, '2 days'],
    [30 * DAY, '30 days'],
  ])('of %i ms is roughly %s', (ms, shown) => {
    expect(formatRoughDuration(ms)).toBe(shown);
  });

  it.each([
    [0, '0s'],
    [0.2, '1s'],
    [42, '42s'],
    [59, '59s'],
    [59.1, '1m 0s'],
    [60, '1m 0s'],
    [200, '3m 20s'],
    [3599, '59m 59s'],
    [3600, '1h 0m'],
    [3659, '1h 0m'],
    [7500, '2h 5m'],
    [90_000, '25h 0m'],
  ])('of %d seconds is %s', (seconds, shown) => {
    expect(formatTwoUnits(seconds)).toBe(shown);
  });

  it.each([
    [0, 'now'],
    [499, 'now'],
    [-499, 'now'],
    [500, 'in 1 second'],
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

  it('of an age is a number of four digits at most, or any that is a duration', () => {
    expect(['9999d', '1w', '90s', '0s', '0000000001s', '07d'].map(parseAge)).toEqual([
      9999 * DAY,
      7 * DAY,
      90_000,
      undefined,
      undefined,
      7 * DAY,
    ]);
  });

  it('has a form that JSON Schema takes', () => {
    expect(DURATION_PATTERN).toBe('^\\d{1,9}(?:ms|s|m|h)$');
  });
});
