// How a batch ends early: first no new records, then, after a grace, the calls that are under way.

import { setMaxListeners } from 'node:events';
import { setRunningTimeout } from '../../base/running-clock.ts';
import type { Runtime } from '../../base/runtime.ts';
// The end of a batch in two steps: nothing more is started, and some seconds later what is still under way is cut off.
// Who interrupts it a second time has it cut off at once, and what is left to write gets a moment.

/** Milliseconds that requests under way are given to come to their end. */
export const GRACE_MS = 10_000;

export interface Cancellation {
  /** Aborted when nothing more may be started, and nobody should sleep. */
  readonly soft: AbortSignal;
  /** Aborted when what is under way is given up. */
  readonly hard: AbortSignal;
  /** Begins the end. */
  stop(why: unknown): void;
  /** Waits for a step of the end; no longer than a moment once there is no time. `false` where it did not come to its end. */
  inTime(step: void | Promise<void>): Promise<boolean>;
  /** Lets go of the timer. */
  close(): void;
}

/** Begins the end by itself when the world's signal aborts. */
export function createCancellation({
  signal,
  onUrgent,
}: Pick<Runtime, 'signal' | 'onUrgent'>): Cancellation {
  const [soft, hard, urgent] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ];
  // Every request under way listens.
  setMaxListeners(0, soft.signal, hard.signal);
  let letGo: (() => void) | undefined;
  const stop = (why: unknown) => {
    if (soft.signal.aborted) return;
    soft.abort(why);
    letGo = setRunningTimeout(GRACE_MS, () => hard.abort(why));
  };
  const onAbort = () => stop(signal.reason);
  const release = onUrgent(() => {
    hard.abort(signal.reason);
    urgent.abort();
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    soft: soft.signal,
    hard: hard.signal,
    stop,
    inTime: async (step) => {
      const over = new AbortController();
      const late = afterAbort(urgent.signal, MOMENT_MS, over.signal).then(() => false);
      try {
        return await Promise.race([Promise.resolve(step).then(() => true), late]);
      } finally {
        over.abort();
      }
    },
    close: () => {
      letGo?.();
      release();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

// The end of a batch in two steps: nothing more is started, and some seconds later what is still under way is cut off.
// Who interrupts it a second time has it cut off at once, and what is left to write gets a moment.
/** Milliseconds that each thing left to write is given at a second interrupt. */
const MOMENT_MS = 250;

/** Resolves some milliseconds after a signal has aborted; never once another one has. */
function afterAbort(signal: AbortSignal, ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const begin = () => {
      const timer = setTimeout(resolve, ms);
      over.addEventListener('abort', () => clearTimeout(timer), { once: true });
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true, signal: over });
  });
}
