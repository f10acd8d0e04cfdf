// The end of a batch in two steps: nothing more is started, and some seconds later what is still under way is cut off.

import { setMaxListeners } from 'node:events';
import { afterRunning } from '../running-time.ts';

/** Milliseconds that requests under way are given to come to their end. */
export const GRACE_MS = 10_000;

export interface Cancel {
  /** Aborted when nothing more may be started, and nobody should sleep. */
  readonly soft: AbortSignal;
  /** Aborted when what is under way is given up. */
  readonly hard: AbortSignal;
  /** Begins the end. */
  stop(why: unknown): void;
  /** Lets go of the timer. */
  close(): void;
}

/** Begins the end by itself when `signal` aborts. */
export function cancelling(signal: AbortSignal): Cancel {
  const [soft, hard] = [new AbortController(), new AbortController()];
  // Every request under way listens.
  setMaxListeners(0, soft.signal, hard.signal);
  let letGo: (() => void) | undefined;
  const stop = (why: unknown) => {
    if (soft.signal.aborted) return;
    soft.abort(why);
    letGo = afterRunning(GRACE_MS, () => hard.abort(why));
  };
  const onAbort = () => stop(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    soft: soft.signal,
    hard: hard.signal,
    stop,
    close: () => {
      letGo?.();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
