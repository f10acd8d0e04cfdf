// Runs the validated records of a batch: first those of the canary, of which enough have to succeed, then the others.
// Shows the progress and the results, and writes the files at the end.

import { isChange } from '../api/operations/define-operation.ts';
import { asFailure, Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CallContext, CallOutcome, WaitOptions } from '../client/call-context.ts';
import { isJsonForm } from '../config/flags.ts';
import { redactFailure, secretValuesIn } from '../output/redact.ts';
import { oncePerLine } from '../output/wrap.ts';
import { showProgress } from '../output/progress.ts';
import { formOf } from '../output/write-result.ts';
import type { PreparedCall } from '../input/collect-input.ts';
import { waitOptionsOf } from '../wait/options.ts';
import { type Cancellation, createCancellation, GRACE_MS } from './cancellation.ts';
import type { FailuresWriter } from './files.ts';
import type { Journal } from './journal/journal.ts';
import type { RecordJournal } from './journal/record-journal.ts';
import { createLimiter, eachLimited } from './limiter.ts';
import type { BatchSettings } from './options.ts';
import { type BatchRecord, namedTargets } from './read/validate-records.ts';
import { batchProgress } from './report/progress.ts';
import { batchResults, type BatchResults } from './report/results.ts';
import { type BatchCounts, BatchSummary } from './report/summary.ts';
import { judgeCanary, throwVerdict } from './report/verdict.ts';
import { type RecordResult, type RecordRun, runRecord } from './run-record.ts';

/** A batch whose records are valid. */
export interface BatchTask {
  readonly prepared: PreparedCall;
  readonly batch: BatchSettings;
  readonly records: readonly BatchRecord[];
  /** The unit of positions in messages; `undefined` for typed IDs. */
  readonly unit: string | undefined;
  readonly runtime: Runtime;
}

/** A batch whose service and files are open. */
export interface BatchRun extends BatchTask {
  readonly callContext: CallContext;
  readonly journal: Journal | undefined;
  readonly failuresFile: FailuresWriter;
  /** Returns what the journal knows of a record. */
  readonly journalOf: (record: BatchRecord) => RecordJournal | undefined;
}

/** Runs all records, or until there is a reason to stop; returns how they ended. Throws the batch's `Failure`. */
export async function runRecords(run: BatchRun): Promise<BatchCounts> {
  const { batch, records, runtime, journal, prepared, callContext } = run;
  const { settings } = prepared;
  const cancel = createCancellation(runtime);
  const signals = { signal: cancel.soft, halt: cancel.halt };
  const limiter = createLimiter(batch, settings, runtime, signals);
  const summary = new BatchSummary(records.length, runtime.secrets.mask, callContext.causeRules);
  const view = batchProgress(summary, limiter, runtime);
  const { stop: stopProgress } = showProgress(view, settings, runtime);
  const results = await batchResults(run, { stopProgress, onBroken: cancel.interrupt });
  const recordRun: RecordRun = {
    callContext: contextOfRecords(run, cancel),
    limiter,
    journal,
    retryUnknown: batch.retryUnknown === true,
    halt: cancel.halt,
    countWait: (delta) => void (summary.waits += delta),
  };
  /** Runs one record and takes its result. An error that concerns more than the record stops the batch. */
  const runOne = async (
    record: BatchRecord,
    waiting: WaitOptions | undefined,
    release: () => void,
  ) => {
    try {
      const result = await runRecord(record, waiting, recordRun, release);
      takeResult(record, result, run, summary, results);
      if (result.stop !== undefined) cancel.stop(result.stop);
      if (summary.failures() >= batch.maxFailures) cancel.stop(tooManyFailures(batch.maxFailures));
    } catch (error) {
      cancel.stop(error);
    }
  };
  /** Runs these records; resolves with those that were not started. */
  const runAll = async (toRun: readonly BatchRecord[], waiting: WaitOptions | undefined) => {
    const options = { limiter, signal: cancel.halt };
    const started = await eachLimited(toRun, options, (record, release) =>
      runOne(record, waiting, release),
    );
    return toRun.slice(started);
  };
  const onStop = () => noteStop(limiter.callsInFlight(), runtime);
  try {
    runtime.signal.addEventListener('abort', onStop, { once: true });
    const { canary, rest } = splitCanary(run, summary);
    let left = rest;
    if (canary.length > 0) {
      // If nothing stops it, the whole canary is started, and only `rest` is left.
      left = [...(await runAll(canary, waitOptionsOf(prepared.flags))), ...rest];
      const { why, passed } = judgeCanary(batch.maxFailureRate, summary.counts, rest.length);
      if (why !== undefined) cancel.stop(why);
      if (!cancel.halt.aborted && passed !== undefined) runtime.note(passed);
    }
    if (!cancel.halt.aborted) left = await runAll(rest, prepared.waiting);
    const stopped = await finishOutputs(run, results, cancel, left);
    // Records that an earlier run left unknown or pending were sent as well.
    const sent = limiter.isSent() || summary.counts.unknown + summary.counts.accepted > 0;
    stopProgress();
    throwVerdict({ ...run, summary, stopped, sent, savedTo: savedFile(run, stopped) });
    return summary.counts;
  } finally {
    runtime.signal.removeEventListener('abort', onStop);
    stopProgress();
    cancel.close();
  }
}

