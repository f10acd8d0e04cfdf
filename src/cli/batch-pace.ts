// The pace that all calls of a batch share, and the patience with which each of them is tried.

import { createPace, type Pace } from '../call/pace.ts';
import type { Patience } from '../call/retry.ts';
import type { World } from '../world.ts';
import type { BatchSettings } from './batch-settings.ts';
import type { Settings } from './settings.ts';

/** The longest wait that a service may ask a batch for. */
const MOST_ASKED_MS = 300_000;

/** What every call of a batch is tried by, less the turns; `attemptMs` for one attempt and the wait after it. */
export type CallPatience = Pick<Patience, 'monotonic' | 'random' | 'sleep'> & {
  readonly mostAskedMs: number;
  readonly attemptMs: number;
};

/** A pace at full speed. Once the signal is aborted nothing more leaves. */
export function paceOf(
  { concurrency, rate }: Pick<BatchSettings, 'concurrency' | 'rate'>,
  { timeoutMs }: Pick<Settings, 'timeoutMs'>,
  world: Pick<World, 'monotonic' | 'random' | 'sleep'>,
  signal: AbortSignal,
): { readonly pace: Pace; readonly patience: CallPatience } {
  const { monotonic, random } = world;
  // Who sleeps is woken at once by an interrupt; a request that has left is given its time.
  const sleep = (ms: number) => world.sleep(ms, signal);
  const common = { mostAskedMs: MOST_ASKED_MS, monotonic, random, sleep };
  return {
    pace: createPace({ concurrency, rate, ...common, signal }),
    patience: { ...common, attemptMs: timeoutMs + MOST_ASKED_MS },
  };
}

/** How one call is tried, with so many further attempts, each in its turn. */
export function turnsFor(
  { turn, ended }: Pick<Pace, 'turn' | 'ended'>,
  { attemptMs, ...common }: CallPatience,
  retries: number,
): Patience {
  return { retries, totalMs: attemptMs * (retries + 1), ...common, turn, ended };
}
