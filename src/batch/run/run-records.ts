// Runs the validated records of a batch against an opened service: wires the scheduler, the worker, the results, the
// progress and the end.

import { idOf, isChange } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { asFailure, briefFailure } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/notes.ts';
import { formOf } from '../../output/write-result.ts';
import { redactFailure } from '../../output/redact.ts';
import type { BatchItem } from '../read/validate-records.ts';
import { type BatchProgress, batchProgress } from '../report/progress.ts';
import { type BatchResults, batchResults } from '../report/results.ts';
import { type BatchSummary, createSummary } from '../report/summary.ts';
import { closeBatch, throwVerdict } from '../report/verdict.ts';
import type { BatchRun } from '../types.ts';
import type { WaitOptions } from '../../wait/options.ts';
import { afterCanary } from './canary.ts';
import { type Cancellation, createCancellation, GRACE_MS } from './cancellation.ts';
import { type ItemRun, itemWorker } from './item.ts';
import { rateLimiterFor } from './rate-limit.ts';
import { type ItemResult, type ItemVerdict, schedule, type ScheduleResult } from './scheduler.ts';
import type { Waits } from './waits.ts';

/** Runs all records, or until there is a reason to stop; returns how many were done. Throws the batch's `Failure`. */
export async function runRecords(run: BatchRun): Promise<number> {
  const { batch, records, runtime, journal, prepared, callContext } = run;
  const cancel = createCancellation(runtime);
  const { pace, retryPolicy } = rateLimiterFor(batch, prepared.settings, runtime, cancel.soft);
  let waits: Waits | undefined;
  const summary = createSummary(runtime.secrets.mask);
  const { counts } = summary;
  const sources = {
    counts,
    pausedMs: pace.pausedMs,
    isWaiting: (prepared.waiting ?? prepared.canaryWaiting) !== undefined,
    waited: () => waits?.list,
  };
  const progress = await batchProgress(records.count, sources, prepared.settings, runtime);
  const results = await batchResults(callContext, {
    fields: prepared.fields,
    gatherer: prepared.hooks.gather?.(callContext, prepared.argv),
    progress,
    many: batch.from !== undefined,
    onBroken: cancel.stop,
  });
  // A look at what is waited for is cut off at once.
  const onStop = () => noteStop(pace.active() - (waits?.looking() ?? 0), progress, runtime);
  const itemRun: Omit<ItemRun, 'waiting'> = {
    callContext: itemContext(run, cancel, progress),
    pace,
    retryPolicy,
    journal,
    retryUnknown: batch.retryUnknown,
    signal: cancel.soft,
    guarded: secretsGuard(run),
    onLeft: summary.leave,
    onEnd: endRecorder(run, progress, results, summary),
  };
  const failures = failureCount(run, counts);
  const runAll: Runner = (items, waiting) => {
    const worker = itemWorker({ ...itemRun, waiting });
    ({ waits } = worker);
    return schedule({
      source: inOneGroup(items),
      async work(item: BatchItem) {
        const result = await worker.start(item);
        if (result.verdict === 'unstarted') run.failuresFile.addUnsent(item);
        return failures.seen(item, result);
      },
      waits,
      limit: pace.limit,
      maxFailures: batch.maxFailures,
      failures: failures.count,
      hold: results.hold,
      signal: cancel.soft,
    });
  };
  try {
    runtime.signal.addEventListener('abort', onStop, { once: true });
    const note = callNote(runtime, progress);
    const { rest, stopped, sent } = await runParts(run, summary, runAll, note);
    const end = await closeBatch(run, { results, progress, cancel, stopped, rest });
    const isRestEmpty = run.failuresFile.isEmpty();
    const totals = { ...counts, ...end, sent, isRestEmpty, count: records.count };
    throwVerdict({ ...run, summary, totals });
    return counts.ok;
  } finally {
    runtime.signal.removeEventListener('abort', onStop);
    progress.stop();
    cancel.close();
  }
}

/** Counts the failures of this run. What an earlier one left unknown is none, or no later one could go on. */
function failureCount({ batch }: BatchRun, counts: BatchSummary['counts']) {
  let left = 0;
  return {
    seen({ past }: BatchItem, result: ItemResult): ItemResult {
      if (result.verdict === 'unknown' && past === 'unknown' && !batch.retryUnknown) left++;
      return result;
    },
    count: () => counts.failed + counts.unknown - left,
  };
}

type Runner = (
  items: readonly BatchItem[],
  waiting: WaitOptions | undefined,
) => Promise<ScheduleResult<BatchItem>>;

async function* inOneGroup(items: readonly BatchItem[]) {
  yield items;
}

