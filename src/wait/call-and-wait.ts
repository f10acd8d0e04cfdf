// One call from its input to its settled result: the read before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { afterAccepted, Failure } from '../base/errors.ts';
import { callOperation } from '../client/call-operation.ts';
import { oncePerLine } from '../output/notes.ts';
import type { BeforeResult, CallContext, CallOutcome } from '../client/call-context.ts';
import type { WaitOptions } from './options.ts';
import { isChange, polledId, type Input } from '../api/operations/define-operation.ts';
import type { WaitRequest } from './wait-request.ts';

/** Calls with one input, or with what a read before it makes of that, and waits where that is wanted. */
export async function callAndWait(
  given: CallContext,
  waiting: WaitOptions | undefined,
  typed: Input,
): Promise<CallOutcome> {
  if (given.hooks.before === undefined && waiting === undefined) return callOrTakeUp(given, typed);
  // Show each warning once: every poll would repeat it.
  const note = oncePerLine(given.runtime.note);
  const callContext = { ...given, runtime: { ...given.runtime, note } };
  if (waiting === undefined) {
    const { answer, step } = await readThenCall(callContext, typed, false);
    return afterIdle(answer, step, step.idle !== undefined);
  }
  const request = await callBeforeWait(callContext, waiting, typed);
  if (request.idle === 'nothing') return afterWait(request.answer, request);
  const { watchWait } = await import('./watch.ts');
  const isAccepted = isChange(callContext.operation) && request.idle === undefined;
  const ended = await watchWait(callContext, request, isAccepted).catch((error: unknown) => {
    throw isAccepted && error instanceof Failure ? afterAccepted(error) : error;
  });
  return afterWait(endedAfter(ended, isAccepted), request);
}

/** The end of a call, whose failure says so where a change was accepted before it. */
export const endedAfter = (ended: CallOutcome, isAccepted: boolean): CallOutcome =>
  ended.failure === undefined || !isAccepted
    ? ended
    : { ...ended, failure: afterAccepted(ended.failure) };

/** What was left alone before a wait, and whether anything was to be done. */
type Idle = Pick<BeforeResult, 'skipped' | 'idle'>;

/** What a wait ended with; where nothing was sent, and all was as wanted before, there was nothing to do. */
export const afterWait = (ended: CallOutcome, step: Idle): CallOutcome =>
  afterIdle(
    ended,
    step,
    step.idle === 'nothing' || (step.idle === 'settled' && ended.failure === undefined),
  );

const afterIdle = (ended: CallOutcome, { skipped }: Idle, isSkipped: boolean): CallOutcome =>
  skipped === undefined && !isSkipped
    ? ended
    : { ...ended, isSkipped, ...(skipped === undefined ? {} : { skipped }) };

/** Calls with one input; resolves to the wait that has to follow, unless there is nothing to wait for. */
export async function callBeforeWait(
  callContext: CallContext,
  waiting: WaitOptions,
  typed: Input,
): Promise<WaitRequest & Idle & { readonly answer: Result }> {
  const { answer, step } = await readThenCall(callContext, typed, true);
  const { operation } = callContext;
  const { input, before, skipped, idle } = step;
  const { begin, poll = operation } = operation.wait!;
  const id = polledId(operation, input);
  const { state, wanted } = begin?.({ id, before, answer: answer.data, wanted: step.wanted }) ?? {
    // The answer to a change may be of another kind than what is polled.
    state: step.instead !== undefined || operation.result === poll.result ? answer.data : before,
    wanted: step.wanted,
  };
  const first =
    state === answer.data ? answer : state === undefined ? undefined : { ...answer, data: state };
  const left = { ...(skipped && { skipped }), ...(idle && { idle }) };
  return { input, waiting, answer, first, before, wanted, ...left };
}

/** Makes the read before the call, where the command has one, and the call unless that made it needless. */
async function readThenCall(
  callContext: CallContext,
  typed: Input,
  waits: boolean,
): Promise<{ readonly answer: Result; readonly step: BeforeResult }> {
  const step = (await callContext.hooks.before?.(typed, callContext, waits)) ?? { input: typed };
  return { answer: step.instead ?? (await callOrTakeUp(callContext, step.input)), step };
}

/** Makes the call; a failure goes to the command, which may know more. */
async function callOrTakeUp(callContext: CallContext, input: Input): Promise<Result> {
  const { hooks, operation } = callContext;
  try {
    return await callOperation(callContext, operation, input, { change: callContext.change });
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, input, callContext);
  }
}
