// Runs the validated records of a batch against an opened service: wires the scheduler, the worker, the results, the
// progress and the end.

import type { Runtime } from '../../base/runtime.ts';
import type { CallContext, CallOutcome } from '../../client/call-context.ts';
import { secretValuesIn } from '../../input/secret-input.ts';
import { asFailure } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/notes.ts';
import { redactFailure } from '../../output/redact.ts';
import type { BatchItem } from '../read/validate-records.ts';
import { type BatchProgress, batchProgress } from '../report/progress.ts';
import { gatheredResults } from '../report/gathered-results.ts';
import { batchResults } from '../report/results.ts';
import { createSummary } from '../report/summary.ts';
import { closeBatch, throwVerdict, writeEnded, writeUnsent } from '../report/verdict.ts';
import type { BatchRun } from '../types.ts';
import { type Cancellation, createCancellation, GRACE_MS } from './cancellation.ts';
import { type ItemRun, itemWorker } from './item.ts';
import { rateLimiterFor } from './rate-limit.ts';
import { schedule } from './scheduler.ts';

/** Runs all records, or until there is a reason to stop; returns how many were done. Throws the batch's `Failure`. */
export async function runRecords(run: BatchRun): Promise<number> {
  const { batch, records, runtime, callContext, journal } = run;
  const { settings, waiting, fields } = run.prepared;
  const cancel = createCancellation(runtime);
  const { pace, retryPolicy } = rateLimiterFor(batch, settings, runtime, cancel.soft);
  const pauses = { pausedMs: pace.pausedMs, isWaiting: waiting !== undefined };
  const progress = await batchProgress(records.count, pauses, settings, runtime);
  const removeQuestion = runtime.onQuestion(() => progress.line());
  const summary = createSummary(runtime.secrets.mask);
  const gatherer = run.prepared.hooks.gather?.(callContext, run.prepared.argv);
  const many = batch.from !== undefined;
  const results =
    gatherer === undefined
      ? await batchResults(callContext, { fields, progress, many, onBroken: cancel.stop })
      : gatheredResults(callContext, gatherer, progress);
  const onStop = () => {
    if (pace.active() === 0) return;
    progress.stop();
    runtime.note(stopping(pace.active(), runtime.signal.reason));
  };
  const onEnd: ItemRun['onEnd'] = (item, result, verdict, outcome) => {
    const ended = redactedOutcome(result, runtime);
    progress.done(verdict);
    results.add(item, ended);
    summary.add(verdict, item.input, ended);
    // What was accepted may still be published: another run would send it a second time.
    const mayBeDone = outcome === 'accepted' || result.failure?.kind === 'still_pending';
    if (!mayBeDone) writeEnded(run, item, verdict);
  };
  let before = 0;
  const skip = () => {
    before++;
    progress.skip();
  };
  const worker = itemWorker({
    callContext: itemContext(run, cancel, progress),
    waiting,
    pace,
    retryPolicy,
    journal,
    retryUnknown: batch.retryUnknown,
    onEnd,
  });
  try {
    if (journal !== undefined && journal.cut > 0)
      runtime.note(`journal: removed an incomplete last line (${journal.cut} bytes)`);
    runtime.signal.addEventListener('abort', onStop, { once: true });
    const callItem = redacting(run, worker);
    const { rest, ...counts } = await schedule({
      source: remaining(run, skip),
      async work(item: BatchItem) {
        const result = await callItem(item);
        if (result.verdict === 'unstarted') writeUnsent(run, item);
        return result;
      },
      limit: pace.limit,
      maxFailures: batch.maxFailures,
      hold: results.hold,
      signal: cancel.soft,
    });
    const ending = { results, progress, cancel, stopped: counts.stopped, rest };
    const end = await closeBatch(run, ending);
    throwVerdict(run, { ...counts, ...end, count: records.count, before }, summary);
    return counts.ok;
  } finally {
    runtime.signal.removeEventListener('abort', onStop);
    removeQuestion();
    progress.stop();
    cancel.close();
  }
}

/** The context of each item's call. It shows no waiting of its own, and stops when the batch does. */
function itemContext(
  { callContext, runtime, prepared }: BatchRun,
  cancel: Cancellation,
  progress: BatchProgress,
): CallContext {
  const note = (line: string) => {
    progress.clear();
    runtime.note(line);
    progress.redraw();
  };
  return {
    ...callContext,
    settings: { ...prepared.settings, quiet: true },
    activity: undefined,
    runtime: {
      ...runtime,
      signal: cancel.hard,
      sleep: (ms) => runtime.sleep(ms, cancel.soft),
      onQuestion: () => () => undefined,
      note: oncePerLine(note),
    },
  };
}

/** Redacts the secrets of a record for as long as its call runs. */
function redacting(
  { prepared: { fields }, runtime: { secrets } }: BatchRun,
  work: ReturnType<typeof itemWorker>,
): typeof work {
  if (!fields.some(({ hidden }) => hidden)) return work;
  return (item) => {
    const forget = secrets.add(secretValuesIn(fields, item.input));
    return work(item).finally(forget);
  };
}

/** What an item ended with, no secret in its failure. */
function redactedOutcome(
  { failure, ...rest }: Partial<CallOutcome>,
  { secrets }: Runtime,
): Partial<CallOutcome> {
  return failure === undefined ? rest : { ...rest, failure: redactFailure(failure, secrets.mask) };
}

/** Why the end takes a while, and how to end at once. */
function stopping(active: number, reason: unknown): string {
  const atOnce = asFailure(reason).kind === 'interrupted' ? '; Ctrl-C to quit now' : '';
  const requests = `${active} ${active === 1 ? 'request' : 'requests'}`;
  return `stopping: waiting up to ${GRACE_MS / 1000}s for ${requests}${atOnce}`;
}

/** The records without those that an earlier run has done. */
async function* remaining(
  { records, journal, prepared }: BatchRun,
  skip: () => void,
): AsyncGenerator<readonly BatchItem[]> {
  for await (const group of records.items(journal)) {
    const left = group.filter(({ past }) => {
      const isDone = past === 'done' || (past === 'accepted' && prepared.waiting === undefined);
      if (isDone) skip();
      return !isDone;
    });
    if (left.length > 0) yield left;
  }
}
