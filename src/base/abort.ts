// Waits that a signal can end, for work that cannot be cancelled: a pipe that is never written, a program that does not
// respond. The caller continues without it, and the end of the process ends the rest.

/**
 * Resolves with the promise's value, or rejects with the signal's reason if that comes first. A later result of the
 * promise is ignored.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // The promise below sets it at once.
  let stop: () => void;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}

/** Yields the chunks until the signal aborts, and then throws its reason. */
export async function* iterateUntilAborted<T>(
  chunks: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const next = await raceAbort(iterator.next(), signal);
    if (next.done === true) return;
    yield next.value;
  }
}

/** As many items take about ten milliseconds of work. */
const TURN = 1_000;

/**
 * Yields the items of a long list in parts, and lets events such as signals be handled between them. Throws the signal's
 * reason once it aborts.
 */
export async function* inTurns<T>(
  items: readonly T[],
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += TURN) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    yield items.slice(start, start + TURN);
  }
}

const hubs = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` when the signal aborts, until the returned function is called. Made for a signal on which thousands wait:
 * an event target searches the list of its listeners whenever one is added or removed.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const waiting = hubs.get(signal) ?? new Set<() => void>();
  if (!hubs.has(signal)) {
    hubs.set(signal, waiting);
    signal.addEventListener('abort', () => waiting.forEach((listener) => listener()), {
      once: true,
    });
  }
  waiting.add(run);
  return () => void waiting.delete(run);
}

/** The longest delay that a timer of Node accepts, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `run` after `ms` milliseconds, after everything that has arrived by then is read: a process that was suspended
 * (Ctrl-Z, a closed lid) finds its response in the socket. Returns a function that cancels it.
 */
export function startTimeout(ms: number, run: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (turn = setImmediate(run)), Math.min(ms, LONGEST_TIMER_MS));
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** Resolves after `ms` milliseconds; rejects at once with the signal's reason when that aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
    const wake = () => {
      forget();
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ms, LONGEST_TIMER_MS));
  });
}
