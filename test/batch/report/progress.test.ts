// The line that tells how far a batch is: whole words at any width, and a rate of what this run has done.

import { describe, expect, it, onTestFinished } from 'vitest';
import {
  barLine,
  batchProgress,
  isLineDue,
  progressLine,
} from '../../../src/batch/report/progress.ts';

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
    [28, '100 of 300 done, 4 failed'],
    [27, '██░░░░░  100 of 300 done'],
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
    [1000, 104, 10_000, '10/s; 1m 27s left; 10s elapsed'],
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

describe('the progress of a batch', () => {
  interface Scene {
    readonly tty?: boolean;
    readonly columns?: number | undefined;
    readonly rows?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly settings?: object;
    readonly isWaiting?: boolean;
    readonly waiting?: number;
  }

  /** A display of ten records, with what it has written and a clock that the test moves. */
  async function shown(scene: Scene = {}) {
    const { tty = false, columns, rows, env = {}, settings = {}, isWaiting = false } = scene;
    const clock = { now: 5000, pausedMs: 0 };
    const written: string[] = [];
    const screen: { columns: number | undefined } = { columns };
    const stderr = {
      isTTY: tty,
      get columns() {
        return screen.columns;
      },
      rows,
      write: async (text: string) => void written.push(text),
    };
    const waited = {
      count: () => scene.waiting ?? 0,
      standings: () =>
        [{ text: '', count: 2, parts: [['linkedin', 'publishing']] }].values() as never,
      oldest: () => [{ input: { postId: 'PostA' }, startedAt: 0 }],
    };
    const counts = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, before: 0 };
    const progress = await batchProgress(
      10,
      {
        counts,
        pausedMs: () => clock.pausedMs,
        isWaiting,
        waited: () => (scene.waiting === undefined ? undefined : waited),
      },
      settings as never,
      {
        stderr,
        env: { LANG: 'C.UTF-8', ...env },
        monotonic: () => clock.now,
        secrets: { mask: (text: string) => text.replaceAll('secret', '[redacted]') },
      } as never,
    );
    onTestFinished(progress.stop);
    /** One more item ends so. */
    const ends = (verdict: keyof typeof counts, failure?: string) => {
      counts[verdict]++;
      progress.done(failure);
    };
    return { progress, ends, counts, clock, written, screen };
  }
  const drawn = () => new Promise((resolve) => setTimeout(resolve, 250));

  it('counts what has ended, what failed, and what an earlier run had done', async () => {
    const { progress, ends, counts, clock } = await shown();
    for (const verdict of ['ok', 'failed', 'unknown', 'skipped', 'failed'] as const) ends(verdict);
    counts.before++;
    clock.now = 7000;
    expect(progress.line()).toBe('6 of 10 done, 2 failed, 1 unknown; 2.5/s; 2s left; 2s elapsed');
    clock.now = 9000;
    expect(progress.line()).toBe(
      '6 of 10 done, 2 failed, 1 unknown; no response for 4s; 1.3/s; 4s left; 4s elapsed',
    );
    clock.pausedMs = 3000;
    ends('ok');
    expect(progress.line()).toContain('; rate limited by the service, next request in 3s; 1.5/s');
  });

  it('counts what is waited for', async () => {
    const { progress, clock } = await shown({ isWaiting: true, waiting: 4 });
    clock.now = 9000;
    expect(progress.line()).toBe('0 of 10 done, 4 in progress; no change for 4s; 0/s; 4s elapsed');
  });

  it('with --quiet says nothing but when it is asked', async () => {
    const { progress, ends, written } = await shown({
      tty: true,
      columns: 80,
      settings: { quiet: true },
    });
    ends('ok');
    await drawn();
    for (const step of [progress.clear, progress.redraw, progress.stop]) step();
    expect([progress.line(), written]).toEqual(['1 of 10 done; 0/s; 0s elapsed', []]);
  });

  it('is drawn in place on a terminal that can draw, where nobody reads it aloud', async () => {
    const scenes: readonly Scene[] = [
      {},
      { env: { CI: 'true' } },
      { env: { TERM: 'dumb' } },
      { columns: undefined },
      { tty: false },
      { settings: { accessible: true } },
    ];
    const all = await Promise.all(
      scenes.map((scene) => shown({ tty: true, columns: 80, ...scene })),
    );
    await drawn();
    expect(all.map(({ written }) => written.length > 0)).toEqual([
      true,
      ...scenes.slice(1).map(() => false),
    ]);
  });

  it('is drawn again in its place, below it what is waited for', async () => {
    const { progress, ends, written, screen } = await shown({
      tty: true,
      columns: 60,
      rows: 24,
      isWaiting: true,
      waiting: 2,
    });
    progress.redraw();
    expect(written).toEqual([]);
    for (const failure of ['P1 one', 'P2 two', 'P3 of a secret', 'P4 four'])
      ends('failed', failure);
    await drawn();
    const line = '\r\u001b[2K';
    const above = `\u001b[A${line}`;
    const lines = [
      '████░░░░░░░░  4 of 10 done, 4 failed, 2 in progress · 0/s',
      'publishing: 2 linkedin',
      'longest: PostA 5s',
      'failed: P4 four',
      'failed: P3 of a [redacted]',
      'failed: P2 two',
    ];
    expect(written).toEqual([`${line}${lines.join('\n')}`]);
    const erase = line + above.repeat(5);
    written.length = 0;
    progress.clear();
    progress.clear();
    progress.redraw();
    expect(written).toEqual([erase, `${line}${lines.join('\n')}`]);
    // Half as wide, the first line has been wrapped.
    written.length = 0;
    screen.columns = 30;
    expect(progress.line()).toMatch(/^4 of 10 done/);
    expect(written).toEqual([erase + above]);
    progress.redraw();
    written.length = 0;
    progress.stop();
    progress.redraw();
    await drawn();
    expect(written).toEqual([expect.stringMatching(/^\r\u001b\[2K(?:\u001b\[A\r\u001b\[2K)*$/)]);
  });

  it('has as many lines as the window has room for, each within its width', async () => {
    const scene = { tty: true, columns: 60, isWaiting: true, waiting: 2 };
    const [low, lines, wide] = await Promise.all([
      shown({ ...scene, rows: 4 }),
      shown({ tty: true, columns: 60, isWaiting: true }),
      shown(scene),
    ]);
    low.ends('failed', 'P1');
    wide.ends('ok');
    wide.ends('failed', 'x'.repeat(47));
    wide.ends('failed', 'y'.repeat(50));
    await drawn();
    expect(low.written[0]!.split('\n')).toHaveLength(3);
    expect(lines.written[0]).toMatch(/0 of 10 done · 0\/s · 0s elapsed$/);
    expect(wide.written[0]!.split('\n').slice(3)).toEqual([
      `failed: ${'y'.repeat(46)}...`,
      `failed: ${'x'.repeat(47)}`,
    ]);
  });

  it('where nothing is drawn is a line after a silence, or a short one before a long pause', async () => {
    const [silent, paused, brief, quick] = await Promise.all([shown(), shown(), shown(), shown()]);
    silent.clock.now += 10_000;
    paused.clock.pausedMs = 4000;
    brief.clock.pausedMs = 3999;
    quick.clock.now += 9999;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(silent.written).toEqual(['0 of 10 done; no response for 10s; 0/s; 10s elapsed\n']);
    const pause = 'rate limited by the service, next request in 4s';
    expect(paused.written).toEqual([`0 of 10 done; ${pause}; 0/s; 0s elapsed\n`]);
    expect([brief.written, quick.written]).toEqual([[], []]);
  });

  it('says each pause and each silence once', async () => {
    const [silent, paused, two, over] = await Promise.all([shown(), shown(), shown(), shown()]);
    silent.clock.now += 10_000;
    for (const { clock } of [paused, two, over]) clock.pausedMs = 9000;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    two.clock.pausedMs = 1000;
    over.clock.pausedMs = 0;
    await new Promise((resolve) => setTimeout(resolve, 950));
    expect([silent, paused, two, over].map(({ written }) => written.length)).toEqual([1, 1, 1, 1]);
  });
});
