// One command of an operation, from what was typed to what is shown:
// prepare → consent → open → call → wait → show. Each step is a module of its own; many calls are `batch`.

import type { Input } from '../call/request.ts';
import { isChange } from '../operations/operation.ts';
import type { World } from '../world.ts';
import type { Calling } from './calling.ts';
import { consent } from './consent.ts';
import { writeRequests } from './dry-run.ts';
import { extraOf } from './extras/table.ts';
import { DONE, filtered } from './filter.ts';
import { notesTo } from './notes.ts';
import { prepare, type Invocation, type Prepared } from './prepare.ts';
import { noted } from './seen/noted.ts';
import { recorded } from './history/recorded.ts';
import { rehearsal } from './rehearsal.ts';
import { hiddenIn, keepSecrets } from './secret.ts';
import { openService, placeOf } from './service.ts';
import { callingOf, settled } from './settled.ts';
import { show } from './show.ts';
import type { Waiting } from './waiting-flags.ts';
import type { Ended } from './waiting.ts';

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
  const { operation, fields, spelling, hide } = invocation;
  const { inputs, settings, flags, waiting } = prepared;
  const tell = () => prepared.notes.forEach(notesTo(world, settings));
  if (prepared.batch !== undefined) {
    tell();
    const { performBatch } = await import('./batch.ts');
    return performBatch(invocation, { ...prepared, batch: prepared.batch }, world);
  }
  if (settings.dryRun) {
    tell();
    if (extraOf(operation.command).looks?.(flags) !== true)
      return writeRequests(inputs.map(rehearsal(invocation, settings)), settings, world);
    const { withLooks } = await import('./looked.ts');
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
      ? (await import('./history/of-operation.ts')).watchChange(
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
  const { operation, flags } = calling;
  const extra = extraOf(operation.command);
  let ended: Ended | undefined = await settled(calling, waiting, input);
  while (ended !== undefined) {
    await show(calling, ended.data, ended.serverTime);
    await noted(calling, operation.path, input, ended.data);
    if (ended.failure !== undefined) throw ended.failure;
    extra.judge?.(ended.data, flags);
    ended = await extra.after?.(ended, input, calling);
  }
}

/** The id that an input is about: its first field. */
const idOf = (input: Input): string => String(Object.values(input)[0]);
