// Runs the validated records of a batch: first those of the canary, of which enough have to succeed, then the others.
// Shows the progress and the results, and writes the files at the end.

import { isChange } from '../api/operations/define-operation.ts';
import { asFailure, Failure, isSignal } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { CallOutcome, WaitOptions } from '../client/session.ts';
import { isJsonForm } from '../config/flags.ts';
import { redactFailure, secretValuesIn } from '../output/redact.ts';
import { colorsFor } from '../output/color.ts';
import { openBoard, showBoard, showProgress } from '../output/progress.ts';
import { formOf } from '../output/write-result.ts';
import type { OperationCall } from '../input/collect-input.ts';
import { waitOptionsOf } from '../wait/options.ts';
import { type Cancellation, GRACE_MS } from './cancellation.ts';
import { eachLimited } from './limiter.ts';
import { type BatchRecord, namedTargets } from './read/validate-records.ts';
import { BatchBoard, type CanaryState } from './report/board.ts';
import { batchProgress } from './report/progress.ts';
import { batchResults, type BatchResults } from './report/results.ts';
import { type BatchCounts, openWord } from './report/summary.ts';
import { judgeCanary, throwVerdict } from './report/verdict.ts';
import { type RecordResult, runRecord } from './run-record.ts';
import type { BatchSession } from './session.ts';

