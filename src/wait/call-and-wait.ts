// One call from its input to its settled result: the look before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { Failure } from '../base/errors.ts';
import { callOperation } from '../client/call-operation.ts';
import { oncePerLine } from '../output/notes.ts';
import type { BeforeResult, CallContext, CallOutcome } from '../client/call-context.ts';
import type { WaitOptions } from './options.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';

/** Calls with one input, or with what a look before it makes of that, and waits where that is wanted. */
export function callAndWait(
  callContext: CallContext,
  waiting: WaitOptions | undefined,
  typed: Input,
): Promise<CallOutcome> {
  const { before } = callContext.hooks;
  if (before === undefined && waiting === undefined) return called(callContext, typed);
  return stepwise(callContext, waiting, typed);
}

async function stepwise(
  given: CallContext,
  waiting: WaitOptions | undefined,
  typed: Input,
): Promise<CallOutcome> {
  // What is odd about a post is as odd at the next look.
  const note = oncePerLine(given.runtime.note);
  const callContext = { ...given, runtime: { ...given.runtime, note } };
  const { before } = callContext.hooks;
  const step: BeforeResult = (await before?.(typed, callContext, waiting !== undefined)) ?? {
    input: typed,
  };
  const first = step.instead ?? (await called(callContext, step.input));
  if (waiting === undefined) return first;
  const { input, before: then } = step;
  const wanted = step.wanted ?? startedParts(callContext.operation, then, first.data);
  const { watchWait } = await import('./watch.ts');
  return watchWait(callContext, { input, waiting, first, before: then, wanted });
}

/** The parts that a call set going; nothing where it is not known how they stood before it. */
const startedParts = ({ wait }: Operation, before: unknown, answer: unknown) =>
  before === undefined ? undefined : wait?.startedBy?.(before, answer);

function called(callContext: CallContext, input: Input): Promise<Result> {
  const { failed } = callContext.hooks;
  const answer = callOperation(callContext, callContext.operation, input);
  if (failed === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (error instanceof Failure) return failed(error, input, callContext);
    throw error;
  });
}
