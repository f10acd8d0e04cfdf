// Many calls of one operation: check all records → consent → open → run → sum up. Each step is a module of its own;
// what one call is, is `settled`, the same as for a single one.

import type { Input } from '../call/request.ts';
import { startReplacement } from '../files/replace.ts';
import { isChange } from '../operations/operation.ts';
import type { World } from '../world.ts';
import { jobOf, journalPath, withJournal } from './batch-journal.ts';
import { checkRecords } from './batch-records.ts';
import { runRecords, type Run, type Task } from './batch-run.ts';
import type { BatchSettings } from './batch-settings.ts';
import { recordSource, typedSource } from './batch-source.ts';
import { notesTo } from './notes.ts';
import { consent } from './consent.ts';
import { extraOf } from './extras/table.ts';
import type { Deed } from './history/record.ts';
import { recorded } from './history/recorded.ts';
import type { Invocation, Prepared } from './prepare.ts';
import { hiddenIn, keepSecrets } from './secret.ts';
import { openService, placeOf, type Service } from './service.ts';
import { callingOf } from './settled.ts';
import { withoutStackTraces } from './stack-traces.ts';
import { repeats } from './value.ts';

/** Runs the operation for every record. Throws the `Failure` it ends with. */
export async function performBatch(
  invocation: Invocation,
  prepared: Prepared & { readonly batch: BatchSettings },
  world: World,
): Promise<void> {
  const { operation, fields } = invocation;
  const { batch, inputs, settings, shared } = prepared;
  const note = notesTo(world, settings);
  const source =
    batch.from === undefined ? typedSource(inputs) : await recordSource(batch.from, fields, world);
  const stackTracesBack = settings.debug ? undefined : withoutStackTraces();
  try {
    const records = await checkRecords(source, {
      operation,
      fields,
      complete: completer(invocation, shared),
      faults: (input) => extraOf(operation.command).faults?.(input, prepared.flags) ?? [],
      shard: batch.shard,
      allowEmpty: batch.allowEmpty,
      confirm: new Set(settings.confirm),
    });
    if (records.repeated > 0) note(`${repeats(records.repeated, 'record')} done once`);
    const task = { invocation, prepared, batch, records, world, note };
    if (records.count === 0)
      return note(records.elsewhere > 0 ? 'nothing of it is in this shard' : 'nothing to do');
    if (settings.dryRun) return await (await import('./batch-rehearsal.ts')).rehearseBatch(task);
    await carryOut(task);
  } finally {
    stackTracesBack?.();
    await source.close();
  }
}

/** Fills in what a record leaves out, in the order of the declaration: equal records come out as equal text. */
function completer({ operation }: Invocation, shared: Input): (own: Input) => Input {
  const names = Object.keys(operation.input.shape);
  const { complete } = extraOf(operation.command);
  const nothingShared = names.every((name) => shared[name] === undefined);
  const filled = (own: Input): Input => {
    if (nothingShared && names.length === 1) return own;
    const input: Record<string, unknown> = {};
    for (const name of names) {
      const value = own[name] === undefined ? shared[name] : own[name];
      if (value !== undefined) input[name] = value;
    }
    return input;
  };
  if (complete === undefined) return filled;
  return (own) => filled(complete(filled(own), () => undefined));
}

/** Opens what the batch needs, in an order in which nothing is sent before everything stands. */
async function carryOut(task: Task): Promise<void> {
  const { invocation, prepared, batch, records, world } = task;
  const { operation, fields, spelling, hide } = invocation;
  const { settings, shared, inputs, flags } = prepared;
  const place = placeOf(settings);
  const { ids, count, confirmed } = records;
  const intent = {
    operation,
    words: spelling.words.join(' '),
    ids,
    count,
    confirmed,
    flags,
    argv: invocation.argv,
    listed: batch.from !== undefined,
  };
  hide(hiddenIn(fields, shared));
  await consent(intent, settings, world);
  const service = await openService(place, settings, world, batch.concurrency);
  hide(service.tokens);
  const { failuresTo } = batch;
  const failures = failuresTo === undefined ? undefined : startReplacement(failuresTo);
  try {
    await keepSecrets(fields, flags, inputs[0] ?? shared);
    const calling = await callingOf(invocation, prepared, service, world);
    const run = { ...task, calling, failures };
    const kept = (journal: string | undefined, rest: Partial<Run>) =>
      runRecorded({ ...run, ...rest }, service, { ids, count, journal });
    if (batch.journal === undefined) return await kept(undefined, {});
    const job = jobOf(invocation, prepared);
    const path = journalPath(batch.journal, job, records, world);
    await withJournal(path, job, world, (journal) => kept(path, { journal, path }));
  } finally {
    failures?.drop();
    await service.close();
  }
}

/** Runs them, with one record in the history for all where they are changes. */
async function runRecorded(run: Run, service: Service, deed: Deed): Promise<void> {
  const { invocation, prepared, calling, world } = run;
  if (!isChange(invocation.operation)) return void (await runRecords(run));
  const { watchBatch } = await import('./history/of-operation.ts');
  const watched = watchBatch(invocation, prepared, service, world, deed);
  const watching = { ...run, calling: { ...calling, change: watched?.watch } };
  return recorded(watched?.record, () => runRecords(watching), deed.count);
}
