// One call from its input to its settled result: the read before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { afterAccepted, Failure } from '../base/errors.ts';
import { callOperation } from '../client/call-operation.ts';
import { oncePerLine } from '../output/notes.ts';
import type { BeforeResult, CallContext, CallOutcome } from '../client/call-context.ts';
import type { WaitOptions } from './options.ts';
import {
  isChange,
  polledId,
  type Input,
  type Operation,
} from '../api/operations/define-operation.ts';
import type { WaitRequest } from './wait-request.ts';

/** Calls with one input, or with what a read before it makes of that, and waits where that is wanted. */
export async function callAndWait(
  given: CallContext,
  waiting: WaitOptions | undefined,
  typed: Input,
): Promise<CallOutcome> {
  if (given.hooks.before === undefined && waiting === undefined) return called(given, typed);
  // Show each warning once: every poll would repeat it.
  const note = oncePerLine(given.runtime.note);
  const callContext = { ...given, runtime: { ...given.runtime, note } };
  if (waiting === undefined) {
    const { first, step } = await callOnce(callContext, typed, false);
    return afterIdle(first, step, step.idle !== undefined);
  }
  const request = await callThenWait(callContext, waiting, typed);
  if (request.idle === 'nothing') return afterWait(request.first, request);
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
export async function callThenWait(
  callContext: CallContext,
  waiting: WaitOptions,
  typed: Input,
): Promise<WaitRequest & Idle & { readonly first: Result }> {
  const { first: answer, step } = await callOnce(callContext, typed, true);
  const { operation } = callContext;
  const { input, before, skipped, idle } = step;
  const asked = step.wanted ?? startedParts(operation, before, before) ?? [];
  const isTold = operation.wait?.tells?.(answer.data, polledId(operation, input), asked) ?? true;
  // Where the answer does not say how things stand, they stand as before the call until the first poll.
  const first = isTold || before === undefined ? answer : { ...answer, data: before };
  const wanted = step.wanted ?? startedParts(operation, before, first.data);
  const known = before === undefined ? undefined : (operation.wait?.remember?.(before) ?? before);
  const left = { ...(skipped && { skipped }), ...(idle && { idle }) };
  return { input, waiting, first, before: known, wanted, ...left };
}

async function callOnce(
  callContext: CallContext,
  typed: Input,
  waits: boolean,
): Promise<{ readonly first: Result; readonly step: BeforeResult }> {
  const step = (await callContext.hooks.before?.(typed, callContext, waits)) ?? { input: typed };
  return { first: step.instead ?? (await called(callContext, step.input)), step };
}

/** The parts that a call set going; nothing where it is not known how they stood before it. */
const startedParts = ({ wait }: Operation, before: unknown, answer: unknown) =>
  before === undefined ? undefined : wait?.startedBy?.(before, answer);

async function called(callContext: CallContext, input: Input): Promise<Result> {
  const { hooks, operation } = callContext;
  try {
    return await callOperation(callContext, operation, input);
  } catch (error) {
    if (hooks.failed === undefined || !(error instanceof Failure)) throw error;
    return hooks.failed(error, input, callContext);
  }
}