/** Runs the canary, where there is one, and then the rest. */
async function runParts(
  run: BatchRun,
  summary: BatchSummary,
  runAll: Runner,
  note: (line: string) => void,
): Promise<ScheduleResult<BatchItem>> {
  const { batch, prepared, records, journal } = run;
  const { canary } = batch;
  /** Of these, the records to do: what was accepted is only left to a run that waits. */
  const toDo = (items: readonly BatchItem[], waiting: WaitOptions | undefined) =>
    items.filter(({ past }) => {
      const isDone = past === 'done' || (past === 'accepted' && waiting === undefined);
      if (isDone) summary.skip();
      return !isDone;
    });
  const items = records.items(journal);
  if (canary === undefined) return runAll(toDo(items, prepared.waiting), prepared.waiting);
  const left = toDo(items, prepared.canaryWaiting);
  const rest = toDo(left.slice(canary.count), prepared.waiting);
  const ended = await runAll(left.slice(0, canary.count), prepared.canaryWaiting);
  const runRest = () => runAll(rest, prepared.waiting);
  return afterCanary(ended, { canary, counts: summary.counts, rest, runRest, note });
}

/** Makes the function that reports how an item ended. */
function endRecorder(
  run: BatchRun,
  progress: BatchProgress,
  results: BatchResults,
  summary: BatchSummary,
): ItemRun['onEnd'] {
  const { runtime, callContext, prepared } = run;
  const isRead = !isChange(callContext.operation);
  const isJson = ['json', 'ndjson'].includes(formOf(prepared.settings, runtime.stdout));
  return (item, result, verdict, outcome) => {
    const ended = redactedOutcome(result, runtime);
    summary.add(verdict, item.input, ended);
    progress.done(failedLine(item, verdict, ended.failure));
    // What is still pending is in the totals: a line for each of a thousand would hide them.
    if (verdict !== 'accepted' || isJson) results.add(item, ended);
    // What was accepted may still be published: another run would send it a second time.
    if (outcome !== 'accepted') run.failuresFile.add(whatFailed(item, result, run), verdict);
    // Nothing changes by it: another wait may begin anew.
    if (verdict === 'accepted' && isRead) run.failuresFile.addUnsent(item);
  };
}

/** The record without the parts that are as wanted: a list of failures must not do them again. */
function whatFailed(
  item: BatchItem,
  { bad }: Partial<CallOutcome>,
  { prepared }: BatchRun,
): BatchItem {
  const { parts: field = '' } = prepared.operation;
  if (bad === undefined || item.input[field] === undefined) return item;
  return { ...item, input: { ...item.input, [field]: bad } };
}

/** An item that failed, with the reason. */
function failedLine(
  { input }: BatchItem,
  verdict: ItemVerdict,
  failure: Failure | undefined,
): string | undefined {
  if (failure === undefined || verdict === 'accepted') return undefined;
  return `${idOf(input)} ${briefFailure(failure).facts.what}`;
}

/** The context of each item's call. It shows no waiting of its own, and stops when the batch does. */
function itemContext(
  { callContext, runtime, prepared }: BatchRun,
  cancel: Cancellation,
  progress: BatchProgress,
): CallContext {
  return {
    ...callContext,
    settings: { ...prepared.settings, quiet: true },
    activity: undefined,
    runtime: {
      ...runtime,
      signal: cancel.hard,
      sleep: (ms) => runtime.sleep(ms, cancel.soft),
      note: oncePerLine(callNote(runtime, progress)),
    },
  };
}

/** Makes the function that writes a line beside the progress. */
const callNote =
  ({ note }: Runtime, progress: BatchProgress) =>
  (line: string) => {
    progress.clear();
    note(line);
    progress.redraw();
  };

/** Makes the function that runs a part of a record's work, and redacts its secrets meanwhile. */
function secretsGuard({
  prepared: { fields },
  runtime: { secrets },
}: BatchRun): ItemRun['guarded'] {
  if (!fields.some(({ hidden }) => hidden)) return (_item, work) => work();
  return (item, work) => {
    const forget = secrets.add(secretValuesIn(fields, item.input));
    const result = work();
    if (!(result instanceof Promise)) forget();
    else void result.finally(forget).catch(() => undefined);
    return result;
  };
}

/** What an item ended with, no secret in its failure. */
function redactedOutcome(ended: Partial<CallOutcome>, { secrets }: Runtime): Partial<CallOutcome> {
  const { failure } = ended;
  return failure === undefined
    ? ended
    : { ...ended, failure: redactFailure(failure, secrets.mask) };
}

/** Says why the end takes a while, and how to end at once. */
function noteStop(active: number, progress: BatchProgress, { note, signal }: Runtime): void {
  if (active <= 0) return;
  progress.stop();
  const atOnce = asFailure(signal.reason).kind === 'interrupted' ? '; Ctrl-C to quit now' : '';
  const requests = `${active} ${active === 1 ? 'request' : 'requests'}`;
  note(`stopping: waiting up to ${GRACE_MS / 1000}s for ${requests}${atOnce}`);
}
