// The progress of a batch on stderr as one line: drawn in place on a terminal; elsewhere written every 30 seconds, after
// a silence, and when a long pause begins.

import { formatDuration } from '../../base/durations.ts';
import type { Progress, Runtime } from '../../base/runtime.ts';
import type { Settings } from '../../config/settings.ts';
import type { Limiter } from '../limiter.ts';
import type { BatchSummary } from './summary.ts';

interface BatchStanding {
  readonly total: number;
  /** Records that have ended, those of an earlier run included. */
  readonly done: number;
  /** Records that an earlier run had done; they count for no rate. */
  readonly before: number;
  readonly failed: number;
  /** Records whose outcome is unknown. */
  readonly unknown: number;
  /** Records that are waited for. */
  readonly moving: number;
  readonly elapsedMs: number;
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  readonly pausedMs: number;
  /** Milliseconds since the last record ended. */
  readonly silentMs: number;
}

const SECOND_MS = 1000;
/** A silence that is worth a word. */
const SILENCE_MS = 3000;
/** A batch that ends sooner draws nothing. */
const FIRST_DRAW_MS = 200;
/** Where nothing is drawn there is a line after so much time, after these silences, and for a pause of this length. */
const LINE_MS = 30_000;
const SILENCES_MS = [10_000, 30_000, 60_000];
const LONG_PAUSE_MS = 5000;
/** Columns that stay free: for the sign before the line, and for the ^C of a Ctrl-C behind it. */
const RESERVED = 5;

/**
 * `400 of 1000 done, 3 failed; 52/s; 12s left; 8s elapsed` in at most `width` columns: the last parts go first, and
 * what is done stays.
 */
export function progressLine(standing: BatchStanding, width = Infinity): string {
  const { total, done, before, failed, unknown, moving, elapsedMs } = standing;
  const perSecond = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  const parts = [
    `${done} of ${total} done`,
    ...(failed > 0 ? [`, ${failed} failed`] : []),
    ...(unknown > 0 ? [`, ${unknown} unknown`] : []),
    ...(moving > 0 ? [`, ${moving} in progress`] : []),
    ...standstill(standing),
    `; ${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
    ...(done < total && Number.isFinite(left)
      ? [`; ${formatDuration(Math.ceil(left) * SECOND_MS)} left`]
      : []),
    `; ${formatDuration(Math.floor(elapsedMs / SECOND_MS) * SECOND_MS)} elapsed`,
  ];
  while (parts.length > 1 && parts.join('').length > width) parts.pop();
  return parts.join('');
}

/** Why nothing ends: a pause, with the time left of it, or a service that does not answer. */
function standstill({ total, done, moving, pausedMs, silentMs }: BatchStanding): readonly string[] {
  if (done >= total) return [];
  if (pausedMs > 0)
    return [
      `; rate limited by the service, next request in ${formatDuration(Math.ceil(pausedMs / SECOND_MS) * SECOND_MS)}`,
    ];
  if (silentMs < SILENCE_MS) return [];
  const silence = formatDuration(Math.floor(silentMs / SECOND_MS) * SECOND_MS);
  return [`; ${moving > 0 ? 'no change' : 'no response'} for ${silence}`];
}

/** Starts the display, and returns the function that ends it; there is none with `--quiet`. */
export function showProgress(
  total: number,
  { counts, moving }: Pick<BatchSummary, 'counts' | 'moving'>,
  { pausedMs }: Pick<Limiter, 'pausedMs'>,
  { quiet, accessible }: Settings,
  { stderr, monotonic, liveProgress }: Runtime,
): () => void {
  if (quiet) return () => undefined;
  const start = monotonic();
  let [done, lastEnd, lastLine, isPauseSaid] = [0, start, start, false];
  let live: Progress | undefined;
  let isStopped = false;
  const standing = (): BatchStanding => {
    const at = monotonic();
    const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (ended > done) [done, lastEnd] = [ended, at];
    const times = { elapsedMs: at - start, silentMs: at - lastEnd, pausedMs: pausedMs() };
    return { ...counts, ...times, moving: moving(), total, done };
  };
  const writeWhenDue = () => {
    if (live !== undefined) return;
    const now = standing();
    const at = start + now.elapsedMs;
    const isLong = now.pausedMs >= LONG_PAUSE_MS - SECOND_MS;
    const isDue = (isLong && !isPauseSaid) || isLineDue({ at, lastLine, lastEnd });
    isPauseSaid = now.pausedMs > 0 && (isPauseSaid || isLong);
    if (!isDue) return;
    lastLine = at;
    void stderr.write(`${progressLine(now)}\n`);
  };
  const draw = async () => {
    live = await liveProgress().catch(() => undefined);
    if (isStopped) live?.stop();
    else live?.show(() => progressLine(standing(), (stderr.columns ?? 80) - RESERVED));
  };
  const drawing = accessible ? undefined : setTimeout(() => void draw(), FIRST_DRAW_MS);
  const writing = setInterval(writeWhenDue, SECOND_MS);
  drawing?.unref();
  writing.unref();
  return () => {
    isStopped = true;
    clearTimeout(drawing);
    clearInterval(writing);
    live?.stop();
  };
}

/** Whether a log gets a line now: 30 s after the last one, and once for each silence since a record ended. */
export function isLineDue(times: {
  readonly at: number;
  readonly lastLine: number;
  readonly lastEnd: number;
}): boolean {
  const { at, lastLine, lastEnd } = times;
  const isSilent = (ms: number) => at - lastEnd >= ms && lastLine - lastEnd < ms;
  return at - lastLine >= LINE_MS || SILENCES_MS.some(isSilent);
}
