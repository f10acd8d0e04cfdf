// The progress of a batch on stderr: a bar drawn in place on a terminal, a line every ten seconds elsewhere.

import { formatTwoUnits } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import { ERASE_LINE } from '../../base/sanitize.ts';
import type { Settings } from '../../config/settings.ts';
import type { ItemVerdict } from '../run/scheduler.ts';

export interface BatchStanding {
  readonly total: number;
  /** Items that have ended, those of an earlier run included. */
  readonly done: number;
  /** Items that an earlier run had done; they count for no rate. */
  readonly before: number;
  readonly failed: number;
  /** Items whose outcome is unknown. */
  readonly unknown: number;
  readonly elapsedMs: number;
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  readonly pausedMs: number;
  /** Milliseconds since the last item ended. */
  readonly silentMs: number;
}

/** A silence that is worth a word. */
const SILENCE_MS = 3000;
const BAR = 20;
/** A shorter bar says nothing. */
const SHORTEST_BAR = 5;
const GAP = '  ';
/** Columns that stay free: Ctrl-C shows as ^C behind the line, which must not wrap because of it. */
const ECHO = 2;

/**
 * `████████░░░░░░░░░░░░  400 of 1000  3 failed  52/s  12s left`, in less than `width` columns: the bar becomes shorter,
 * then it goes, and then the last parts.
 */
export function barLine(standing: BatchStanding, width: number, unicode: boolean): string {
  const room = width - 1 - ECHO;
  const shown = [...parts(standing)];
  while (shown.length > 1 && shown.join(GAP).length > room) shown.pop();
  const text = shown.join(GAP);
  const columns = Math.min(BAR, room - text.length - GAP.length);
  return columns < SHORTEST_BAR ? text : bar(standing, columns, unicode) + GAP + text;
}

function bar({ total, done }: BatchStanding, columns: number, unicode: boolean): string {
  const filled = total === 0 ? columns : Math.floor((columns * Math.min(done, total)) / total);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return full.repeat(filled) + empty.repeat(columns - filled);
}

/** `400 of 1000, 3 failed, 52/s, 12s left`: for a log. */
export const progressLine = (standing: BatchStanding): string => parts(standing).join(', ');

function parts(standing: BatchStanding): readonly string[] {
  const { total, done, before, failed, unknown, elapsedMs } = standing;
  const perSecond = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  return [
    `${done} of ${total}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...standstill(standing),
    `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
    ...(done < total && Number.isFinite(left) ? [`${formatTwoUnits(left)} left`] : []),
  ];
}

/** Why nothing ends: a pause, with the time left of it, or a service that does not answer. */
function standstill({ total, done, pausedMs, silentMs }: BatchStanding): readonly string[] {
  if (done >= total) return [];
  if (pausedMs > 0)
    return [`rate limited by the service, next request in ${formatTwoUnits(pausedMs / 1000)}`];
  return silentMs < SILENCE_MS
    ? []
    : [`no response for ${formatTwoUnits(Math.floor(silentMs / 1000))}`];
}

export interface BatchProgress {
  /** One more item has ended. */
  done(verdict: ItemVerdict): void;
  /** An earlier run had done one more. */
  skip(): void;
  /** Erases the drawn line, because something else is about to be written. */
  clear(): void;
  /** The progress as one line, for SIGUSR1. */
  line(): string;
  /** Draws the line again where it has been drawn before. */
  redraw(): void;
  stop(): void;
}

const DRAW_MS = 200;
const LINE_MS = 10_000;
const SECOND_MS = 1000;
/** A pause that gets a line of its own where nothing is drawn. */
const LONG_PAUSE_MS = 5000;
const nothing = () => undefined;

/** Starts the display; there is none with `--quiet`. `pausedMs` gives how long a pause still lasts. */
export async function batchProgress(
  total: number,
  pausedMs: () => number,
  { quiet, accessible }: Settings,
  { stderr, env, monotonic }: Runtime,
): Promise<BatchProgress> {
  const start = monotonic();
  const now = { ended: 0, failed: 0, unknown: 0, before: 0 };
  let lastEnd = start;
  const counters = {
    done(verdict: ItemVerdict) {
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
  const line = () => progressLine(standing());
  if (quiet) return { ...counters, line, clear: nothing, redraw: nothing, stop: nothing };

  const draws =
    stderr.isTTY &&
    stderr.columns !== undefined &&
    env['TERM'] !== 'dumb' &&
    !env['CI'] &&
    !accessible;
  const { isUnicode } = await import('../../output/locale.ts');
  let [drawn, begun] = [false, false];
  // The window may have been resized since the last time.
  const draw = () => {
    [drawn, begun] = [true, true];
    void stderr.write(ERASE_LINE + barLine(standing(), stderr.columns ?? 80, isUnicode(env)));
  };
  const writeLine = () => void stderr.write(`${line()}\n`);
  let pauseShown = false;
  const writePause = () => {
    const left = pausedMs();
    const isLong = left >= LONG_PAUSE_MS - SECOND_MS;
    if (isLong && !pauseShown) writeLine();
    pauseShown = left > 0 && (pauseShown || isLong);
  };
  const timers = draws
    ? [setInterval(draw, DRAW_MS)]
    : [setInterval(writeLine, LINE_MS), setInterval(writePause, SECOND_MS)];
  for (const timer of timers) timer.unref();
  const clear = () => {
    if (drawn) void stderr.write(ERASE_LINE);
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