/** Runs all records, or until there is a reason to stop; returns how they ended. Throws the batch's `Failure`. */
export async function runRecords(opened: BatchSession): Promise<BatchCounts> {
  const { records, settings } = opened;
  // One record is shown as a single call is.
  const place = records.length > 1 ? await openBoard(settings, opened.runtime) : undefined;
  // The verdict on a canary names platforms, also where no board is drawn.
  const isKept = place !== undefined || opened.batchOptions.canary !== undefined;
  const board = isKept ? boardOf(opened) : undefined;
  const session = { ...opened, board, isDrawn: place !== undefined };
  const { batchOptions, call, runtime, limiter, cancel, summary } = session;
  const view = batchProgress(summary, limiter, runtime, board, openWord(call.operation));
  // The reader of a pipe may write between two frames of a line that is redrawn.
  const accessible = settings.accessible || runtime.stdout.isPipe === true;
  const { stop: stopProgress, redraw } =
    place === undefined
      ? showProgress(view, { ...settings, accessible }, runtime)
      : showBoard(view, place, runtime);
  const results = await batchResults(session, { stopProgress, onBroken: cancel.interrupt });
  /** Runs one record and takes its result. An error that concerns more than the record stops the batch. */
  const runOne = async (
    record: BatchRecord,
    waiting: WaitOptions | undefined,
    release: () => void,
  ) => {
    try {
      const result = await runRecord(record, waiting, session, release);
      takeResult(record, result, session, results);
      redraw();
      if (result.stop !== undefined) cancel.stop(result.stop);
      if (summary.failures() >= batchOptions.maxFailures)
        cancel.stop(tooManyFailures(batchOptions.maxFailures));
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
  const onStop = () => noteStop(limiter.callsInFlight(), cancel.soft.reason, runtime);
  try {
    cancel.soft.addEventListener('abort', onStop, { once: true });
    const { canary, rest } = splitCanary(session);
    let unstarted = rest;
    if (canary.length > 0) {
      const stateNow = (end: CanaryState['end']): CanaryState => {
        const { ok: done, skipped } = summary.counts;
        return { all: canary.length - skipped, done, end };
      };
      if (board !== undefined) board.canary = () => stateNow('running');
      // If nothing stops it, the whole canary is started, and only `rest` is unstarted.
      unstarted = [
        ...(await runAll(canary, waitOptionsOf(call.flags, call.operation.wait))),
        ...rest,
      ];
      // The results come before the verdict on them.
      await cancel.inTime(results.shown());
      const run = {
        size: canary.length,
        left: rest.length,
        maxPercent: batchOptions.maxFailureRate,
        reached: call.operation.wait?.reached ?? 'done',
        isStopped: cancel.halt.aborted,
        failing: board?.failing() ?? [],
        isMendable: summary.causes().some(({ cause }) => cause !== 'unsure' && cause !== 'unknown'),
        isForPerson: runtime.stderr.isTTY,
        isJournalled: batchOptions.journal !== undefined,
      };
      const { end, why, said } = judgeCanary(run, summary.counts);
      const ended = stateNow(end);
      if (board !== undefined) board.canary = () => ended;
      if (why !== undefined) cancel.stop(why);
      if (said !== undefined) runtime.note(runtime.secrets.mask(said));
    }
    if (!cancel.halt.aborted) unstarted = await runAll(rest, call.waiting);
    const stopped = await finishOutputs(session, results, unstarted);
    // Records that an earlier run left unknown or accepted were sent as well.
    const sent = limiter.isSent() || summary.counts.unknown + summary.counts.accepted > 0;
    stopProgress();
    throwVerdict({ ...session, stopped, sent, savedTo: savedFile(session, stopped) });
    return summary.counts;
  } finally {
    cancel.soft.removeEventListener('abort', onStop);
    stopProgress();
    cancel.close();
  }
}

const boardOf = ({ runtime, settings, causeRules, summary: { opensAt } }: BatchSession) => {
  const colors = colorsFor(runtime.stderr, settings, runtime);
  return new BatchBoard({ ...runtime, colors, opensAt }, causeRules);
};

/** Splits the remaining records into the canary, if there is one, and the others. Counts those that are done. */
function splitCanary({ batchOptions, records, journalOf, summary }: BatchSession) {
  const left = records.filter((record) => journalOf(record)?.isFinished() !== true);
  summary.counts.before += records.length - left.length;
  const { canary: size } = batchOptions;
  if (size === undefined) return { canary: [], rest: left };
  // A record that waits for a person would try nothing.
  const isOpen = (record: BatchRecord) =>
    batchOptions.retryUnknown === true || (journalOf(record)?.unknownParts() ?? []).length === 0;
  const canary = left.filter(isOpen).slice(0, size);
  return { canary, rest: left.filter((record) => !canary.includes(record)) };
}

/** Counts how a record ended, shows it, and adds what has to run again to the file of failures. */
function takeResult(
  record: BatchRecord,
  { verdict, ended, isLeftUnknown, left }: RecordResult,
  { runtime, operation, call, failuresFile, summary, board }: BatchSession,
  results: BatchResults,
): void {
  if (ended.skipped !== undefined) summary.addSkipped(ended.skipped);
  if (left !== undefined) failuresFile.add(left);
  board?.end(record, ended.data, {
    ...ended,
    verdict,
    isRead: call.waiting === undefined && !isChange(operation),
    isChange: isChange(operation),
  });
  if (verdict === 'unstarted') return;
  const failure = ended.failure && redactFailure(ended.failure, runtime.secrets.mask);
  const redacted = { ...withoutOthersSecrets(ended, record, call, runtime), failure };
  // Records left unknown by an earlier run do not count towards --max-failures; otherwise a resumed batch would stop
  // at once.
  summary.add(verdict, record.input, redacted, isLeftUnknown);
  // Accepted records are only in the counts: a line for each of a thousand would hide the others.
  if (verdict !== 'accepted' || isJsonForm(formOf(call.settings, runtime.stdout)))
    results.add(record, redacted);
  // If the wait of a read runs out, another run may wait again, because that changes nothing.
  if (verdict === 'accepted' && !isChange(operation)) failuresFile.add(record.input);
}

/** Masks the secrets of other records in a response: the service may echo the wrong one. */
function withoutOthersSecrets(
  ended: CallOutcome,
  { input }: BatchRecord,
  { fields }: OperationCall,
  { secrets }: Runtime,
): CallOutcome {
  // Most operations take no secrets, so no record has one.
  if (!fields.some(({ hidden }) => hidden)) return ended;
  const own = secretValuesIn(fields, input);
  const data = secrets.maskExcept(ended.data, own);
  return data === ended.data ? ended : { ...ended, data, json: undefined };
}

const tooManyFailures = (count: number) =>
  new Failure('batch_failed', {
    what: `stopped after ${count} failure${count === 1 ? '' : 's'}`,
    retryable: false,
  });

/** Says after a signal that the batch waits for the requests in flight, and how to end at once. */
function noteStop(inFlight: number, why: unknown, { note }: Runtime): void {
  const { kind } = asFailure(why);
  if (inFlight <= 0 || !isSignal(kind)) return;
  const atOnce = kind === 'interrupted' ? '; Ctrl-C to quit now' : '';
  const requests = `${inFlight} ${inFlight === 1 ? 'request' : 'requests'}`;
  note(`stopping: waiting up to ${GRACE_MS / 1000}s for ${requests}${atOnce}`);
}

type Finishing = Pick<BatchSession, 'journal' | 'failuresFile' | 'operation' | 'journalOf'> & {
  readonly cancel: Pick<Cancellation, 'inTime' | 'why'>;
};

/**
 * Writes the journal, `--failures-to` and the last results. Returns why the batch stopped, or else the first failure of
 * these writes.
 */
export async function finishOutputs(
  { journal, failuresFile, operation, journalOf, cancel }: Finishing,
  results: Pick<BatchResults, 'end'>,
  unstarted: readonly BatchRecord[],
): Promise<Failure | undefined> {
  let why = cancel.why();
  const saveRest = () => {
    for (const record of unstarted) {
      const ofJournal = journalOf(record);
      const named = namedTargets(record.input, operation);
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
  const isEnough = why?.facts.code === 'closed_pipe' && !isChange(operation);
  return isEnough ? undefined : why;
}

/** Returns the file of --failures-to, if it has all records that are left, and there are any. */
export function savedFile(
  { failuresFile, batchOptions }: Pick<BatchSession, 'failuresFile' | 'batchOptions'>,
  stopped: Failure | undefined,
): string | undefined {
  // After a failed write the file may lack records; if only the reader of stdout has gone, it is complete.
  const isBroken = stopped?.kind === 'local_io' && stopped.facts.code !== 'closed_pipe';
  return !isBroken && failuresFile.savedCount() > 0 ? batchOptions.failuresTo : undefined;
}
