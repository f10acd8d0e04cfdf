// One command of an operation, from what was typed to what is shown:
// prepare → consent → open → call → wait → show. Each step is a module of its own.

import type { Result } from '../call/answer.ts';
import type { Input } from '../call/request.ts';
import { Failure } from '../errors.ts';
import type { World } from '../world.ts';
import { call, notesTo, requestOf, type Calling } from './calling.ts';
import { consent } from './consent.ts';
import { writeRequests } from './dry-run.ts';
import type { Step } from './extras/extra.ts';
import { waitForPost } from './extras/posts-wait.ts';
import { extraOf } from './extras/table.ts';
import { each } from './many.ts';
import { prepare, type Invocation, type Prepared } from './prepare.ts';
import { maskSecrets } from './mask-secrets.ts';
import { keepSecrets, secretsIn } from './secret.ts';
import { openService, placeOf, type Place } from './service.ts';
import { show } from './show.ts';
import type { Ended } from './waiting.ts';

/** Runs an operation's command. Throws the `Failure` it ends with. */
export async function perform(invocation: Invocation, world: World): Promise<void> {
  const { operation, fields, hide, mask } = invocation;
  const prepared = await prepare(invocation, world);
  const { inputs, settings, command, paths, flags } = prepared;
  if (settings.dryRun) return showRequests(invocation, prepared, world);
  const place = placeOf(settings);
  const words = invocation.spelling.words.join(' ');
  await consent({ operation, words, ids: inputs.map(idOf), flags }, settings, world);
  const service = await openService(place, settings, world);
  hide([service.token, ...inputs.flatMap((input) => secretsIn(fields, input))]);
  const send = settings.debug
    ? (await import('./trace.ts')).traced(service.send, mask, world)
    : service.send;
  const note = notesTo(world, settings);
  const calling = {
    operation,
    command,
    flags,
    paths,
    settings,
    service: { ...service, send },
    world,
    note,
  };
  try {
    await keepSecrets(fields, flags, inputs[0]!);
    if (inputs.length === 1) await once(calling, prepared, inputs[0]!);
    else await each(calling, inputs, (input) => settled(calling, prepared, input));
  } finally {
    await service.close();
  }
}

/** Calls with one input, shows the result, and then ends as the result says. */
async function once(calling: Calling, prepared: Prepared, input: Input): Promise<void> {
  const { operation, flags } = calling;
  const extra = extraOf(operation.command);
  let ended: Ended | undefined = await settled(calling, prepared, input);
  while (ended !== undefined) {
    await show(calling, ended.data, ended.serverTime);
    if (ended.failure !== undefined) throw ended.failure;
    extra.judge?.(ended.data, flags);
    ended = await extra.after?.(ended, input, calling);
  }
}

/** Calls with one input, or with what a look before it makes of that, and waits where that is wanted. */
async function settled(calling: Calling, { waiting }: Prepared, typed: Input): Promise<Ended> {
  const { before } = extraOf(calling.operation.command);
  const step: Step = (await before?.(typed, calling, waiting !== undefined)) ?? { input: typed };
  const first = step.instead ?? (await called(calling, step.input));
  const idle = step.instead !== undefined && step.prior === undefined;
  if (waiting === undefined || idle) return first;
  const { awaitSettled } = await import('./waiting.ts');
  return awaitSettled(calling, { input: step.input, waiting, first, ...step.prior });
}

async function called(calling: Calling, input: Input): Promise<Result> {
  const { failed } = extraOf(calling.operation.command);
  try {
    return await call(calling, calling.operation, input);
  } catch (error) {
    if (failed === undefined || !(error instanceof Failure)) throw error;
    return failed(error, input, calling);
  }
}

async function showRequests(
  { operation, fields }: Invocation,
  { inputs, settings }: Prepared,
  world: World,
): Promise<void> {
  const here = settings.baseUrl === undefined && settings.context === undefined;
  const { baseUrl } = here ? nowhere : placeOf(settings);
  // What only waits sends what it looks with.
  const sent = operation.command === waitForPost.command ? waitForPost.wait!.poll! : operation;
  const requests = inputs.map((input) =>
    requestOf(sent, maskSecrets(fields, input), baseUrl, settings),
  );
  await writeRequests(requests, settings, world);
}

/** A dry run needs no service; this stands for its address. */
const nowhere: Place = { baseUrl: 'https://SOCIAL_BASE_URL', sandbox: false };

/** The id that an input is about: its first field. */
const idOf = (input: Input): string => String(Object.values(input)[0]);
