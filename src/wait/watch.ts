// Waits for what a single call set going, and shows on stderr how it stands: a line that runs on, and above it a line for
// each change.

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
 * Waits until it has settled, time is up, or the user stops it; returns the last state. `isAccepted` where a change was
 * made for it.
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
  // A remark about a post is as true at the next poll, and a poll is shown by the line of the wait.
  const note = oncePerLine(runtime.note);
  const polling = { ...callContext, watchCall: undefined, runtime: { ...runtime, note } };
  try {
    return await waitUntilSettled(polling, request, {
      signal,
      isAccepted,
      poll: (own) => pollOnce(polling, request.input, own),
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

/** `1 of 2 targets finished; timeout in 9m 57s; 3s elapsed`. */
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

/** Gives a line for each status that is new since the call before. */
export function changeLines({ wait }: Operation, accessible: boolean) {
  // An arrow is not read aloud.
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
