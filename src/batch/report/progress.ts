// The progress of a batch: its line, and the lines of its board.

import { clockTime, formatDuration } from '../../base/durations.ts';
import type { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { fittedLine, type ProgressView } from '../../output/progress.ts';
import type { Limiter } from '../limiter.ts';
import type { BatchBoard } from './board.ts';
import { acceptedIn, type BatchSummary } from './summary.ts';

const SECOND_MS = 1000;
/** A silence of this length is reported. */
const SILENCE_MS = 3000;

/**
 * Makes the progress of a batch that starts now: `400 of 1000 done, 3 failed; 50/s; 12s left; 8s
 * elapsed`. `open` is the word for records whose end is unknown.
 */
export function batchProgress(
  summary: Pick<BatchSummary, 'count' | 'counts' | 'waits' | 'unwaited'>,
  { pausedMs, pausedBy }: Pick<Limiter, 'pausedMs' | 'pausedBy'>,
  { monotonic }: Pick<Runtime, 'monotonic'>,
  board?: BatchBoard,
  open = 'accepted',
): ProgressView & Required<Pick<ProgressView, 'lines'>> {
  const { count: total } = summary;
  const start = monotonic();
  let [done, lastEnd] = [0, start];
  const update = () => {
    const ended = Object.values(summary.counts).reduce((sum, count) => sum + count, 0);
    if (ended > done) [done, lastEnd] = [ended, monotonic()];
  };
  /** Returns why nothing ends: a pause, with the time left, or a service that does not respond. */
  const standstill = (silentMs: number): string | false => {
    if (done >= total) return false;
    if (pausedMs() > 0) {
      const why = isLimit(pausedBy()) ? 'rate limited by the service' : asksToWait(pausedBy());
      return `${why}, next request in ${inSeconds(Math.ceil, pausedMs())}`;
    }
    if (silentMs < SILENCE_MS) return false;
    return `${summary.waits > 0 ? 'no change' : 'no response'} for ${inSeconds(Math.floor, silentMs)}`;
  };
  const parts = () => {
    update();
    const still = standstill(monotonic() - lastEnd);
    const elapsedMs = monotonic() - start;
    const { before, failed, unknown } = summary.counts;
    const accepted = acceptedIn(summary);
    // The rate does not include the records that an earlier run has done.
    const perSecond = elapsedMs > 0 ? ((done - before) * SECOND_MS) / elapsedMs : 0;
    const leftMs = (SECOND_MS * (total - done)) / perSecond;
    const all = [
      `${done - failed - unknown - accepted} of ${total} done`,
      failed > 0 && `, ${failed} failed`,
      unknown > 0 && `, ${unknown} unknown`,
      accepted + summary.waits > 0 && `, ${accepted + summary.waits} ${open}`,
      still !== false && `; ${still}`,
      `; ${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
      done < total && perSecond > 0 && `; ${inSeconds(Math.ceil, leftMs)} left`,
      `; ${inSeconds(Math.floor, elapsedMs)} elapsed`,
    ];
    return all.filter((part) => part !== false);
  };
  const lines = (columns: number, rows: number) => {
    update();
    const { ok, before, failed, unknown, skipped } = summary.counts;
    const accepted = acceptedIn(summary);
    const left = total - done;
    const pause = clockTime(pausedMs());
    const words = isLimit(pausedBy())
      ? `  rate limited; opens in ${pause}`
      : `  ${asksToWait(pausedBy())}; next request in ${pause}`;
    const still = pausedMs() > 0 ? false : standstill(monotonic() - lastEnd);
    const sum = [
      `done ${ok + before - summary.unwaited}  failed ${failed}  unknown ${unknown}`,
      skipped > 0 && `  skipped ${skipped}`,
      accepted > 0 && `  ${open} ${accepted}`,
      left > 0 && `  left ${left}`,
      `     ${clockTime(Math.floor((monotonic() - start) / SECOND_MS) * SECOND_MS)}`,
      left > 0 && pausedMs() > 0 ? words : still !== false && `  ${still}`,
    ];
    const line = fittedLine(
      sum.filter((part) => part !== false),
      columns,
    );
    const above = board?.lines(columns, rows - 1) ?? [];
    // Without targets there is one bar for all records.
    const bar = board && above.length === 0 ? [`${board.bar(done, total)} ${done}/${total}`] : [];
    return [...above, ...bar, line];
  };
  const lastChange = () => {
    update();
    return lastEnd;
  };
  // Where no line can be redrawn, `showProgress` decides by `pausedMs` and `lastChange` when to print one.
  return { parts, pausedMs, lastChange, lines };
}

/** True for a limit; a busy service may ask to wait as well. */
const isLimit = (failure: Failure | undefined) =>
  failure?.facts.status !== 503 || failure.facts.isLasting !== undefined;

const asksToWait = (failure: Failure | undefined) =>
  `HTTP ${failure?.facts.status ?? 503}, asks to wait`;

const inSeconds = (round: (value: number) => number, ms: number): string =>
  formatDuration(round(ms / SECOND_MS) * SECOND_MS);
