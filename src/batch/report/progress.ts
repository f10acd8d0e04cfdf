// The progress of a batch on stderr: on a terminal a bar, with what is waited for below it, drawn in place; elsewhere a
// line every 30 seconds and after a silence.

import { formatTwoUnits } from '../../base/durations.ts';
import type { OutputStream, Runtime } from '../../base/runtime.ts';
import { ERASE_LINE, ERASE_LINE_ABOVE } from '../../base/sanitize.ts';
import type { Settings } from '../../config/settings.ts';
import type { BatchCounts } from './summary.ts';
import { waitingLines, type WaitedItems } from './waiting-lines.ts';

interface BatchStanding {
  readonly total: number;
  /** Items that have ended, those of an earlier run included. */
  readonly done: number;
  /** Items that an earlier run had done; they count for no rate. */
  readonly before: number;
  readonly failed: number;
  /** Items whose outcome is unknown. */
  readonly unknown: number;
  /** Items that are waited for. */
  readonly moving: number;
  readonly elapsedMs: number;
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  readonly pausedMs: number;
  /** Milliseconds since the last item ended. */
  readonly silentMs: number;
  /** Whether each item is waited for: then none ends for a while although the service responds. */
  readonly isWaiting: boolean;
}

const SECOND_MS = 1000;
/** A silence that is worth a word. */
const SILENCE_MS = 3000;
const BAR = 20;
/** A shorter bar says nothing. */
const SHORTEST_BAR = 5;
const GAP = '  ';
const DOT = ' · ';
const SEMICOLON = '; ';
/** Columns that stay free: Ctrl-C shows as ^C behind the line, which must not wrap because of it. */
const ECHO = 2;

/**
 * `████████░░░░░░░░░░░░  400 of 1000 done, 3 failed · 52/s · 12s left · 8s elapsed`, in less than `width` columns: the
 * bar becomes shorter, then the elapsed time goes, then the bar, and then the last parts.
 */
export function barLine(standing: BatchStanding, width: number, unicode: boolean): string {
  const room = width - 1 - ECHO;
  const whole = parts(standing, unicode ? DOT : SEMICOLON);
  const isShort = whole.join('').length + GAP.length + SHORTEST_BAR <= room;
  const shown = isShort ? [...whole] : whole.slice(0, -1);
  while (shown.length > 1 && shown.join('').length > room) shown.pop();
  const text = shown.join('');
  const columns = Math.min(BAR, room - text.length - GAP.length);
  return columns < SHORTEST_BAR ? text : bar(standing, columns, unicode) + GAP + text;
}

function bar({ total, done }: BatchStanding, columns: number, unicode: boolean): string {
  const filled = total === 0 ? columns : Math.floor((columns * Math.min(done, total)) / total);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return full.repeat(filled) + empty.repeat(columns - filled);
}

/** `400 of 1000 done, 3 failed; 52/s; 12s left; 8s elapsed`: for a log and a screen reader. */
export const progressLine = (standing: BatchStanding): string =>
  parts(standing, SEMICOLON).join('');

