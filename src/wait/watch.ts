// Waits for what a single call set going, and shows on stderr how it stands: live on a terminal, a line a change
// elsewhere.

import type { Progress } from '../base/runtime.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { oncePerLine } from '../output/notes.ts';
import { changeLines, lineProgress, standingLine } from './wait-line.ts';
import { lookAt, type WaitRequest } from './wait-request.ts';
import { waitUntilSettled } from './wait-until-settled.ts';

const silent: Progress = { show: () => undefined, stop: () => undefined };

/** Waits until it has settled, time is up, or the user stops it; returns the last state. */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { stderr, monotonic, signal } = runtime;
  const { quiet, accessible } = settings;
  // The line is drawn in place where that can be done and is wanted.
  const live = quiet || accessible ? undefined : await runtime.liveProgress();
  const progress = live ?? (quiet ? silent : lineProgress(stderr));
  const changesIn = changeLines(operation, accessible);
  // A remark about a post is as true at the next poll.
  const noting = { ...callContext, runtime: { ...runtime, note: oncePerLine(runtime.note) } };
  const start = monotonic();
  let resumeActivity: (() => void) | undefined;
  let standingNow = 'waiting';
  const line = () =>
    standingLine(standingNow, monotonic() - start, request.waiting.timeoutMs, stderr.columns);
  try {
    return await waitUntilSettled(noting, request, {
      signal,
      poll: (own) => lookAt(noting, request.input, own),
      onLook({ data }, { standing }) {
        standingNow = standing;
        const changes = changesIn(data, monotonic() - start);
        if (!quiet && changes.length > 0) void stderr.write(`${changes.join('\n')}\n`);
        if (live !== undefined) resumeActivity ??= callContext.activity?.suspend();
        progress.show(line);
      },
    });
  } finally {
    progress.stop();
    resumeActivity?.();
  }
}
