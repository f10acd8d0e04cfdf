// One command of an operation, from what was typed to what is shown:
// prepare → consent → open → call → wait → show. Each step is a module of its own; many calls are `batch`.

import { isChange, type Input } from '../api/operations/define-operation.ts';
import type { World } from '../base/runtime.ts';
import { callingOf } from '../client/call-operation.ts';
import { openService, originOf, placeOf } from '../client/open-service.ts';
import { isOff } from '../config/flags.ts';
import { recorded } from '../history/recorder.ts';
import { hiddenIn, keepSecrets } from '../input/secret-input.ts';
import { DONE, filtered } from '../output/jq-filter.ts';
import { notesTo } from '../output/notes.ts';
import { show } from '../output/write-result.ts';
import { consent } from '../prompts/confirm.ts';
import { settled } from '../wait/call-and-wait.ts';
import type { Waiting } from '../wait/options.ts';
import { rehearsal, writeRequests } from '../client/dry-run.ts';
import { prepare, type Prepared } from './prepare-call.ts';
import type { Invocation } from '../input/types.ts';
import type { Calling, Ended } from '../client/call-context.ts';

// Whether the ids of a call are kept for completion: at a terminal, where somebody may press TAB, unless nothing of what
// is done is to be remembered. Loads what keeps them only then.

/** Keeps the ids of a call whose result was shown. */
export async function noted(
  { service, world }: Calling,
  path: string,
  input: Readonly<Record<string, unknown>>,
  data: unknown,
): Promise<void> {
  if (!world.stdout.isTTY || isOff(world)) return;
  const { remember } = await import('../history/seen-ids.ts');
  await remember(originOf(service), path, input, data, world);
}

/** Runs an operation's command. Throws the `Failure` it ends with. */
export async function perform(invocation: Invocation, world: World): Promise<void> {
  const prepared = await prepare(invocation, world);
  const { settings, filter } = prepared;
  const isDone = isChange(invocation.operation) && !settings.dryRun;
  const done = isDone ? [DONE] : [];
  const { forceUnlock: deadHolders } = settings;
  const work = (shown: World) => carryOut(invocation, prepared, { ...shown, deadHolders });
  await filtered(filter, settings, world, work, done);
}

async function carryOut(invocation: Invocation, prepared: Prepared, world: World): Promise<void> {
  const { operation, fields, hooks, spelling, hide } = invocation;
  const { inputs, settings, flags, waiting } = prepared;
  const tell = () => prepared.notes.forEach(notesTo(world, settings));
  if (prepared.batch !== undefined) {
    tell();
    const { performBatch } = await import('../batch/run-batch.ts');
    return performBatch(invocation, { ...prepared, batch: prepared.batch }, world);
  }
  if (settings.dryRun) {
    tell();
    if (hooks.looks?.(flags) !== true)
      return writeRequests(inputs.map(rehearsal(invocation, settings)), settings, world);
    const { withLooks } = await import('../client/dry-run.ts');
    return withLooks(invocation, prepared, world, async (look, calling) => {
      const request = await look(inputs[0]!, calling);
      if (request !== undefined) await writeRequests([request], settings, world);
    });
  }
  const place = placeOf(settings);
  const ids = inputs.map(idOf);
  const intent = {
    operation,
    words: spelling.words.join(' '),
    ids,
    count: ids.length,
    flags,
    argv: invocation.argv,
  };
  // What is refused here is said with the line as it was typed.
  hide(inputs.flatMap((input) => hiddenIn(fields, input)));
  await consent(intent, settings, world);
  const service = await openService(place, settings, world);
  hide(service.tokens);
  tell();
  const calling = await callingOf(invocation, prepared, service, world);
  try {
    await keepSecrets(fields, flags, inputs[0]!);
    const watched = isChange(operation)
      ? (await import('../history/change-observer.ts')).watchChange(
          invocation,
          prepared,
          service,
          world,
        )
      : undefined;
    await recorded(watched?.record, () =>
      once({ ...calling, change: watched?.watch }, waiting, inputs[0]!),
    );
  } finally {
    await service.close();
  }
}

/** Calls with one input, shows the result, and then ends as the result says. */
async function once(calling: Calling, waiting: Waiting | undefined, input: Input): Promise<void> {
  const { operation, hooks, flags } = calling;
  let ended: Ended | undefined = await settled(calling, waiting, input);
  while (ended !== undefined) {
    await show(calling, ended.data, ended.serverTime);
    await noted(calling, operation.path, input, ended.data);
    if (ended.failure !== undefined) throw ended.failure;
    hooks.judge?.(ended.data, flags);
    ended = await hooks.after?.(ended, input, calling);
  }
}

/** The id that an input is about: its first field. */
const idOf = (input: Input): string => String(Object.values(input)[0]);
