// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import { isChange } from '../api/operations/define-operation.ts';
import { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import type { Progress } from '../base/runtime.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { retryPolicyFor } from '../client/retry.ts';
import { oncePerLine } from '../output/notes.ts';
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
import { changeLines, lineProgress, standingLine } from './wait-line.ts';

const silent: Progress = { show: () => undefined, stop: () => undefined };

/** Waits until it has settled, time is up, or the user stops it; returns the last state. */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { waiting, first } = request;
  const { remarks } = operation.wait!;
  if (first !== undefined) sayIfTooLate(first, callContext, request);
  const { quiet, accessible } = settings;
  // The line is drawn in place where that can be done and is wanted.
  const live = quiet || accessible ? undefined : await runtime.liveProgress();
  const progress = live ?? (quiet ? silent : lineProgress(runtime.stderr));
  const changesIn = changeLines(operation, accessible);
  const note = oncePerLine(runtime.note);
  const start = runtime.monotonic();
  let resumeActivity: (() => void) | undefined;
  let standingNow: string | undefined;
  const line = () =>
    standingLine(
      standingNow ?? 'waiting',
      runtime.monotonic() - start,
      waiting.timeoutMs,
      runtime.stderr.columns,
    );
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll: (signal) =>
          lookAt({ ...callContext, runtime: { ...runtime, note } }, request.input, signal),
        judge: (seen, elapsedMs) => judgeLook(seen, callContext, request, elapsedMs),
        onLook(seen, { standing }) {
          standingNow = standing;
          for (const each of remarks?.(seen.data) ?? []) note(each);
          const changes = changesIn(seen.data, runtime.monotonic() - start);
          if (!quiet && changes.length > 0) void runtime.stderr.write(`${changes.join('\n')}\n`);
          if (live !== undefined) resumeActivity ??= callContext.activity?.suspend();
          progress.show(line);
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
    throw error instanceof Failure && isSignal(error.kind)
      ? stoppedWaiting(error, standingNow, callContext, request)
      : error;
  } finally {
    progress.stop();
    resumeActivity?.();
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
