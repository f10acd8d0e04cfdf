// Waits that a signal can end, for work that cannot be cancelled: a pipe that nobody writes, a program that does not
// answer. The caller goes on without it, and the end of the process ends the rest.

/** The promise's value, or the signal's reason where that comes first. A later result of the promise is ignored. */
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

/** The chunks until the signal aborts; its reason is then thrown. */
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
