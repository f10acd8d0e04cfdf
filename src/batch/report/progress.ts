// Tells on stderr how far a batch is: a line drawn in place on a terminal, a line every ten seconds elsewhere.

import { formatTwoUnits } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import { ERASE_LINE } from '../../base/sanitize.ts';
import type { Settings } from '../../config/settings.ts';
import type { ItemVerdict } from '../run/scheduler.ts';

// How far a batch has come, as one line: a bar, done, failed, unknown, why it stands still, rate, time left. Pure.

export interface BatchStanding {
  readonly total: number;
  /** Those that have ended, and those that an earlier run had done. */
  readonly done: number;
  /** Those that an earlier run had done: they took no time. */
  readonly before: number;
  readonly failed: number;
  /** Those of which nobody knows what became of them. */
  readonly unknown: number;
  readonly elapsedMs: number;
  /** Milliseconds until requests go out again, where the service asked for a pause; else 0. */
  readonly pausedMs: number;
  /** Milliseconds since the last one ended. */
  readonly silentMs: number;
}

/** A silence that is worth a word. */
const SILENCE_MS = 3000;
const BAR = 20;
/** A bar that is shorter says nothing. */
const SHORTEST_BAR = 5;
const GAP = '  ';
/** Columns that stay free: Ctrl-C shows as ^C behind the line, which must not become two by it. */
const ECHO = 2;

/**
 * `████████░░░░░░░░░░░░  400 of 1,000  3 failed  52/s  12s left`, under `width` columns. Where that is too little the
 * bar becomes shorter, then it goes, and then what stands last.
 */
export function barLine(standing: BatchStanding, width: number, unicode: boolean): string {
  const room = width - 1 - ECHO;
  const told = [...parts(standing)];
  while (told.length > 1 && told.join(GAP).length > room) told.pop();
  const text = told.join(GAP);
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

/** Why nothing goes on: a pause with its end, or a service that does not answer. */
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
  { stderr, env, monotonic }: Runtime,
): Promise<BatchProgress> {
  const start = monotonic();
  const now = { ended: 0, failed: 0, unknown: 0, before: 0 };
  let lastEnd = start;
  let pausedMs = notPaused;
  const counters = {
    watchPauses: (from: () => number) => void (pausedMs = from),
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
  // The window may have become another since it was drawn last.
  const draw = () => {
    [drawn, begun] = [true, true];
    void stderr.write(ERASE_LINE + barLine(standing(), stderr.columns ?? 80, isUnicode(env)));
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

/** Looks for a pause and tells of it once, where it is long enough. */
function eachPause(pausedMs: () => number, tell: () => void): () => void {
  let isTold = false;
  return () => {
    const left = pausedMs();
    if (!isTold && left >= LONG_PAUSE_MS - SECOND_MS) tell();
    isTold = left > 0 && (isTold || left >= LONG_PAUSE_MS - SECOND_MS);
  };
}
