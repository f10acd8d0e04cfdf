// One call from its input to its settled result: the look before it, the call, the wait after it.

import type { Result } from '../call/answer.ts';
import type { Input } from '../call/request.ts';
import { Failure } from '../errors.ts';
import type { World } from '../world.ts';
import { activityOn } from './activity.ts';
import { call, type Calling } from './calling.ts';
import { eachOnce, notesTo } from './notes.ts';
import type { Step } from './extras/extra.ts';
import { extraOf } from './extras/table.ts';
import type { Invocation, Prepared } from './prepare.ts';
import type { Service } from './service.ts';
import type { Waiting } from './waiting-flags.ts';
import type { Ended } from './waiting.ts';

/** An opened service and what was prepared, as one thing to call with; `--debug` shows what passes. */
export async function callingOf(
  { operation, mask }: Pick<Invocation, 'operation' | 'mask'>,
  { command, paths, settings, flags }: Pick<Prepared, 'command' | 'paths' | 'settings' | 'flags'>,
  service: Service,
  world: World,
): Promise<Calling> {
  const send = settings.debug
    ? await (await import('./trace.ts')).traced(service.send, mask, world)
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
    import('./waiting.ts'),
    import('../call/settle.ts'),
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
