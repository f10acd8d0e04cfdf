// Disables stack traces for the length of a batch: undici makes an error for each connection that it closes, and every
// change has a connection of its own. The stacks were 50 µs of the 370 that a change took.

/** Errors have no stacks until the returned function is called. Of batches at the same time, the first one decides. */
export function disableStackTraces(): () => void {
  const { stackTraceLimit } = Error;
  // The last of two to end would otherwise leave the limit at 0.
  if (stackTraceLimit === 0) return () => {};
  Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}
