// The progress line of a batch.

import { formatDuration } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { ProgressView } from '../../output/progress.ts';
import type { Limiter } from '../limiter.ts';
import type { BatchSummary } from './summary.ts';

const SECOND_MS = 1000;
/** A silence of this length is reported. */
const SILENCE_MS = 3000;

/**
 * Makes the progress of a batch that starts now: `400 of 1000 done, 3 failed; 50/s; 12s left; 8s
 * elapsed`.
 */
export function batchProgress(
  summary: Pick<BatchSummary, 'count' | 'counts' | 'waits'>,
  { pausedMs }: Pick<Limiter, 'pausedMs'>,
  { monotonic }: Pick<Runtime, 'monotonic'>,
): ProgressView {
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
    if (pausedMs() > 0)
      return `; rate limited by the service, next request in ${inSeconds(Math.ceil, pausedMs())}`;
    if (silentMs < SILENCE_MS) return false;
    return `; ${summary.waits > 0 ? 'no change' : 'no response'} for ${inSeconds(Math.floor, silentMs)}`;
  };
  const parts = () => {
    update();
    const silentMs = monotonic() - lastEnd;
    const elapsedMs = monotonic() - start;
    const { before, failed, unknown } = summary.counts;
    // The rate does not include the records that an earlier run has done.
    const perSecond = elapsedMs > 0 ? ((done - before) * SECOND_MS) / elapsedMs : 0;
    const leftMs = (SECOND_MS * (total - done)) / perSecond;
    const all = [
      `${done} of ${total} done`,
      failed > 0 && `, ${failed} failed`,
      unknown > 0 && `, ${unknown} unknown`,
      summary.waits > 0 && `, ${summary.waits} in progress`,
      standstill(silentMs),
      `; ${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
      done < total && perSecond > 0 && `; ${inSeconds(Math.ceil, leftMs)} left`,
      `; ${inSeconds(Math.floor, elapsedMs)} elapsed`,
    ];
    return all.filter((part) => part !== false);
  };
  const lastChange = () => {
    update();
    return lastEnd;
  };
  // Where no line can be redrawn, `showProgress` decides by `pausedMs` and `lastChange` when to print one.
  return { parts, pausedMs, lastChange };
}

const inSeconds = (round: (value: number) => number, ms: number): string =>
  formatDuration(round(ms / SECOND_MS) * SECOND_MS);