/** The parts from the most important one on, each behind the first with what separates it from the one before. */
function parts(standing: BatchStanding, separator: string): readonly string[] {
  const { total, done, before, failed, unknown, moving, elapsedMs } = standing;
  const perSecond = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  const times = [
    ...standstill(standing),
    `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
    ...(done < total && Number.isFinite(left) ? [`${formatTwoUnits(left)} left`] : []),
    `${formatTwoUnits(Math.floor(elapsedMs / SECOND_MS))} elapsed`,
  ];
  return [
    `${done} of ${total} done`,
    ...(failed > 0 ? [`, ${failed} failed`] : []),
    ...(unknown > 0 ? [`, ${unknown} unknown`] : []),
    ...(moving > 0 ? [`, ${moving} in progress`] : []),
    ...times.map((each) => separator + each),
  ];
}

/** Why nothing ends: a pause, with the time left of it, or a service that does not answer. */
function standstill(standing: BatchStanding): readonly string[] {
  const { total, done, pausedMs, silentMs, isWaiting } = standing;
  if (done >= total) return [];
  if (pausedMs > 0)
    return [`rate limited by the service, next request in ${formatTwoUnits(pausedMs / 1000)}`];
  const what = isWaiting ? 'no change' : 'no response';
  return silentMs < SILENCE_MS
    ? []
    : [`${what} for ${formatTwoUnits(Math.floor(silentMs / SECOND_MS))}`];
}

export interface BatchProgress {
  /** One more item has ended; `failure` says why, where it failed. */
  done(failure?: string): void;
  /** Erases the drawn line, because something else is about to be written. */
  clear(): void;
  /** The progress as one line. */
  line(): string;
  /** Draws the line again where it has been drawn before. */
  redraw(): void;
  stop(): void;
}

const DRAW_MS = 200;
/** Where nothing is drawn there is a line after so much time, and after these silences. */
const LINE_MS = 30_000;
const SILENCES_MS = [10_000, 30_000, 60_000];
/** A pause that gets a line of its own where nothing is drawn. */
const LONG_PAUSE_MS = 5000;
const nothing = () => undefined;

/** What the display asks for when it draws. */
interface ProgressSources {
  readonly counts: BatchCounts;
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  pausedMs(): number;
  /** Whether each item is waited for. */
  readonly isWaiting: boolean;
  /** What is waited for now. */
  waited(): WaitedItems | undefined;
}

const MOST_FAILURES = 3;
/** Lines below the bar, at most. */
const MOST_LINES = 8;
const DEFAULT_ROWS = 24;

/** Starts the display; there is none with `--quiet`. */
export async function batchProgress(
  total: number,
  sources: ProgressSources,
  { quiet, accessible }: Settings,
  { stderr, env, monotonic, secrets }: Runtime,
): Promise<BatchProgress> {
  const { counts, pausedMs, isWaiting, waited } = sources;
  const start = monotonic();
  let failures: readonly string[] = [];
  let lastEnd = start;
  const done = (failure?: string) => {
    lastEnd = monotonic();
    if (failure !== undefined) failures = [failure, ...failures.slice(0, MOST_FAILURES - 1)];
  };
  const standing = () => {
    const at = monotonic();
    const times = { elapsedMs: at - start, silentMs: at - lastEnd, pausedMs: pausedMs() };
    const ended = Object.values(counts).reduce((sum, each) => sum + each, 0);
    return { ...counts, ...times, moving: waited()?.count() ?? 0, isWaiting, total, done: ended };
  };
  const line = () => progressLine(standing());
  if (quiet) return { done, line, clear: nothing, redraw: nothing, stop: nothing };

  const draws = !accessible && canDraw(stderr, env);
  const { isUnicode } = await import('../../output/locale.ts');
  const textOf = (width: number): readonly string[] => {
    const first = barLine(standing(), width, isUnicode(env));
    const items = waited();
    if (!isWaiting || items === undefined) return [first];
    const room = Math.min(MOST_LINES, (stderr.rows ?? DEFAULT_ROWS) - 2);
    const view = { waited: items, failures, now: monotonic(), mask: secrets.mask };
    return [first, ...waitingLines(view, room, width - ECHO)];
  };
  const block = drawnBlock(stderr, textOf);
  let [pauseShown, lastLine] = [false, start];
  const writeWhenDue = () => {
    const [at, left] = [monotonic(), pausedMs()];
    const isLong = left >= LONG_PAUSE_MS - SECOND_MS;
    const isDue = (isLong && !pauseShown) || isLineDue({ at, lastLine, lastEnd });
    pauseShown = left > 0 && (pauseShown || isLong);
    if (!isDue) return;
    lastLine = at;
    void stderr.write(`${line()}\n`);
  };
  const timer = draws ? setInterval(block.draw, DRAW_MS) : setInterval(writeWhenDue, SECOND_MS);
  timer.unref();
  return {
    done,
    clear: block.clear,
    line: () => {
      block.clear();
      return line();
    },
    redraw: block.redraw,
    stop: () => {
      clearInterval(timer);
      block.stop();
    },
  };
}

const canDraw = ({ isTTY, columns }: OutputStream, env: Runtime['env']): boolean =>
  isTTY && columns !== undefined && env['TERM'] !== 'dumb' && !env['CI'];

/** Lines that are drawn in place; `textOf` gives them for a width. */
function drawnBlock(stderr: OutputStream, textOf: (width: number) => readonly string[]) {
  let drawn: readonly string[] = [];
  let begun = false;
  // The window may have been resized since the last time, and the lines have been wrapped by that.
  const width = () => stderr.columns ?? 80;
  const erase = () => {
    const rows = drawn.reduce(
      (sum, { length }) => sum + Math.max(1, Math.ceil(length / width())),
      0,
    );
    return ERASE_LINE + ERASE_LINE_ABOVE.repeat(Math.max(0, rows - 1));
  };
  const draw = () => {
    const before = erase();
    begun = true;
    drawn = textOf(width());
    void stderr.write(before + drawn.join('\n'));
  };
  const clear = () => {
    if (drawn.length > 0) void stderr.write(erase());
    drawn = [];
  };
  return {
    draw,
    clear,
    /** Draws the lines again where they have been drawn before. */
    redraw: () => {
      if (begun) draw();
    },
    stop: () => {
      begun = false;
      clear();
    },
  };
}

/** Whether a log gets a line now: 30 s after the last one, and once for each silence since an item ended. */
export function isLineDue(times: {
  readonly at: number;
  readonly lastLine: number;
  readonly lastEnd: number;
}): boolean {
  const { at, lastLine, lastEnd } = times;
  const isSilent = (ms: number) => at - lastEnd >= ms && lastLine - lastEnd < ms;
  return at - lastLine >= LINE_MS || SILENCES_MS.some(isSilent);
}
