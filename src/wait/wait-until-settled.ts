// The wait for what a call set going, by the same rules for one call and for each record of a batch.

import { isChange } from '../api/operations/define-operation.ts';
import type { WaitVerdict } from '../api/operations/wait.ts';
import { isSignal } from '../base/exit-codes.ts';
import { Failure } from '../base/errors.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import type { Result } from '../client/read-response.ts';
import { asFailure } from '../output/error-report.ts';
import { pollUntilSettled } from './poll.ts';
import {
  gaveUp,
  judgeLook,
  sayIfTooLate,
  stoppedWaiting,
  waitFailure,
  type WaitRequest,
} from './wait-request.ts';

interface WaitWays {
  /** Makes one poll. */
  poll(signal: AbortSignal): Promise<Result>;
  /** Told after each poll that was answered. */
  onLook(seen: Result, verdict: WaitVerdict): void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Waits until it has settled, or time is up: resolves to the last state, with the failure that it ends with. Rejects
 * with a `Failure` where a poll failed for good, and where the wait was stopped.
 */
export async function waitUntilSettled(
  callContext: CallContext,
  request: WaitRequest,
  { poll, onLook, signal }: WaitWays,
): Promise<CallOutcome> {
  const { operation, runtime } = callContext;
  const { waiting, first } = request;
  let standing: string | undefined;
  if (first !== undefined) sayIfTooLate(first, callContext, request);
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll,
        judge: (seen, elapsedMs) => judgeLook(seen, callContext, request, elapsedMs),
        onLook(seen, verdict) {
          ({ standing } = verdict);
          for (const remark of operation.wait!.remarks?.(seen.data) ?? []) runtime.note(remark);
          onLook(seen, verdict);
        },
      },
      first,
      runtime,
      signal,
    );
    const { last, lost } = polled;
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, callContext, request);
    return { ...last, ...waitFailure(polled, callContext, request) };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw stoppedWaiting(stopOf(signal), standing, callContext, request);
  }
}

/** Why a wait was stopped: by a signal, or because its batch starts nothing more. */
function stopOf(signal: AbortSignal): Failure {
  const why = asFailure(signal.reason);
  if (isSignal(why.kind)) return why;
  return new Failure('still_pending', { what: why.facts.what, retryable: false });
}
