// Clocks and timeouts that count only the time in which this process runs. While it is stopped (Ctrl-Z, SIGSTOP) or its
// machine sleeps, a response may wait in its socket and a password manager may be stopped as well: none of them is
// late.

/** How often the time has to be read. */
const CHECK_MS = 250;
/** A longer gap between two readings means that the process did not run, and counts as this. */
const MAX_COUNTED_MS = 2 * CHECK_MS;

/** Reads a clock that never goes back, in milliseconds. */
export type Clock = () => number;

/**
 * The milliseconds for which this process has run since the call. The caller has to read it at least every `CHECK_MS`;
 * `runningClock` and `setRunningTimeout` do so by themselves.
 */
export function createRunningClock(clock: Clock): Clock {
  let last = clock();
  let ran = 0;
  return () => {
    const now = clock();
    ran += Math.min(now - last, MAX_COUNTED_MS);
    last = now;
    return ran;
  };
}

/** A clock that reads the time by itself from its first use on, without keeping the process alive. */
export function runningClock(clock: Clock): Clock {
  let ran: Clock | undefined;
  return () => {
    if (ran === undefined) {
      ran = createRunningClock(clock);
      setInterval(ran, CHECK_MS).unref();
    }
    return ran();
  };
}

/** Milliseconds until the next reading, when `leftMs` are left. */
export const nextCheckMs = (leftMs: number): number => Math.min(leftMs, CHECK_MS);

/** Calls `run` once this process has run for `ms` milliseconds. Returns a function that cancels it. */
export function setRunningTimeout(ms: number, run: () => void, clock: Clock): () => void {
  const ran = createRunningClock(clock);
  let timer: NodeJS.Timeout;
  let turn: NodeJS.Immediate | undefined;
  const check = () => {
    const left = ms - ran();
    if (left > 0) timer = setTimeout(check, nextCheckMs(left));
    // Data that arrived meanwhile is read first.
    else turn = setImmediate(run);
  };
  timer = setTimeout(check, nextCheckMs(ms));
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
