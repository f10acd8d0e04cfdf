// One call from its input to its final result: the read before it, the call, the wait after it.

import {
  isChange,
  type Input,
  type Operation,
  polledId,
} from '../api/operations/define-operation.ts';
import {
  type Acceptance,
  acceptanceOf,
  retriedParts,
  seenIn,
  statesOf,
} from '../api/operations/part-states.ts';
import { Failure } from '../base/errors.ts';
import type { Session, CallOutcome, Prepared, WaitOptions } from '../client/session.ts';
import { callOperation } from '../client/call-operation.ts';
import type { Result } from '../client/read-response.ts';
import { inTime, resumption, type WaitRequest, watchWait } from './wait.ts';

/** Calls the operation with one input, or with the input that a read before it made, and waits if that is requested. */
export async function callAndWait(
  session: Session,
  waiting: WaitOptions | undefined,
  input: Input,
): Promise<CallOutcome> {
  // If a person stands beside this wait, a bad network at its start ends it no sooner than one later.
  const isForPerson = session.operation.wait?.everyMs !== undefined && session.runtime.stderr.isTTY;
  if (waiting !== undefined && isForPerson) return watchWait(session, { input, waiting });
  const called = await readThenCall(session, input, waiting).catch((error: unknown) => {
    const isDown = error instanceof Failure && error.facts.retryable === true;
    if (waiting === undefined || isChange(session.operation) || !isDown) throw error;
    throw error.with(resumption(session, { input, waiting }, error.facts.hint));
  });
  const { prepared } = called;
  if (waiting === undefined || isForNothing(prepared)) return outcomeWithoutWait(called);
  const request = waitRequestOf(session.operation, called, waiting);
  return { ...(await watchWait(session, request)), skipped: prepared.skipped };
}

/** True if no part was selected, or all have ended, so that there is nothing to wait for either. */
export const isForNothing = (prepared: Prepared): boolean =>
  prepared.do === 'nothing' && (prepared.because === 'none' || prepared.because === 'done');

/** The outcome of a call that is not waited for. */
export function outcomeWithoutWait({ answer, prepared }: CalledOperation): CallOutcome {
  const ended = prepared.do === 'nothing' ? prepared.ended : undefined;
  const isSkipped = isIdle(prepared) && ended === undefined;
  return { ...answer, ...ended, skipped: prepared.skipped, isSkipped };
}

/** True if nothing was sent because there was nothing to do. */
const isIdle = (prepared: Prepared): boolean =>
  prepared.do === 'nothing' && prepared.because !== 'read';

/** The response of a call, or of the read before it if nothing had to be sent. */
export interface CalledOperation {
  readonly answer: Result;
  readonly prepared: Prepared;
  /** The time of the call, by the monotonic clock: the wait of a read begins with it. */
  readonly startedAt: number;
}

/**
 * Makes the read before the call, if the command has one, and the call, unless there is nothing to send. If a read is
 * waited for, this is its first poll and ends with the wait. The `failed` hook of the command may replace a failure of
 * the call by one that says more.
 */
export async function readThenCall(
  session: Session,
  input: Input,
  waiting: WaitOptions | undefined,
): Promise<CalledOperation> {
  const { operation, runtime } = session;
  const startedAt = runtime.monotonic();
  if (waiting === undefined || isChange(operation))
    return { ...(await call(session, input, waiting !== undefined)), startedAt };
  return inTime(waiting.timeoutMs, runtime.signal, async (signal) => {
    const bounded = { ...session, runtime: { ...runtime, signal } };
    return { ...(await call(bounded, input, true)), startedAt };
  });
}

async function call(
  session: Session,
  input: Input,
  waits: boolean,
): Promise<Omit<CalledOperation, 'startedAt'>> {
  const { hooks, operation } = session;
  const prepared = (await runBefore(session, input, waits)) ?? ({ do: 'send', input } as const);
  if (prepared.do === 'nothing') return { answer: prepared.shown, prepared };
  const { before } = prepared;
  try {
    const answer = await callOperation(session, operation, prepared.input, { before });
    return { answer, prepared };
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, prepared.input, session);
  }
}

/** Runs the `before` hook, which reads. If that fails, nothing was changed, and the failure says so. */
async function runBefore(session: Session, input: Input, waits: boolean) {
  try {
    return await session.hooks.before?.(input, session, waits);
  } catch (error) {
    if (!(error instanceof Failure) || !isChange(session.operation)) throw error;
    throw error.facts.sent === true ? error.with({ nothingWas: 'changed' }) : error;
  }
}

/** Makes the wait that follows a call: the parts to wait for, and the state that counts as the first poll. */
export function waitRequestOf(
  operation: Operation,
  { answer, prepared, startedAt }: CalledOperation,
  waiting: WaitOptions,
): WaitRequest {
  const { input, wanted, accepted = new Map<string, Acceptance>() } = prepared;
  if (prepared.do === 'nothing') {
    const isOfChange = isChange(operation);
    const isAccepted = isOfChange && accepted.size > 0;
    // The wait of a read began with its first poll; that of a change begins now.
    const start = isOfChange ? undefined : startedAt;
    return { input, waiting, first: answer, wanted, accepted, isAccepted, startedAt: start };
  }
  if (!isChange(operation)) return { input, waiting, first: answer, wanted, startedAt };
  const { before } = prepared;
  const seen = before?.seen();
  const answered = seenIn(answer.data, answer.serverTime);
  const named = input[operation.partsField ?? ''] as readonly string[] | undefined;
  const sent = new Map(
    (named ?? retriedParts(seen, answered)).map((part) => [
      part,
      acceptanceOf(part, seen, answered, { date: answer.serverTime }),
    ]),
  );
  const { poll = operation, partsOf } = operation.wait!;
  // Those that the read before shows; the response may add parts, once it is trusted below.
  const needed = wanted ?? named ?? partsOf?.(before?.result.data, before?.result.data) ?? [];
  const isShown =
    poll.result === operation.result &&
    isAbout(answer.data, polledId(operation, input)) &&
    needed.every((part) => statesOf(answered, part).length > 0);
  // A response that does not show all parts gives way to the state before the change.
  const first = isShown ? answer : before && { ...answer, data: before.result.data };
  return {
    input,
    waiting,
    first,
    wanted: wanted ?? named ?? partsOf?.(before?.result.data, first?.data),
    accepted: new Map([...accepted, ...sent]),
    isAccepted: true,
  };
}

/** True if a response is about the resource with this ID. One without an ID is taken for it. */
const isAbout = (data: unknown, id: string): boolean =>
  ((data as { readonly id?: unknown } | undefined)?.id ?? id) === id;
