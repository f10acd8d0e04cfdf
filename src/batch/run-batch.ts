// Many calls of one operation: check all records → consent → open → run → sum up. Each step is a module of its own;
// what one call is, is `settled`, the same as for a single one.

import { isChange, type Input } from '../api/operations/define-operation.ts';
import { usageFailure } from '../base/errors.ts';
import type { World } from '../base/runtime.ts';
import { openService, placeOf, type Service } from '../client/open-service.ts';
import { type Replacement, startReplacement } from '../fs/atomic-write.ts';
import { identityOf, withFileLock } from '../fs/file-lock.ts';
import { type Deed, recorded } from '../history/recorder.ts';
import { repeats } from '../input/flag-values.ts';
import { hiddenIn, keepSecrets } from '../input/secret-input.ts';
import { notesTo } from '../output/notes.ts';
import { consent } from '../prompts/confirm.ts';
import { AUTO, jobOf, journalPath, keepList, longLock, withJournal } from './journal/job.ts';
import { recordSource, typedSource } from './read/source.ts';
import { checkRecords, type Records } from './read/validate-records.ts';
import { runRecords } from './run/run-records.ts';
import { withoutStackTraces } from './run/stack-traces.ts';
import { callingOf } from '../client/call-operation.ts';
import type { Invocation } from '../input/types.ts';
import type { PreparedBatch, Run, Task } from './types.ts';

/** Runs the operation for every record. Throws the `Failure` it ends with. */
export async function performBatch(
  invocation: Invocation,
  prepared: PreparedBatch,
  world: World,
): Promise<void> {
  const { operation, fields } = invocation;
  const { batch, inputs, settings, shared } = prepared;
  const note = notesTo(world, settings);
  const source =
    batch.from === undefined ? typedSource(inputs) : await recordSource(batch.from, fields, world);
  const stackTracesBack = settings.debug ? undefined : withoutStackTraces();
  let read = 0;
  const unask = world.onQuestion(() => `reading ${source.name}: ${read} records so far`);
  try {
    const records = await checkRecords(source, {
      operation,
      fields,
      complete: completer(invocation, shared),
      faults: (input) => invocation.hooks.faults?.(input, prepared.flags) ?? [],
      shard: batch.shard,
      allowEmpty: batch.allowEmpty,
      tick: () => void read++,
      signal: world.signal,
      isKeyed: batch.journal === AUTO,
      confirm: new Set(settings.confirm),
    });
    tellRepeats(records, note);
    const task = { invocation, prepared, batch, records, world, note };
    if (records.count === 0)
      return note(records.elsewhere > 0 ? 'nothing of it is in this shard' : 'nothing to do');
    if (settings.dryRun) return await (await import('./dry-run-batch.ts')).rehearseBatch(task);
    await carryOut(task);
  } finally {
    stackTracesBack?.();
    unask();
    await source.close();
  }
}

function tellRepeats({ repeated, overlapping }: Records, note: (line: string) => void): void {
  if (repeated > 0) note(`${repeats(repeated, 'record')} done once`);
  if (overlapping === 0) return;
  const records = overlapping === 1 ? '1 record names' : `${overlapping} records name`;
  note(`${records} a target again: each target of a post is retried once`);
}

/** Fills in what a record leaves out, in the order of the declaration: equal records come out as equal text. */
function completer(
  { operation, hooks: { complete } }: Invocation,
  shared: Input,
): (own: Input) => Input {
  const names = Object.keys(operation.input.shape);
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
  const work = async (failures: Replacement | undefined) => {
    await keepSecrets(fields, flags, inputs[0] ?? shared);
    const calling = await callingOf(invocation, prepared, service, world);
    const run = { ...task, calling, failures };
    const kept = (journal: string | undefined, rest: Partial<Run>) =>
      runRecorded({ ...run, ...rest }, service, { ids, count, journal });
    if (batch.journal === undefined) return kept(undefined, {});
    const job = jobOf(invocation, prepared);
    const path = journalPath(batch.journal, job, world);
    if (batch.journal === AUTO && failuresTo !== undefined) checkApart(path, failuresTo);
    return withJournal(path, job, world, async (journal) => {
      if (batch.journal === AUTO) await keepList(journal, records, path, task.note);
      await kept(path, { journal, path });
    });
  };
  try {
    await (failuresTo === undefined ? work(undefined) : withFailures(failuresTo, world, work));
  } finally {
    await service.close();
  }
}

/** Runs `work` with the file of failures, into which no other process writes meanwhile. Throws `Failure('local_io')`. */
function withFailures<T>(
  path: string,
  world: World,
  work: (failures: Replacement) => Promise<T>,
): Promise<T> {
  const replacing = async () => {
    const failures = startReplacement(path);
    try {
      return await work(failures);
    } finally {
      failures.drop();
    }
  };
  return withFileLock(path, replacing, longLock(world));
}

/** Where the journal of `auto` is, is known only now. */
function checkApart(journal: string, failuresTo: string): void {
  if (identityOf(journal) !== identityOf(failuresTo)) return;
  const problem = `is the same file as the journal of --journal ${AUTO}`;
  throw usageFailure([{ field: '--failures-to', problem, fix: 'give each a file of its own' }]);
}

/** Runs them, with one record in the history for all where they are changes. */
async function runRecorded(run: Run, service: Service, deed: Deed): Promise<void> {
  const { invocation, prepared, calling, world } = run;
  if (!isChange(invocation.operation)) return void (await runRecords(run));
  const { watchBatch } = await import('../history/change-observer.ts');
  const watched = watchBatch(invocation, prepared, service, world, deed);
  const watching = { ...run, calling: { ...calling, change: watched?.watch } };
  return recorded(watched?.record, () => runRecords(watching), deed.count);
}