/** Makes the context of each record's call, which stops when the batch does. */
const contextOfRecords = (
  { callContext, runtime }: BatchRun,
  cancel: Cancellation,
): CallContext => ({
  ...callContext,
  isBatch: true,
  runtime: { ...runtime, signal: cancel.hard, note: oncePerLine(runtime.note) },
});

/** Splits the remaining records into the canary, if there is one, and the others. Counts those that are done. */
function splitCanary({ batch, records, journalOf }: BatchRun, summary: BatchSummary) {
  const left = records.filter((record) => journalOf(record)?.isFinished() !== true);
  summary.counts.before += records.length - left.length;
  const { canary: size } = batch;
  if (size === undefined) return { canary: [], rest: left };
  // A record that waits for a person would try nothing.
  const isOpen = (record: BatchRecord) =>
    batch.retryUnknown === true || (journalOf(record)?.unknownParts() ?? []).length === 0;
  const canary = left.filter(isOpen).slice(0, size);
  return { canary, rest: left.filter((record) => !canary.includes(record)) };
}

/** Counts how a record ended, shows it, and adds what has to run again to the file of failures. */
function takeResult(
  record: BatchRecord,
  { verdict, ended, isLeftUnknown, left }: RecordResult,
  { runtime, callContext, prepared, failuresFile }: BatchRun,
  summary: BatchSummary,
  results: BatchResults,
): void {
  if (ended.skipped !== undefined) summary.addSkipped(ended.skipped);
  if (left !== undefined) failuresFile.add(left);
  if (verdict === 'unstarted') return;
  const failure = ended.failure && redactFailure(ended.failure, runtime.secrets.mask);
  const redacted = { ...withoutOthersSecrets(ended, record, prepared, runtime), failure };
  // Records left unknown by an earlier run do not count towards --max-failures; otherwise a resumed batch would stop
  // at once.
  summary.add(verdict, record.input, redacted, isLeftUnknown);
  // Pending records are only in the counts: a line for each of a thousand would hide the others.
  if (verdict !== 'accepted' || isJsonForm(formOf(prepared.settings, runtime.stdout)))
    results.add(record, redacted);
  // If a read is still pending when its wait ends, another run may wait again, because that changes nothing.
  if (verdict === 'accepted' && !isChange(callContext.operation)) failuresFile.add(record.input);
}

/** Masks the secrets of other records in a response: the service may echo the wrong one. */
function withoutOthersSecrets(
  ended: CallOutcome,
  { input }: BatchRecord,
  { fields }: PreparedCall,
  { secrets }: Runtime,
): CallOutcome {
  const own = secretValuesIn(fields, input);
  const data = secrets.maskExcept(ended.data, own);
  return data === ended.data ? ended : { ...ended, data, json: undefined };
}

const tooManyFailures = (count: number) =>
  new Failure('batch_failed', {
    what: `stopped after ${count} failure${count === 1 ? '' : 's'}`,
    retryable: false,
  });

/** Says after an interrupt that the batch waits for the requests in flight, and how to end at once. */
function noteStop(inFlight: number, { note, signal }: Runtime): void {
  if (inFlight <= 0) return;
  const atOnce = asFailure(signal.reason).kind === 'interrupted' ? '; Ctrl-C to quit now' : '';
  const requests = `${inFlight} ${inFlight === 1 ? 'request' : 'requests'}`;
  note(`stopping: waiting up to ${GRACE_MS / 1000}s for ${requests}${atOnce}`);
}

/**
 * Writes the journal, `--failures-to` and the last results. Returns why the batch stopped, or else the first failure of
 * these writes.
 */
export async function finishOutputs(
  { journal, failuresFile, callContext, journalOf }: BatchRun,
  results: Pick<BatchResults, 'end'>,
  cancel: Pick<Cancellation, 'inTime' | 'why'>,
  left: readonly BatchRecord[],
): Promise<Failure | undefined> {
  let why = cancel.why();
  const saveRest = () => {
    for (const record of left) {
      const ofJournal = journalOf(record);
      const named = namedTargets(record.input, callContext.operation);
      const input = ofJournal === undefined ? record.input : ofJournal.repeatable(named);
      if (input !== undefined) failuresFile.add(input);
    }
    failuresFile.finish();
  };
  // Standard output comes last, because it may be blocked.
  for (const step of [() => journal?.close(), saveRest, results.end]) {
    try {
      await cancel.inTime(step());
    } catch (error) {
      // A failed write replaces `batch_failed`, whose records are counted anyway. A signal, a rejected token or an
      // earlier failed write stays the reason.
      why = why === undefined || why.kind === 'batch_failed' ? asFailure(error) : why;
    }
  }
  // A reader that closes the pipe of a read has seen enough.
  const isEnough = why?.facts.code === 'closed_pipe' && !isChange(callContext.operation);
  return isEnough ? undefined : why;
}

/** Returns the file of --failures-to, if it has all records that are left, and there are any. */
export function savedFile(
  { failuresFile, batch }: Pick<BatchRun, 'failuresFile' | 'batch'>,
  stopped: Failure | undefined,
): string | undefined {
  // After a failed write the file may lack records; if only the reader of stdout has gone, it is complete.
  const isBroken = stopped?.kind === 'local_io' && stopped.facts.code !== 'closed_pipe';
  return !isBroken && failuresFile.savedCount() > 0 ? batch.failuresTo : undefined;
}
