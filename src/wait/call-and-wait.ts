// One call from its input to its settled result: the look before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { Failure } from '../base/errors.ts';
import { callOperation } from '../client/call-operation.ts';
import { oncePerLine } from '../output/notes.ts';
import type { BeforeResult, CallContext, CallOutcome } from '../client/call-context.ts';
import type { WaitOptions } from './options.ts';
import type { Input, Operation } from '../api/operations/define-operation.ts';

/** Calls with one input, or with what a look before it makes of that, and waits where that is wanted. */
export async function callAndWait(
  given: CallContext,
  waiting: WaitOptions | undefined,
  typed: Input,
): Promise<CallOutcome> {
  const { before } = given.hooks;
  if (before === undefined && waiting === undefined) return called(given, typed);
  // What is odd about a post is as odd at the next look.
  const note = oncePerLine(given.runtime.note);
  const callContext = { ...given, runtime: { ...given.runtime, note } };
  const step: BeforeResult = (await before?.(typed, callContext, waiting !== undefined)) ?? {
    input: typed,
  };
  const { input } = step;
  const first = step.instead ?? (await called(callContext, input));
  const { skipped, idle } = step;
  const more = { ...(skipped && { skipped }), ...(idle && { isSkipped: true }) };
  if (waiting === undefined || idle === 'nothing') return { ...first, ...more };
  const wanted = step.wanted ?? startedParts(callContext.operation, step.before, first.data);
  const { watchWait } = await import('./watch.ts');
  const ended = await watchWait(callContext, {
    input,
    waiting,
    first,
    before: step.before,
    wanted,
  });
  const isSkipped = idle === 'settled' && ended.failure === undefined;
  return { ...ended, ...more, isSkipped };
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
