// One call from its input to its settled result: the look before it, the call, the wait after it.

import type { Result } from '../client/read-response.ts';
import type { Input } from '../client/build-request.ts';
import { Failure } from '../base/errors.ts';
import type { World } from '../base/runtime.ts';
import { activityOn } from '../client/activity.ts';
import { call, type Calling } from '../client/call-operation.ts';
import { eachOnce, notesTo } from '../output/notes.ts';
import type { Step } from '../client/command-hooks.ts';
import { extraOf } from '../commands/operation-hooks.ts';
import type { Invocation, Prepared } from '../cli/prepare-call.ts';
import type { Service } from '../client/open-service.ts';
import type { Waiting } from './options.ts';
import type { Ended } from './watch.ts';

/** An opened service and what was prepared, as one thing to call with; `--debug` shows what passes. */
export async function callingOf(
  { operation, mask }: Pick<Invocation, 'operation' | 'mask'>,
  { command, paths, settings, flags }: Pick<Prepared, 'command' | 'paths' | 'settings' | 'flags'>,
  service: Service,
  world: World,
): Promise<Calling> {
  const send = settings.debug
    ? await (await import('../client/trace.ts')).traced(service.send, mask, world)
    : service.send;
  return {
    operation,
    command,
    flags,
    paths,
    settings,
    service: { ...service, send },
    world,
    note: notesTo(world, settings),
    activity: activityOn(world, settings),
  };
}

/** Calls with one input, or with what a look before it makes of that, and waits where that is wanted. */
export function settled(
  calling: Calling,
  waiting: Waiting | undefined,
  typed: Input,
): Promise<Ended> {
  const { before } = extraOf(calling.operation.command);
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
  const { before } = extraOf(calling.operation.command);
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
  const { failed } = extraOf(calling.operation.command);
  const answer = call(calling, calling.operation, input);
  if (failed === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (error instanceof Failure) return failed(error, input, calling);
    throw error;
  });
}
