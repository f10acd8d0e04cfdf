// Tells on stderr how far a batch is: a line drawn in place on a terminal, a line every ten seconds elsewhere.

import type { Verdict } from '../call/batch.ts';
import { barLine, standingLine } from '../output/bar.ts';
import { ERASE } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

export interface BatchProgress {
  /** One more item has ended. */
  done(verdict: Verdict): void;
  /** Tells from now on of pauses: `pausedMs` gives how long one still lasts. */
  watchPauses(pausedMs: () => number): void;
  /** An earlier run had done one more. */
  skip(): void;
  /** Takes the drawn line away, because something else is about to be written. */
  clear(): void;
  /** The same as a line, for who asks. */
  line(): string;
  /** Draws it again where it has been drawn before. */
  redraw(): void;
  stop(): void;
}

const DRAW_MS = 200;
const LINE_MS = 10_000;
const SECOND_MS = 1000;
/** A pause of which there is a line of its own, where nothing is drawn. */
const LONG_PAUSE_MS = 5000;
const nothing = () => undefined;
const notPaused = () => 0;

/** Starts telling; says nothing where the user asked for quiet. */
export async function batchProgress(
  total: number,
  { quiet, accessible }: Settings,
  { stderr, env, monotonic }: World,
): Promise<BatchProgress> {
  const start = monotonic();
  const now = { ended: 0, failed: 0, unknown: 0, before: 0 };
  let lastEnd = start;
  let pausedMs = notPaused;
  const counters = {
    watchPauses: (from: () => number) => void (pausedMs = from),
    done(verdict: Verdict) {
      now.ended++;
      lastEnd = monotonic();
      if (verdict === 'failed' || verdict === 'unknown') now[verdict]++;
    },
    skip: () => void now.before++,
  };
  const standing = () => {
    const { ended, ...counts } = now;
    const at = monotonic();
    const times = { elapsedMs: at - start, silentMs: at - lastEnd, pausedMs: pausedMs() };
    return { ...counts, ...times, total, done: ended + now.before };
  };
  const line = () => standingLine(standing());
  if (quiet) return { ...counters, line, clear: nothing, redraw: nothing, stop: nothing };

  const draws =
    stderr.isTTY &&
    stderr.columns !== undefined &&
    env['TERM'] !== 'dumb' &&
    !env['CI'] &&
    !accessible;
  const { isUnicode } = await import('../output/locale.ts');
  let [drawn, begun] = [false, false];
  // The window may have become another since it was drawn last.
  const draw = () => {
    [drawn, begun] = [true, true];
    void stderr.write(ERASE + barLine(standing(), stderr.columns ?? 80, isUnicode(env)));
  };
  const tell = () => void stderr.write(`${line()}\n`);
  const timers = draws
    ? [setInterval(draw, DRAW_MS)]
    : [
        setInterval(tell, LINE_MS),
        setInterval(
          eachPause(() => pausedMs(), tell),
          SECOND_MS,
        ),
      ];
  for (const timer of timers) timer.unref();
  const clear = () => {
    if (drawn) void stderr.write(ERASE);
    drawn = false;
  };
  return {
    ...counters,
    clear,
    line: () => {
      clear();
      return line();
    },
    redraw: () => {
      if (begun) draw();
    },
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      begun = false;
      clear();
    },
  };
}

/** Looks for a pause and tells of it once, where it is long enough. */
function eachPause(pausedMs: () => number, tell: () => void): () => void {
  let isTold = false;
  return () => {
    const left = pausedMs();
    if (!isTold && left >= LONG_PAUSE_MS - SECOND_MS) tell();
    isTold = left > 0 && (isTold || left >= LONG_PAUSE_MS - SECOND_MS);
  };
}
