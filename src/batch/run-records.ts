// Runs the validated records of a batch against an open service: the canary, then the rest, the results, the progress,
// and the end.

import { setMaxListeners } from 'node:events';
import { isChange } from '../api/operations/define-operation.ts';
import { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { secretValuesIn } from '../input/secret-input.ts';
import { asFailure } from '../output/error-report.ts';
import { oncePerLine } from '../output/notes.ts';
import { formOf } from '../output/write-result.ts';
import { redactFailure } from '../output/redact.ts';
import type { WaitOptions } from '../wait/options.ts';
import { type Cancellation, createCancellation, GRACE_MS } from './cancellation.ts';
import { recordJournal } from './journal/journal.ts';
import { judgeCanary } from './canary.ts';
import { eachLimited, limiterFor } from './limiter.ts';
import type { BatchItem } from './read/records.ts';
import { showProgress } from '../output/progress.ts';
import { batchProgress } from './report/progress.ts';
import { batchResults, type BatchResults } from './report/results.ts';
import { type BatchSummary, createSummary } from './report/summary.ts';
import { closeBatch, throwVerdict } from './report/verdict.ts';
import { type RecordResult, type RecordRun, runRecord } from './run-record.ts';
import type { BatchRun } from './types.ts';

/** Runs all records, or until there is a reason to stop; returns how many were done. Throws the batch's `Failure`. */
export async function runRecords(run: BatchRun): Promise<number> {
  const { batch, records, runtime, journal, prepared, callContext } = run;
  const { settings, operation } = prepared;
  const cancel = createCancellation(runtime);
  const halt = createHalt(cancel.soft);
  const signals = { signal: cancel.soft, halt: halt.signal };
  const { limiter, retryPolicy } = limiterFor(batch, settings, runtime, signals);
  const summary = createSummary(runtime.secrets.mask, callContext.causeRules);
  const { counts } = summary;
  const view = batchProgress(records.count, summary, limiter, runtime);
  const { stop: stopProgress } = showProgress(view, settings, runtime);
  const results = await batchResults(callContext, {
    fields: prepared.fields,
    paths: prepared.paths,
    gatherer: prepared.gather?.(callContext, prepared),
    unit: records.unit,
    stopProgress,
    onBroken: cancel.stop,
  });
  const recordRun: Omit<RecordRun, 'waiting'> = {
    callContext: contextOfRecords(run, cancel),
    limiter,
    retryPolicy,
    journal: journal && recordJournal(journal, operation),
    retryUnknown: batch.retryUnknown,
    halt: halt.signal,
    countWait: summary.countWait,
  };
  const take = resultTaker(run, summary, results);
  let sent = false;
  const runOne = async (item: BatchItem, waiting: WaitOptions | undefined, release: () => void) => {
    const forget = runtime.secrets.add(secretValuesIn(prepared.fields, item.input));
    try {
      const result = await runRecord(item, { ...recordRun, waiting }, release);
      sent ||= result.sent;
      take(item, result);
      if (result.stop !== undefined) halt.stop(result.stop);
      if (summary.failures() >= batch.maxFailures) halt.stop(tooManyFailures(batch.maxFailures));
    } catch (error) {
      halt.stop(error);
    } finally {
      forget();
    }
  };
  /** Runs these records; resolves with those that were not started. */
  const runAll = async (items: readonly BatchItem[], waiting: WaitOptions | undefined) => {
    const options = { limiter, signal: halt.signal, hold: results.hold };
    const started = await eachLimited(items, options, (item, release) =>
      runOne(item, waiting, release),
    );
    return items.slice(started);
  };
  const onStop = () => noteStop(limiter.callsInFlight(), runtime);
  try {
    runtime.signal.addEventListener('abort', onStop, { once: true });
    const { first, rest } = partsOf(run, summary);
    let left = rest;
    if (first.length > 0) {
      left = [...(await runAll(first, prepared.canaryWaiting)), ...rest];
      const { why, passed } = judgeCanary(batch.canary!, counts, rest.length);
      if (why !== undefined) halt.stop(why);
      if (!halt.signal.aborted && passed !== undefined) runtime.note(passed);
    }
    if (!halt.signal.aborted) left = await runAll(rest, prepared.waiting);
    const end = await closeBatch(run, { results, stopProgress, cancel, stopped: halt.why(), left });
    const isRestEmpty = run.failuresFile.isEmpty();
    const totals = { ...counts, ...end, sent, isRestEmpty, count: records.count };
    throwVerdict({ ...run, summary, totals });
    return counts.ok;
  } finally {
    runtime.signal.removeEventListener('abort', onStop);
    stopProgress();
    cancel.close();
  }
}

/** Makes the signal that stops the start of records, and all waits; the first reason is kept. */
function createHalt(soft: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  // Every wait adds a listener.
  setMaxListeners(0, signal);
  const stop = (why: unknown) => controller.abort(asFailure(why));
  if (soft.aborted) stop(soft.reason);
  else soft.addEventListener('abort', () => stop(soft.reason), { once: true });
  return {
    signal,
    stop,
    why: (): Failure | undefined => (signal.aborted ? (signal.reason as Failure) : undefined),
  };
}

/** Splits the remaining records into the canary, if there is one, and the others. */
function partsOf({ batch, prepared, records, journal }: BatchRun, summary: BatchSummary) {
  /** Accepted records are left only to a run that waits. */
  const toDo = (items: readonly BatchItem[], waiting: WaitOptions | undefined) =>
    items.filter(({ past }) => {
      const isDone = past === 'done' || (past === 'accepted' && waiting === undefined);
      if (isDone) summary.skip();
      return !isDone;
    });
  const items = records.items(journal);
  const { canary } = batch;
  if (canary === undefined) return { first: [], rest: toDo(items, prepared.waiting) };
  const left = toDo(items, prepared.canaryWaiting);
  return {
    first: left.slice(0, canary.count),
    rest: toDo(left.slice(canary.count), prepared.waiting),
  };
}

const tooManyFailures = (count: number) =>
  new Failure('batch_failed', {
    what: `stopped after ${count} failure${count === 1 ? '' : 's'}`,
    retryable: false,
  });

/** Makes the function that counts, shows and saves how a record ended. */
function resultTaker(run: BatchRun, summary: BatchSummary, results: BatchResults) {
  const { runtime, callContext, prepared, batch, failuresFile } = run;
  const isRead = !isChange(callContext.operation);
  const isJson = ['json', 'ndjson'].includes(formOf(prepared.settings, runtime.stdout));
  return (item: BatchItem, { verdict, outcome, skipped, ended: raw }: RecordResult) => {
    if (skipped !== undefined) summary.leave(skipped);
    if (verdict === 'unstarted') return failuresFile.addUnsent(item);
    const ended = redactedOutcome(raw, runtime);
    // Records left unknown by an earlier run do not count towards --max-failures; otherwise a resumed batch would stop
    // at once.
    const isOld = verdict === 'unknown' && item.past === 'unknown' && !batch.retryUnknown;
    summary.add(verdict, item.input, ended, isOld);
    // Pending records are only in the totals: a line for each of a thousand would hide the others.
    if (verdict !== 'accepted' || isJson) results.add(item, ended);
    // An accepted record may still be published: another run would send it a second time.
    if (outcome !== 'accepted') failuresFile.add(whatFailed(item, raw, run), verdict);
    // A wait changes nothing, so another run may wait again.
    if (verdict === 'accepted' && isRead) failuresFile.addUnsent(item);
  };
}

/** Returns the record without its successful parts, because a list of failures must not send them again. */
function whatFailed(item: BatchItem, { bad }: CallOutcome, { prepared }: BatchRun): BatchItem {
  const { parts: field = '' } = prepared.operation;
  if (bad === undefined || item.input[field] === undefined) return item;
  return { ...item, input: { ...item.input, [field]: bad } };
}

/** Makes the context of each record's call. It shows no progress, and stops when the batch does. */
const contextOfRecords = (
  { callContext, runtime, prepared }: BatchRun,
  cancel: Cancellation,
): CallContext => ({
  ...callContext,
  isBatch: true,
  settings: { ...prepared.settings, quiet: true },
  runtime: {
    ...runtime,
    signal: cancel.hard,
    // The first interrupt ends every pause; requests in flight get their time.
    sleep: (ms, signal) => runtime.sleep(ms, signal === cancel.hard ? cancel.soft : signal),
    note: oncePerLine(runtime.note),
  },
});

/** Redacts the failure of a record. */
function redactedOutcome(ended: CallOutcome, { secrets }: Runtime): CallOutcome {
  const { failure } = ended;
  return failure === undefined
    ? ended
    : { ...ended, failure: redactFailure(failure, secrets.mask) };
}

/** Says why the end takes a while, and how to end at once. */
function noteStop(inFlight: number, { note, signal }: Runtime): void {
  if (inFlight <= 0) return;
  const atOnce = asFailure(signal.reason).kind === 'interrupted' ? '; Ctrl-C to quit now' : '';
  const requests = `${inFlight} ${inFlight === 1 ? 'request' : 'requests'}`;
  note(`stopping: waiting up to ${GRACE_MS / 1000}s for ${requests}${atOnce}`);
}
