// The line that tells how far a batch is: whole words at any width, and a rate of what this run has done.

import { describe, expect, it } from 'vitest';
import { barLine, isLineDue, progressLine } from '../../../src/batch/report/progress.ts';

const standing = {
  total: 300,
  done: 100,
  before: 0,
  failed: 4,
  unknown: 0,
  moving: 0,
  elapsedMs: 20_000,
  pausedMs: 0,
  silentMs: 200,
  isWaiting: false,
};

describe('the bar', () => {
  it.each([
    [90, '██████░░░░░░░░░░░░░░  100 of 300 done, 4 failed · 5/s · 40s left · 20s elapsed'],
    [70, '███░░░░░░  100 of 300 done, 4 failed · 5/s · 40s left · 20s elapsed'],
    [60, '████░░░░░░░░░  100 of 300 done, 4 failed · 5/s · 40s left'],
    [50, '100 of 300 done, 4 failed · 5/s · 40s left'],
    [43, '██░░░░░  100 of 300 done, 4 failed · 5/s'],
    [30, '100 of 300 done, 4 failed'],
    [18, '100 of 300 done'],
    [4, '100 of 300 done'],
  ])('at %i columns has whole words', (width, line) => {
    expect(barLine(standing, width, true)).toBe(line);
  });

  it('draws with plain signs where others cannot be shown', () => {
    expect(barLine({ ...standing, failed: 0 }, 80, false)).toMatch(
      /^#{6}-{14} {2}100 of 300 done; 5\/s; 40s left; 20s elapsed$/,
    );
  });

  it('tells what nobody knows apart from what failed', () => {
    expect(progressLine({ ...standing, unknown: 2 })).toBe(
      '100 of 300 done, 4 failed, 2 unknown; 5/s; 40s left; 20s elapsed',
    );
    expect(barLine({ ...standing, failed: 0, unknown: 3 }, 80, true)).toContain(
      '100 of 300 done, 3 unknown · 5/s',
    );
  });

  it('says why nothing goes on: a pause with its end, or a service that does not answer', () => {
    expect(progressLine({ ...standing, silentMs: 12_900 })).toBe(
      '100 of 300 done, 4 failed; no response for 12s; 5/s; 40s left; 20s elapsed',
    );
    expect(progressLine({ ...standing, silentMs: 12_900, isWaiting: true })).toContain(
      '; no change for 12s; ',
    );
    const paused = { ...standing, silentMs: 9000, pausedMs: 19_200 };
    expect(progressLine(paused)).toContain(
      '4 failed; rate limited by the service, next request in 20s; 5/s',
    );
    expect(progressLine({ ...paused, done: 300 })).not.toContain('rate limited');
  });

  it('is as short as five signs, and full where there is nothing to do', () => {
    expect(barLine(standing, 66, true)).toBe(
      '█░░░░  100 of 300 done, 4 failed · 5/s · 40s left · 20s elapsed',
    );
    expect(barLine(standing, 65, true)).toBe(
      '██████░░░░░░░░░░░░  100 of 300 done, 4 failed · 5/s · 40s left',
    );
    expect(barLine(standing, 52, true)).toBe('█░░░░  100 of 300 done, 4 failed · 5/s · 40s left');
    expect(barLine(standing, 51, true)).toBe('100 of 300 done, 4 failed · 5/s · 40s left');
    const none = { ...standing, total: 0, done: 0, failed: 0, elapsedMs: 0 };
    expect(barLine(none, 80, false)).toBe(`${'#'.repeat(20)}  0 of 0 done; 0/s; 0s elapsed`);
    expect(progressLine({ ...none, total: 5 })).toBe('0 of 5 done; 0/s; 0s elapsed');
  });

  it.each([
    [1000, 10, 50_000, '0.2/s; 1h 22m left; 50s elapsed'],
    [300, 299, 23_000, '13/s; 1s left; 23s elapsed'],
    [300, 230, 100_000, '2.3/s; 31s left; 1m 40s elapsed'],
    [110, 100, 10_000, '10/s; 1s left; 10s elapsed'],
    [70, 10, 10_000, '1/s; 1m 0s left; 10s elapsed'],
    [69, 10, 10_000, '1/s; 59s left; 10s elapsed'],
    [3610, 10, 10_000, '1/s; 1h 0m left; 10s elapsed'],
    [3609, 10, 10_000, '1/s; 59m 59s left; 10s elapsed'],
    [7270, 10, 10_000, '1/s; 2h 1m left; 10s elapsed'],
    [10, 10, 1000, '10/s; 1s elapsed'],
  ])('of %i, %i of them after %i ms, says %s', (total, done, elapsedMs, rest) => {
    const line = progressLine({ ...standing, total, done, elapsedMs, failed: 0 });
    expect(line).toBe(`${done} of ${total} done; ${rest}`);
  });

  it('says that nobody answers after three seconds, and not at the end', () => {
    const quiet = { ...standing, failed: 0 };
    expect(progressLine({ ...quiet, silentMs: 2999 })).toBe(
      '100 of 300 done; 5/s; 40s left; 20s elapsed',
    );
    expect(progressLine({ ...quiet, silentMs: 3000 })).toContain('no response for 3s');
    expect(progressLine({ ...quiet, silentMs: 3000, done: 300 })).toBe(
      '300 of 300 done; 15/s; 20s elapsed',
    );
  });

  it('reckons without what an earlier run had done', () => {
    const resumed = {
      total: 1000,
      done: 910,
      before: 900,
      failed: 0,
      unknown: 0,
      moving: 0,
      elapsedMs: 10_000,
      pausedMs: 0,
      silentMs: 0,
      isWaiting: false,
    };
    expect(progressLine(resumed)).toBe('910 of 1000 done; 1/s; 1m 30s left; 10s elapsed');
  });
});

describe('a line where nothing is drawn', () => {
  /** The seconds at which there is one, when items end at these. */
  const linesAt = (ends: readonly number[], until: number): readonly number[] => {
    const lines: number[] = [];
    for (let at = 1; at <= until; at++) {
      const lastEnd = 1000 * (ends.findLast((end) => end <= at) ?? 0);
      const times = { at: 1000 * at, lastLine: 1000 * (lines.at(-1) ?? 0), lastEnd };
      if (isLineDue(times)) lines.push(at);
    }
    return lines;
  };

  it('comes every 30 seconds while items end', () => {
    const ends = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(linesAt(ends, 100)).toEqual([30, 60, 90]);
  });

  it('comes after 10, 30 and 60 seconds of silence, and every 30 from then on', () => {
    expect(linesAt([], 125)).toEqual([10, 30, 60, 90, 120]);
    expect(linesAt([2, 5], 100)).toEqual([15, 35, 65, 95]);
  });
});
