// Waits for what cannot be taken back: a pipe that nobody writes, a program that does not answer. Whoever is
// interrupted goes on without it, and the end of the process ends the rest.

/** The same promise, or the signal's reason where that comes first. What the promise brings later is nobody's. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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

/** The same chunks until the signal aborts, which is then thrown. */
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
