// The line that tells how far a batch is: whole words at any width, and a rate of what this run has done.

import { describe, expect, it } from 'vitest';
import { barLine, progressLine } from '../../../src/batch/report/progress.ts';

const standing = {
  total: 300,
  done: 100,
  before: 0,
  failed: 4,
  unknown: 0,
  elapsedMs: 20_000,
  pausedMs: 0,
  silentMs: 200,
};

describe('the bar', () => {
  it.each([
    [80, '██████░░░░░░░░░░░░░░  100 of 300  4 failed  5/s  40s left'],
    [50, '███░░░░░░░  100 of 300  4 failed  5/s  40s left'],
    [38, '100 of 300  4 failed  5/s  40s left'],
    [30, '100 of 300  4 failed  5/s'],
    [12, '100 of 300'],
    [4, '100 of 300'],
  ])('at %i columns has whole words', (width, line) => {
    expect(barLine(standing, width, true)).toBe(line);
  });

  it('draws with plain signs where others cannot be shown', () => {
    expect(barLine({ ...standing, failed: 0 }, 80, false)).toMatch(
      /^#{6}-{14} {2}100 of 300 {2}5\/s/,
    );
  });

  it('tells what nobody knows apart from what failed', () => {
    expect(progressLine({ ...standing, unknown: 2 })).toBe(
      '100 of 300, 4 failed, 2 unknown, 5/s, 40s left',
    );
    expect(barLine({ ...standing, failed: 0, unknown: 3 }, 80, true)).toContain(
      '100 of 300  3 unknown  5/s',
    );
  });

  it('says why nothing goes on: a pause with its end, or a service that does not answer', () => {
    expect(progressLine({ ...standing, silentMs: 12_900 })).toBe(
      '100 of 300, 4 failed, no response for 12s, 5/s, 40s left',
    );
    const paused = { ...standing, silentMs: 9000, pausedMs: 19_200 };
    expect(progressLine(paused)).toContain(
      '4 failed, rate limited by the service, next request in 20s, 5/s',
    );
    expect(progressLine({ ...paused, done: 300 })).not.toContain('rate limited');
  });

  it('reckons without what an earlier run had done', () => {
    const resumed = {
      total: 1000,
      done: 910,
      before: 900,
      failed: 0,
      unknown: 0,
      elapsedMs: 10_000,
      pausedMs: 0,
      silentMs: 0,
    };
    expect(progressLine(resumed)).toBe('910 of 1000, 1/s, 1m 30s left');
  });
});
