// Many calls of one operation: check all records → consent → open → run → sum up. Each step is a module of its own;
// what one call is, is `settled`, the same as for a single one.

import { isChange, type Input } from '../api/operations/define-operation.ts';
import { usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { openService, locationOf, type Service } from '../client/open-service.ts';
import { type Replacement, startReplacement } from '../fs/atomic-write.ts';
import { fileIdentity, withFileLock } from '../fs/file-lock.ts';
import { type ChangeTarget } from '../history/recorder.ts';
import { repeatedCount } from '../input/flag-values.ts';
import { secretValuesIn, storeGeneratedSecret } from '../input/secret-input.ts';
import { confirmChange } from '../prompts/confirm.ts';
import {
  AUTO,
  jobOf,
  journalPath,
  storeList,
  journalLockTimeout,
  withJournal,
} from './journal/job.ts';
import { recordSource, typedSource } from './read/source.ts';
import { validateRecords, type ValidRecords } from './read/validate-records.ts';
import { runRecords } from './run/run-records.ts';
import { disableStackTraces } from './run/stack-traces.ts';
import { createCallContext } from '../client/call-operation.ts';
import type { BatchSettings } from './options.ts';
import type { BatchRun, BatchTask, PreparedCall } from './types.ts';
import { recordDuring } from '../history/record-during.ts';

/** Runs the operation for every record. Throws the `Failure` it ends with. */
export async function runBatch(
  prepared: PreparedCall,
  batch: BatchSettings,
  runtime: Runtime,
): Promise<void> {
  const { operation, fields, hooks, inputs, settings, flags } = prepared;
  const source =
    batch.from === undefined
      ? typedSource(inputs)
      : await recordSource(batch.from, fields, runtime);
  const stackTracesBack = settings.debug ? undefined : disableStackTraces();
  let read = 0;
  const unask = runtime.onQuestion(() => `reading ${source.name}: ${read} records so far`);
  try {
    const records = await validateRecords(source, {
      operation,
      fields,
      complete: completer(prepared),
      faults: (input) => hooks.faults?.(input, flags) ?? [],
      shard: batch.shard,
      allowEmpty: batch.allowEmpty,
      tick: () => void read++,
      signal: runtime.signal,
      isKeyed: batch.journal === AUTO,
      confirm: new Set(settings.confirm),
    });
    tellRepeats(records, runtime);
    const task = { prepared, batch, records, runtime };
    if (records.count === 0)
      return runtime.note(
        records.elsewhere > 0 ? 'nothing of it is in this shard' : 'nothing to do',
      );
    if (settings.dryRun) return await (await import('./dry-run-batch.ts')).dryRunBatch(task);
    await carryOut(task);
  } finally {
    stackTracesBack?.();
    unask();
    await source.close();
  }
}

function tellRepeats({ repeated, overlapping }: ValidRecords, { note }: Runtime): void {
  if (repeated > 0) note(`${repeatedCount(repeated, 'record')} done once`);
  if (overlapping === 0) return;
  const records = overlapping === 1 ? '1 record names' : `${overlapping} records name`;
  note(`${records} a target again: each target of a post is retried once`);
}

/** Fills in what a record leaves out, in the order of the declaration: equal records come out as equal text. */
function completer({
  operation,
  hooks: { complete },
  shared,
}: PreparedCall): (own: Input) => Input {
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
async function carryOut(task: BatchTask): Promise<void> {
  const { prepared, batch, records, runtime } = task;
  const { operation, fields, spelling, settings, shared, inputs, flags } = prepared;
  const place = locationOf(settings);
  const { ids, count, confirmed } = records;
  const intent = {
    operation,
    words: spelling.words.join(' '),
    ids,
    count,
    confirmed,
    flags,
    argv: prepared.argv,
    listed: batch.from !== undefined,
  };
  runtime.secrets.add(secretValuesIn(fields, shared));
  await confirmChange(intent, settings, runtime);
  const service = await openService(place, settings, runtime, batch.concurrency);
  const { failuresTo } = batch;
  const work = async (failures: Replacement | undefined) => {
    await storeGeneratedSecret(fields, flags, inputs[0] ?? shared);
    const callContext = await createCallContext(prepared, service, runtime);
    const run = { ...task, callContext, failures };
    const kept = (journal: string | undefined, rest: Partial<BatchRun>) =>
      runRecorded({ ...run, ...rest }, service, { ids, count, journal });
    if (batch.journal === undefined) return kept(undefined, {});
    const job = jobOf(prepared);
    const path = journalPath(batch.journal, job, runtime);
    if (batch.journal === AUTO && failuresTo !== undefined) checkApart(path, failuresTo);
    return withJournal(path, job, runtime, async (journal) => {
      if (batch.journal === AUTO) await storeList(journal, records, path, runtime);
      await kept(path, { journal, path });
    });
  };
  try {
    await (failuresTo === undefined ? work(undefined) : withFailures(failuresTo, runtime, work));
  } finally {
    await service.close();
  }
}

/** Runs `work` with the file of failures, into which no other process writes meanwhile. Throws `Failure('local_io')`. */
function withFailures<T>(
  path: string,
  runtime: Runtime,
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
  return withFileLock(path, replacing, journalLockTimeout(runtime));
}

/** Where the journal of `auto` is, is known only now. */
function checkApart(journal: string, failuresTo: string): void {
  if (fileIdentity(journal) !== fileIdentity(failuresTo)) return;
  const problem = `is the same file as the journal of --journal ${AUTO}`;
  throw usageFailure([{ field: '--failures-to', problem, fix: 'give each a file of its own' }]);
}

/** Runs them, with one record in the history for all where they are changes. */
async function runRecorded(run: BatchRun, service: Service, deed: ChangeTarget): Promise<void> {
  const { prepared, callContext, runtime } = run;
  if (!isChange(prepared.operation)) return void (await runRecords(run));
  const { observeBatch } = await import('../history/change-observer.ts');
  const { settings } = prepared;
  const watched = observeBatch(prepared, { settings, service, runtime }, deed);
  const watching = { ...run, callContext: { ...callContext, change: watched?.watch } };
  return recordDuring(watched?.record, () => runRecords(watching), deed.count);
}
