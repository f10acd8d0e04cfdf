// The line that tells how far a batch is: whole words at any width, and a rate of what this run has done.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import { batchProgress } from '../../../src/batch/report/progress.ts';
import { fittedLine } from '../../../src/output/progress.ts';

const standing = {
  total: 300,
  done: 100,
  before: 0,
  failed: 4,
  waits: 0,
  elapsedMs: 20_000,
  pausedMs: 0,
  silentMs: 200,
};

const busy = new Failure('rate_limited', { what: 'HTTP 503', status: 503 });
const limited = new Failure('rate_limited', { what: 'HTTP 429', status: 429, isLasting: false });

/** The line of a batch that stands so, or the sum below its board. */
function progressLine(now: typeof standing, width?: number, pausedBy?: Failure, board?: true) {
  const { total, done, before, failed, waits, elapsedMs, pausedMs, silentMs } = now;
  const clock = { now: 0 };
  const counts = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, before: 0 };
  const limiter = { pausedMs: () => pausedMs, pausedBy: () => pausedBy };
  const view = batchProgress({ count: total, counts, waits, unwaited: 0 }, limiter, {
    monotonic: () => clock.now,
  });
  Object.assign(counts, { ok: done - before - failed, failed, before });
  clock.now = elapsedMs - silentMs;
  view.lastChange!();
  clock.now = elapsedMs;
  return board ? view.lines(100, 20).at(-1)! : fittedLine(view.parts(), width);
}

describe('the progress line', () => {
  it.each([
    [80, '96 of 300 done, 4 failed; 5/s; 40s left; 20s elapsed'],
    [38, '96 of 300 done, 4 failed; 5/s'],
    [28, '96 of 300 done, 4 failed'],
    [4, '96 of 300 done'],
  ])('in %i columns drops whole parts, never half of one', (width, line) => {
    expect(progressLine(standing, width)).toBe(line);
  });

  it('gives the reason for a pause: its end, or a service that does not respond', () => {
    expect(progressLine({ ...standing, silentMs: 12_900 })).toBe(
      '96 of 300 done, 4 failed; no response for 12s; 5/s; 40s left; 20s elapsed',
    );
    expect(progressLine({ ...standing, silentMs: 12_900, waits: 3 })).toContain(
      '; no change for 12s; ',
    );
    const paused = { ...standing, silentMs: 9000, pausedMs: 19_200 };
    expect(progressLine(paused)).toContain(
      '4 failed; rate limited by the service, next request in 20s; 5/s',
    );
    expect(progressLine({ ...paused, done: 300 })).not.toContain('rate limited');
    expect(progressLine(paused, undefined, busy)).toContain(
      '; HTTP 503, asks to wait, next request in 20s; ',
    );
  });

  it('is a sum below a board, with the pause and its end', () => {
    expect(progressLine(standing, 0, undefined, true)).toBe(
      'done 96  failed 4  unknown 0  left 200     0:20',
    );
    const paused = { ...standing, pausedMs: 47_200 };
    expect(progressLine(paused, 0, limited, true)).toMatch(/0:20 {2}rate limited; opens in 0:48$/);
    expect(progressLine(paused, 0, busy, true)).toMatch(
      /0:20 {2}HTTP 503, asks to wait; next request in 0:48$/,
    );
    expect(progressLine({ ...standing, silentMs: 9000 }, 0, undefined, true)).toMatch(
      /0:20 {2}no response for 9s$/,
    );
  });

  it.each([
    [1000, 10, 50_000, '0.2/s; 1h 22m left; 50s elapsed'],
    [300, 299, 23_000, '13/s; 1s left; 23s elapsed'],
    [10, 10, 1000, '10/s; 1s elapsed'],
  ])('of %i items, %i of them after %i ms, shows %s', (total, done, elapsedMs, rest) => {
    const line = progressLine({ ...standing, total, done, elapsedMs, failed: 0 });
    expect(line).toBe(`${done} of ${total} done; ${rest}`);
  });

  it('reports a silent service after three seconds, and not at the end', () => {
    const quiet = { ...standing, failed: 0 };
    expect(progressLine({ ...quiet, silentMs: 2999 })).toBe(
      '100 of 300 done; 5/s; 40s left; 20s elapsed',
    );
    expect(progressLine({ ...quiet, silentMs: 3000 })).toContain('no response for 3s');
    expect(progressLine({ ...quiet, silentMs: 3000, done: 300 })).toBe(
      '300 of 300 done; 15/s; 20s elapsed',
    );
  });

  it('estimates without the records done by an earlier run', () => {
    const earlier = { total: 1000, done: 910, before: 900, failed: 0 };
    const resumed = { ...standing, ...earlier, elapsedMs: 10_000 };
    expect(progressLine(resumed)).toBe('910 of 1000 done; 1/s; 1m 30s left; 10s elapsed');
  });
});
