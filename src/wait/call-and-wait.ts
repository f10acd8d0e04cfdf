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
import { isChange, polledId, type Input } from '../api/operations/define-operation.ts';
import type { WaitRequest } from './wait.ts';

/** Calls the operation with one input, or with the input that a read before it made, and waits if that is requested. */
export async function callAndWait(
  callContext: CallContext,
  waiting: WaitOptions | undefined,
  input: Input,
): Promise<CallOutcome> {
  if (waiting === undefined) {
    const { answer, step } = await readThenCall(callContext, input, false);
    return { ...answer, skipped: step.skipped, isSkipped: step.idle !== undefined };
  }
  const request = await callBeforeWait(callContext, waiting, input);
  if (request.idle === 'nothing') return afterWait(request.answer, request);
  const { watchWait } = await import('./wait.ts');
  return afterWait(await watchWait(callContext, request), request);
}

/**
 * The result of the read before the call: the skipped targets, and `idle` if the call was needless: all targets are
 * `done`, some are still `moving`, or there are none (`nothing`).
 */
type SkippedByRead = Pick<BeforeResult, 'skipped' | 'idle'>;

/**
 * Adds the skipped targets to the result of a wait. The call counts as skipped if it was needless: there were no targets,
 * or all were done before.
 */
export function afterWait(ended: CallOutcome, { skipped, idle }: SkippedByRead): CallOutcome {
  const isSkipped = idle === 'nothing' || (idle === 'done' && ended.failure === undefined);
  return { ...ended, skipped, isSkipped };
}

/** Calls the operation with one input. Resolves with the response, and with the wait that the caller must make next. */
export async function callBeforeWait(
  callContext: CallContext,
  waiting: WaitOptions,
  input: Input,
): Promise<WaitRequest & SkippedByRead & { readonly answer: Result }> {
  const { answer, step } = await readThenCall(callContext, input, true);
  const { operation } = callContext;
  const { input: called, before, skipped, idle } = step;
  const { begin, poll = operation } = operation.wait!;
  const id = polledId(operation, called);
  const { state, wanted } = begin?.(id, answer.data, { before, wanted: step.wanted }) ?? {
    // The response to a change may have another type than the polled read.
    state: step.instead !== undefined || operation.result === poll.result ? answer.data : before,
    wanted: step.wanted,
  };
  const first =
    state === answer.data ? answer : state === undefined ? undefined : { ...answer, data: state };
  const isAccepted = isChange(operation) && idle === undefined;
  return { input: called, waiting, answer, first, before, wanted, skipped, idle, isAccepted };
}

/** Makes the read before the call, if the command has one, and the call, unless the read made it needless. */
async function readThenCall(
  callContext: CallContext,
  input: Input,
  waits: boolean,
): Promise<{ readonly answer: Result; readonly step: BeforeResult }> {
  const step = (await callContext.hooks.before?.(input, callContext, waits)) ?? { input };
  return { answer: step.instead ?? (await callWithFailedHook(callContext, step.input)), step };
}

/** Makes the call. The `failed` hook of the command may replace a failure by one that says more. */
async function callWithFailedHook(callContext: CallContext, input: Input): Promise<Result> {
  const { hooks, operation } = callContext;
  try {
    return await callOperation(callContext, operation, input);
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, input, callContext);
  }
}
