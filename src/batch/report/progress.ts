// The progress line of a batch.

import { formatDuration } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { ProgressView } from '../../output/progress.ts';
import type { Limiter } from '../limiter.ts';
import type { BatchSummary } from './summary.ts';

interface BatchStanding {
  readonly total: number;
  /** The number of records that have ended, including those of an earlier run. */
  readonly done: number;
  /** The number of records done by an earlier run; the rate does not include them. */
  readonly before: number;
  readonly failed: number;
  /** The number of records with an unknown outcome. */
  readonly unknown: number;
  /** The number of records that are waited for. */
  readonly moving: number;
  readonly elapsedMs: number;
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  readonly pausedMs: number;
  /** Milliseconds since the last record ended. */
  readonly silentMs: number;
}

const SECOND_MS = 1000;
/** A silence of this length is reported. */
const SILENCE_MS = 3000;

/** Formats `400 of 1000 done, 3 failed; 52/s; 12s left; 8s elapsed`, in parts. */
export function progressParts(standing: BatchStanding): readonly string[] {
  const { total, done, before, failed, unknown, moving, elapsedMs } = standing;
  const perSecond = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  return [
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
}

/** Returns why nothing ends: a pause, with the time left, or a service that does not respond. */
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

/** Makes the progress of a batch of `total` records, which starts now. */
export function batchProgress(
  total: number,
  summary: Pick<BatchSummary, 'counts' | 'moving'>,
  { pausedMs }: Pick<Limiter, 'pausedMs'>,
  { monotonic }: Pick<Runtime, 'monotonic'>,
): ProgressView {
  const start = monotonic();
  let [done, lastEnd] = [0, start];
  const lastChange = () => {
    const ended = Object.values(summary.counts).reduce((sum, count) => sum + count, 0);
    if (ended > done) [done, lastEnd] = [ended, monotonic()];
    return lastEnd;
  };
  const parts = () => {
    const silentMs = monotonic() - lastChange();
    const times = { elapsedMs: monotonic() - start, silentMs, pausedMs: pausedMs() };
    return progressParts({ ...summary.counts, ...times, moving: summary.moving, total, done });
  };
  return { parts, pausedMs, lastChange };
}
