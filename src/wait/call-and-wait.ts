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
import { type WaitRequest, watchWait } from './wait.ts';

/** Calls the operation with one input, or with the input that a read before it made, and waits if that is requested. */
export async function callAndWait(
  callContext: CallContext,
  waiting: WaitOptions | undefined,
  input: Input,
): Promise<CallOutcome> {
  const called = await readThenCall(callContext, input, waiting !== undefined);
  const { answer, beforeResult } = called;
  const { skipped, idle } = beforeResult;
  if (waiting === undefined || idle === 'nothing')
    return { ...answer, skipped, isSkipped: idle !== undefined };
  const request = waitRequestOf(callContext.operation, called, waiting);
  return outcomeOfWait(await watchWait(callContext, request), beforeResult);
}

/** The response of a call, or of the read before it if that made the call needless. */
export interface CalledOperation {
  readonly answer: Result;
  readonly beforeResult: BeforeResult;
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
  const beforeResult = (await hooks.before?.(input, callContext, waits)) ?? { input };
  const { input: inputOfCall, instead } = beforeResult;
  if (instead !== undefined) return { answer: instead, beforeResult };
  try {
    return { answer: await callOperation(callContext, operation, inputOfCall), beforeResult };
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, inputOfCall, callContext);
  }
}

/** Makes the wait that follows a call: the parts to wait for, and the state that counts as the first poll. */
export function waitRequestOf(
  operation: Operation,
  { answer, beforeResult }: CalledOperation,
  waiting: WaitOptions,
): WaitRequest {
  const { input, instead, before, idle } = beforeResult;
  const { begin, poll = operation } = operation.wait!;
  const id = polledId(operation, input);
  const { state, wanted } = begin?.(id, answer.data, beforeResult) ?? {
    // The response to a change may have another type than the polled read.
    state: instead !== undefined || operation.result === poll.result ? answer.data : before,
    wanted: beforeResult.wanted,
  };
  // A state that is not that of the response still gets its server time and age, by which the wait judges.
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
