// Early ends of a batch. A failure that stops it aborts `halt`: nothing more is started. An interrupt also aborts
// `soft`, which ends pauses, and after a grace period `hard`, which aborts the calls in flight. A second interrupt
// aborts `hard` at once, and leaves only a moment to write the files and the last results.

import { setMaxListeners } from 'node:events';
import { raceAbort, startTimeout } from '../base/abort.ts';
import { asFailure, type Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';

/** Milliseconds for calls in flight to finish. */
export const GRACE_MS = 10_000;
/** Milliseconds to write the files and the last results after a second interrupt. */
const URGENT_MS = 500;

export type Cancellation = ReturnType<typeof createCancellation>;

/** Makes the cancellation, which interrupts the batch when the signal of the runtime aborts. */
export function createCancellation({ signal, onUrgent }: Pick<Runtime, 'signal' | 'onUrgent'>) {
  const halt = new AbortController();
  const soft = new AbortController();
  const hard = new AbortController();
  const urgent = new AbortController();
  // Every call in flight, and every wait, adds a listener.
  setMaxListeners(0, halt.signal, soft.signal, hard.signal);
  const timers: (() => void)[] = [];
  const stop = (why: unknown) => halt.abort(asFailure(why));
  const interrupt = (why: unknown) => {
    if (soft.signal.aborted) return;
    stop(why);
    soft.abort(why);
    timers.push(startTimeout(GRACE_MS, () => hard.abort(why)));
  };
  const onAbort = () => interrupt(signal.reason);
  const removeUrgent = onUrgent(() => {
    hard.abort(signal.reason);
    timers.push(startTimeout(URGENT_MS, () => urgent.abort(signal.reason)));
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    /** Aborted when no record may be started; ends all waits. */
    halt: halt.signal,
    /** Aborted by an interrupt: ends every pause, and no request is sent any more. */
    soft: soft.signal,
    /** Aborts the calls in flight. */
    hard: hard.signal,
    /** Starts no further record; calls in flight continue. The first reason is kept. */
    stop,
    /** Ends the batch as an interrupt of the user does: `stop`, then `soft`, and after the grace period `hard`. */
    interrupt,
    /** Returns why the batch was stopped. */
    why: (): Failure | undefined =>
      halt.signal.aborted ? (halt.signal.reason as Failure) : undefined,
    /** Waits for a write at the end of the batch, after a second interrupt only for a moment. Rejects as it does. */
    inTime: (write: void | Promise<void>): Promise<void> =>
      raceAbort(Promise.resolve(write), urgent.signal),
    /** Clears the timers and the listeners. */
    close: () => {
      timers.forEach((clear) => clear());
      // A second interrupt must not cut off the report of the first.
      if (!signal.aborted) removeUrgent();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
