// One call from its input to its settled result: the look before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import { Failure } from '../base/errors.ts';
import { call } from '../client/call-operation.ts';
import { eachOnce } from '../output/notes.ts';
import type { Step, Calling, Ended } from '../client/call-context.ts';
import type { Waiting } from './options.ts';
import type { Input } from '../api/operations/define-operation.ts';

/** Calls with one input, or with what a look before it makes of that, and waits where that is wanted. */
export function settled(
  calling: Calling,
  waiting: Waiting | undefined,
  typed: Input,
): Promise<Ended> {
  const { before } = calling.hooks;
  if (before === undefined && waiting === undefined) return called(calling, typed);
  return stepwise(calling, waiting, typed);
}

async function stepwise(
  given: Calling,
  waiting: Waiting | undefined,
  typed: Input,
): Promise<Ended> {
  // What is odd about a post is as odd at the next look.
  const calling = { ...given, note: eachOnce(given.note) };
  const { before } = calling.hooks;
  const step: Step = (await before?.(typed, calling, waiting !== undefined)) ?? { input: typed };
  const first = step.instead ?? (await called(calling, step.input));
  if (waiting === undefined) return first;
  const [{ awaitSettled }, { retriedTargets }] = await Promise.all([
    import('./watch.ts'),
    import('./poll.ts'),
  ]);
  const wanted = step.wanted ?? (step.before && retriedTargets(step.before, first.data));
  const { input, before: then } = step;
  return awaitSettled(calling, {
    input,
    waiting,
    first,
    ...(then === undefined ? {} : { before: then }),
    ...(wanted === undefined ? {} : { wanted }),
  });
}

function called(calling: Calling, input: Input): Promise<Result> {
  const { failed } = calling.hooks;
  const answer = call(calling, calling.operation, input);
  if (failed === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (error instanceof Failure) return failed(error, input, calling);
    throw error;
  });
}
