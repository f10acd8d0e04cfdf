// The line that says what is waited for: how a terminal draws it, and when it is written where nothing is drawn.

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fittedLine, isLineDue, liveLine, showProgress } from '../../src/output/progress.ts';

describe('the progress line without a terminal', () => {
  /** The seconds at which there is one, when items end at these. */
  const linesAt = (ends: readonly number[], until: number): readonly number[] => {
    const lines: number[] = [];
    for (let at = 1; at <= until; at++) {
      const lastChange = 1000 * (ends.findLast((end) => end <= at) ?? 0);
      const times = { at: 1000 * at, lastLineAt: 1000 * (lines.at(-1) ?? 0), lastChange };
      if (isLineDue(times)) lines.push(at);
    }
    return lines;
  };

  it('is written every 30 seconds while items end', () => {
    const ends = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(linesAt(ends, 100)).toEqual([30, 60, 90]);
  });

  it('is written after 10, 30 and 60 seconds of silence, then every 30', () => {
    expect(linesAt([], 125)).toEqual([10, 30, 60, 90, 120]);
    expect(linesAt([2, 5], 100)).toEqual([15, 35, 65, 95]);
  });
});

it('the progress line escapes control characters, and is cut between its parts', () => {
  expect(fittedLine(['a\u001bb', '; c'], 8)).toBe('a\\u{1b}b');
  expect(fittedLine(['aaa', '; c'], 6)).toBe('aaa; c');
  expect(fittedLine(['aaa', '; c'], 2)).toBe('aaa');
});

describe('the progress', () => {
  /** A display with what it has written, what it draws, and a clock that the test moves. */
  function shown(more: object = {}, isTerminal = true) {
    const clock = { now: 5000, pausedMs: 0 };
    const written: string[] = [];
    const drawn: { line?: () => string; isStopped?: boolean } = {};
    const live = {
      show: (line: () => string) => void (drawn.line = line),
      stop: () => void (drawn.isStopped = true),
    };
    const parts = () => [`at ${clock.now}`, ', and so on'];
    const progress = showProgress(
      { parts, pausedMs: () => clock.pausedMs, lastChange: () => 5000 },
      { quiet: false, accessible: false, debug: false, ...more },
      {
        stderr: { isTTY: isTerminal, columns: 20, write: async (text) => void written.push(text) },
        monotonic: () => clock.now,
        liveProgress: async () => (isTerminal ? live : undefined),
      },
    );
    onTestFinished(progress.stop);
    return { ...progress, clock, written, drawn };
  }
  const later = (ms = 250) => new Promise((resolve) => setTimeout(resolve, ms));

  it('is one line redrawn in place that fits the terminal', async () => {
    const { stop, clock, drawn, written } = shown();
    expect(drawn.line).toBeUndefined();
    await later();
    expect(drawn.line!()).toBe('at 5000');
    clock.now = 1;
    expect(drawn.line!()).toBe('at 1, and so on');
    stop();
    expect([drawn.isStopped, written]).toEqual([true, []]);
  });

  it('draws nothing for a short call, with --quiet, with --debug, or in accessible mode', async () => {
    const all = [
      shown(),
      shown({ quiet: true }),
      shown({ debug: true }),
      shown({ accessible: true }),
    ];
    all[0]!.stop();
    await later();
    for (const { drawn } of all) expect(drawn.line).toBeUndefined();
  });

  it('without a terminal is one line after a silence, or before a long pause, once for each', async () => {
    const [silent, paused, brief, quick] = [0, 0, 0, 0].map(() => shown({}, false));
    silent!.clock.now += 10_000;
    paused!.clock.pausedMs = 6000;
    paused!.redraw();
    expect(paused!.written).toEqual([]);
    brief!.clock.pausedMs = 3999;
    quick!.clock.now += 9999;
    await later(2200);
    expect(silent!.written).toEqual(['at 15000, and so on\n']);
    expect(paused!.written).toEqual(['at 5000, and so on\n']);
    expect([brief!.written, quick!.written]).toEqual([[], []]);
  });
});

describe('the redrawn progress line', () => {
  // ora draws nothing in place there.
  beforeEach(() => void vi.stubEnv('CI', undefined));
  afterEach(() => void vi.unstubAllEnvs());

  async function drawn() {
    const stream = Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 80,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { progress: await liveLine(stream), stream, text: () => text };
  }

  it('has a sign, and stays below other output', async () => {
    const { progress, stream, text } = await drawn();
    progress.show(() => '0 of 1');
    stream.write('a change\n');
    progress.show(() => '1 of 1');
    progress.stop();
    await expect.poll(text).toMatch(/[◐◓◑◒] 0 of 1.*a change\n.*[◐◓◑◒] 0 of 1.*[◐◓◑◒] 1 of 1/s);
    expect(text()).not.toContain('\u001b[?25l');
  });

  it('is redrawn once a second', async () => {
    const { progress, text } = await drawn();
    let asked = 0;
    progress.show(() => `looked ${++asked}`);
    await expect.poll(text, { timeout: 15_000 }).toContain('looked 2');
    progress.stop();
  });

  it('is not redrawn once it is stopped', async () => {
    const { progress } = await drawn();
    let asked = 0;
    progress.show(() => `looked ${++asked}`);
    progress.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(asked).toBe(1);
  });
});
