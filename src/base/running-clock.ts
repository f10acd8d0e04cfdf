// Limits count only the time in which this process runs. While it is stopped (Ctrl-Z, SIGSTOP) or its machine sleeps,
// an answer may be waiting in its socket and a password manager may be stopped as well: none of them is late.

/** How often the time has to be read. */
const LOOK_MS = 250;
/** A longer gap between two looks means that the process did not run, and counts as this. */
const MOST_COUNTED_MS = 2 * LOOK_MS;

/** Reads a clock that never goes back, in milliseconds. */
export type Clock = () => number;

/**
 * The milliseconds for which this process has run since the call. Whoever calls it has to read the time at least
 * every `LOOK_MS`; `runningClock` and `afterRunning` do so by themselves.
 */
export function createRunningClock(clock: Clock = () => performance.now()): Clock {
  let last = clock();
  let ran = 0;
  return () => {
    const now = clock();
    ran += Math.min(now - last, MOST_COUNTED_MS);
    last = now;
    return ran;
  };
}

/** A clock for any use, which reads the time by itself from its first use on, and keeps no process from ending. */
export function runningClock(clock?: Clock): Clock {
  let ran: Clock | undefined;
  return () => {
    if (ran === undefined) {
      ran = createRunningClock(clock);
      setInterval(ran, LOOK_MS).unref();
    }
    return ran();
  };
}

/** Milliseconds until the next look, when so many are left. */
export const nextCheckMs = (leftMs: number): number => Math.min(leftMs, LOOK_MS);

/** Calls `run` once this process has run for `ms` milliseconds. Returns a function that cancels it. */
export function setRunningTimeout(ms: number, run: () => void, clock?: Clock): () => void {
  const ran = createRunningClock(clock);
  let timer: NodeJS.Timeout;
  let turn: NodeJS.Immediate | undefined;
  const look = () => {
    const left = ms - ran();
    if (left > 0) timer = setTimeout(look, nextCheckMs(left));
    // What has arrived meanwhile is read first.
    else turn = setImmediate(run);
  };
  timer = setTimeout(look, nextCheckMs(ms));
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
