// One call from its input to its final result: the read before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { Failure } from '../base/errors.ts';
import { callOperation } from '../client/call-operation.ts';
import type {
  BeforeResult,
  CallContext,
  CallOutcome,
  WaitOptions,
} from '../client/call-context.ts';
import {
  isChange,
  polledId,
  type Input,
  type Operation,
} from '../api/operations/define-operation.ts';
import type { WaitRequest } from './wait.ts';

/** Calls the operation with one input, or with the input that a read before it made, and waits if that is requested. */
export async function callAndWait(
  callContext: CallContext,
  waiting: WaitOptions | undefined,
  input: Input,
): Promise<CallOutcome> {
  const called = await readThenCall(callContext, input, waiting !== undefined);
  const { answer, step } = called;
  const { skipped, idle } = step;
  if (waiting === undefined || idle === 'nothing')
    return { ...answer, skipped, isSkipped: idle !== undefined };
  const { watchWait } = await import('./wait.ts');
  const request = waitRequestOf(callContext.operation, called, waiting);
  return outcomeOfWait(await watchWait(callContext, request), step);
}

/** The response of a call, and the result of the read before it, which may have made the call needless. */
interface CalledOperation {
  readonly answer: Result;
  readonly step: BeforeResult;
}

/**
 * Makes the read before the call, if the command has one, and the call, unless the read made it needless. The `failed`
 * hook of the command may replace a failure of the call by one that says more.
 */
export async function readThenCall(
  callContext: CallContext,
  input: Input,
  waits: boolean,
): Promise<CalledOperation> {
  const { hooks, operation } = callContext;
  const step = (await hooks.before?.(input, callContext, waits)) ?? { input };
  if (step.instead !== undefined) return { answer: step.instead, step };
  try {
    return { answer: await callOperation(callContext, operation, step.input), step };
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, step.input, callContext);
  }
}

/** Makes the wait that follows a call: for which parts, and with which first state. */
export function waitRequestOf(
  operation: Operation,
  { answer, step }: CalledOperation,
  waiting: WaitOptions,
): WaitRequest {
  const { input, before, idle } = step;
  const { begin, poll = operation } = operation.wait!;
  const id = polledId(operation, input);
  const { state, wanted } = begin?.(id, answer.data, { before, wanted: step.wanted }) ?? {
    // The response to a change may have another type than the polled read.
    state: step.instead !== undefined || operation.result === poll.result ? answer.data : before,
    wanted: step.wanted,
  };
  // A state from elsewhere counts as read at the time of the response.
  const first =
    state === answer.data ? answer : state === undefined ? undefined : { ...answer, data: state };
  const isAccepted = isChange(operation) && idle === undefined;
  return { input, waiting, first, before, wanted, isAccepted };
}

/**
 * Adds the skipped targets to the end of a wait. The call counts as skipped if there were no targets, or if all were done
 * before.
 */
export function outcomeOfWait(
  ended: CallOutcome,
  { skipped, idle }: Pick<BeforeResult, 'skipped' | 'idle'>,
): CallOutcome {
  const isSkipped = idle === 'nothing' || (idle === 'done' && ended.failure === undefined);
  return { ...ended, skipped, isSkipped };
}
