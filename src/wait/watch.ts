// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import { isChange } from '../api/operations/define-operation.ts';
import { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import type { Progress, OutputStream, ProgressView } from '../base/runtime.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { retryPolicyFor } from '../client/retry.ts';
import { oncePerLine } from '../output/notes.ts';
import { createWaitView } from './live-view.ts';
import { pollUntilSettled } from './poll.ts';
import {
  gaveUp,
  judgeLook,
  lookAt,
  resumeWaitLine,
  stoppedWaiting,
  sayIfTooLate,
  waitFailure,
  type WaitRequest,
} from './wait-request.ts';

/** Silences after which it is said how things stand: 10, 30 and 60 seconds after the last line, then every 30. */
const GAPS_MS = [10_000, 20_000, 30_000];

/** A line a change, and one now and then where nothing changes; for pipes, logs and screen readers. */
export function lineProgress(stderr: OutputStream, gapsMs: readonly number[] = GAPS_MS): Progress {
  let seen: ProgressView | undefined;
  let timer: NodeJS.Timeout | undefined;
  const listen = (silences: number) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        if (seen !== undefined) void stderr.write(`${seen.headline()}\n`);
        listen(silences + 1);
      },
      gapsMs[silences] ?? gapsMs.at(-1),
    );
    timer.unref();
  };
  return {
    show(standing) {
      const isFirst = seen === undefined;
      seen = standing;
      if (standing.changes.length > 0) void stderr.write(`${standing.changes.join('\n')}\n`);
      if (isFirst || standing.changes.length > 0) listen(0);
    },
    stop: () => clearTimeout(timer),
  };
}

const silent: Progress = { show: () => undefined, stop: () => undefined };

/** Waits until it has settled, time is up, or the user stops it; returns the last state. */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { waiting, first } = request;
  const { poll = operation, remarks } = operation.wait!;
  if (first !== undefined) sayIfTooLate(first, callContext, request);
  const { quiet, accessible } = settings;
  // A view that is drawn in place, where that can be done and is wanted.
  const live = quiet || accessible ? undefined : await runtime.liveProgress();
  const progress = live ?? (quiet ? silent : lineProgress(runtime.stderr));
  const looks = createWaitView(callContext, waiting, poll, live !== undefined);
  const note = oncePerLine(runtime.note);
  const start = runtime.monotonic();
  let shown = Promise.resolve();
  let resumeActivity: (() => void) | undefined;
  let now: ProgressView | undefined;
  let standingNow: string | undefined;
  let isStopped = false;
  const unask = runtime.onQuestion(() => now?.headline() ?? 'waiting');
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll: (signal) =>
          lookAt({ ...callContext, runtime: { ...runtime, note } }, request.input, signal),
        judge: (seen, elapsedMs) => judgeLook(seen, callContext, request, elapsedMs),
        onLook(seen, { standing }) {
          standingNow = standing;
          if (live === undefined) for (const each of remarks?.(seen.data) ?? []) note(each);
          const view = looks(seen, standing, runtime.monotonic() - start);
          if (live !== undefined) resumeActivity ??= callContext.activity?.suspend();
          shown = shown.then(async () => progress.show((now = await view)));
        },
      },
      first,
      retryPolicyFor(settings, runtime, 0),
      runtime.signal,
    );
    const { last, lost } = polled;
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, callContext, request);
    return { ...last, ...waitFailure(polled, callContext, request) };
  } catch (error) {
    isStopped = error instanceof Failure && isSignal(error.kind);
    throw isStopped ? stoppedWaiting(error as Failure, standingNow, callContext, request) : error;
  } finally {
    unask();
    // What is shown after the end would be drawn for ever.
    await shown;
    progress.stop();
    resumeActivity?.();
    // The last state stays on the screen.
    if (isStopped && live !== undefined && now !== undefined && now.body !== '')
      await runtime.stderr.write(`${now.body}\n\n`);
  }
}

/**
 * How a wait ends for a change that was accepted, where a look at it fails for good. A look that says nothing leaves it
 * pending; what is refused is said to be the look alone, so that nobody makes the change again.
 */
export function untold(failure: Failure, callContext: CallContext, request: WaitRequest): Failure {
  const { kind, facts } = failure;
  if (isSignal(kind) || kind === 'internal') return failure;
  const next = resumeWaitLine(callContext, request);
  if (kind === 'no_answer')
    return new Failure('still_pending', { ...facts, what: `stopped polling: ${facts.what}`, next });
  const why = [...(facts.why ?? []), ONLY_THE_WAIT];
  if (kind !== 'unauthorized') return new Failure(kind, { ...facts, why });
  const hint = [...(facts.hint === undefined ? [] : [facts.hint]), `then resume: ${next}`];
  return new Failure(kind, { ...facts, why, hint: hint.join('\n') });
}

const ONLY_THE_WAIT = 'the change was accepted; only the wait for it failed';
