// Waits for the result of a single call, and shows its state on stderr: a progress line, and above it a line for each
// change.

import type { Operation } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { hostOf } from '../client/open-client.ts';
import { oncePerLine } from '../output/notes.ts';
import { showProgress } from '../output/progress.ts';
import { type WaitRequest, pollOnce, waitUntilSettled } from './wait-request.ts';

const SECOND_MS = 1000;

/**
 * Waits until the result is final, the timeout, or Ctrl-C; returns the last state. `isAccepted` is set after a change.
 */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
  isAccepted = false,
): Promise<CallOutcome> {
  const { operation, settings, runtime, service } = callContext;
  const { stderr, monotonic, signal } = runtime;
  const { quiet, accessible } = settings;
  const { timeoutMs } = request.waiting;
  const start = monotonic();
  let standingNow = `waiting for ${hostOf(service)}`;
  const progress = showProgress(
    { parts: () => waitParts(standingNow, monotonic() - start, timeoutMs) },
    settings,
    runtime,
  );
  const changesIn = changeLines(operation, accessible);
  // Each warning is shown once, because every poll would repeat it. The line of the wait replaces that of each poll.
  const note = oncePerLine(runtime.note);
  const polling = {
    ...callContext,
    settings: { ...settings, quiet: true },
    runtime: { ...runtime, note },
  };
  try {
    return await waitUntilSettled(polling, request, {
      signal,
      isAccepted,
      poll: (pollSignal) => pollOnce(polling, request.input, pollSignal),
      onPoll({ data }, { standing }) {
        standingNow = standing;
        const changes = changesIn(data, monotonic() - start);
        if (!quiet && changes.length > 0) void stderr.write(`${changes.join('\n')}\n`);
        progress.redraw();
      },
    });
  } finally {
    progress.stop();
  }
}

/** Formats `1 of 2 targets finished; timeout in 9m 57s; 3s elapsed` in parts. */
export function waitParts(
  standing: string,
  elapsedMs: number,
  timeoutMs: number,
): readonly string[] {
  const left = Math.ceil(Math.max(0, timeoutMs - elapsedMs) / SECOND_MS) * SECOND_MS;
  const elapsed = Math.floor(elapsedMs / SECOND_MS) * SECOND_MS;
  return [
    `${standing}; timeout in ${formatDuration(left)}`,
    `; ${formatDuration(elapsed)} elapsed`,
  ];
}

/** Makes a function that returns a line for each status that changed since its last call. */
export function changeLines({ wait }: Operation, accessible: boolean) {
  // Screen readers do not read an arrow.
  const arrow = accessible ? ', now ' : ' → ';
  let before: ReadonlyMap<string, string> = new Map();
  return (data: unknown, elapsedMs: number): readonly string[] => {
    const states = wait!.statesOf(data);
    const changed = [...states].filter(([name, status]) => before.get(name) !== status);
    const lines = changed.map(([name, status]) => {
      const was = before.has(name) ? `${before.get(name)!}${arrow}` : '';
      return sanitizeLine(`+${Math.round(elapsedMs / SECOND_MS)}s ${name} ${was}${status}`);
    });
    before = states;
    return lines;
  };
}
