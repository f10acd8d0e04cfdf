// Runs the checked records of a batch against an opened service, and ends as they ended.
import { secretValuesIn } from '../../input/secret-input.ts';
import { asFailure } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/notes.ts';
import { redactFailure } from '../../output/redact.ts';
import type { BatchItem } from '../read/validate-records.ts';
import { batchProgress } from '../report/progress.ts';
import { batchResults } from '../report/results.ts';
import { causeCounter } from '../report/summary.ts';
import {
  throwVerdict,
  writeFailures,
  recordUnstarted,
  MAX_INSPECTED,
  closeBatch,
} from '../report/verdict.ts';
import { type ItemRun, itemWorker } from './item.ts';
import { rateLimiterFor } from './rate-limit.ts';
import { type ItemResult, schedule, type ItemVerdict } from './scheduler.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { BatchRun } from '../types.ts';
import { GRACE_MS, type Cancellation, createCancellation } from './cancellation.ts';

// The end of a batch in two steps: nothing more is started, and some seconds later what is still under way is cut off.
// Who interrupts it a second time has it cut off at once, and what is left to write gets a moment.

function tellCut({ journal, runtime: { note } }: BatchRun): void {
  if (journal !== undefined && journal.cut > 0)
    note(`journal: the last line was unfinished and was cut off (${journal.cut} bytes)`);
}

/** Runs them all, or until there is a reason to stop; gives how many. Throws the `Failure` that the batch ends with. */
export async function runRecords(run: BatchRun): Promise<number> {
  const { batch, records, runtime, prepared, callContext } = run;
  const { mask } = runtime.secrets;
  const cancel = createCancellation(runtime);
  const progress = await batchProgress(records.count, prepared.settings, runtime);
  const unask = runtime.onQuestion(() => progress.line());
  const causes = causeCounter(mask);
  const results = await batchResults(callContext, {
    fields: run.invocation.fields,
    progress,
    many: batch.from !== undefined,
    onBroken: cancel.stop,
  });
  const unsure = firstOf();
  let onStop: (() => void) | undefined;
  let before = 0;
  const skip = () => {
    before++;
    progress.skip();
  };
  try {
    tellCut(run);
    const onEnd: ItemRun['onEnd'] = (item, ended, verdict, as) => {
      const failure = ended.failure && redactFailure(ended.failure, mask);
      progress.done(verdict);
      results.add(item, failure === undefined ? ended : { ...ended, failure });
      if (failure !== undefined && verdict !== 'accepted') causes.add(ended.data, failure);
      unsure.add(verdict, item.input);
      // What was accepted may still go out: another run would send it a second time.
      const mayComeOut = as === 'accepted' || ended.failure?.kind === 'still_pending';
      if (verdict === 'failed' && !mayComeOut) writeFailures(run, item);
    };
    const tell = (line: string) => {
      progress.clear();
      runtime.note(line);
      progress.redraw();
    };
    const { work, pace } = workerOf({ ...run, runtime: { ...runtime, note: tell } }, cancel, onEnd);
    progress.watchPauses(pace.pausedMs);
    onStop = () => {
      const active = pace.active();
      if (active > 0) progress.stop();
      if (active > 0) runtime.note(stopping(active, runtime.signal.reason));
    };
    runtime.signal.addEventListener('abort', onStop, { once: true });
    const discreetly = discreet(run, work);
    const { rest, ...tally } = await schedule({
      source: remaining(run, skip),
      work: (item: BatchItem) => {
        const result = discreetly(item);
        return run.failures === undefined ? result : recordUnstarted(run, item, result);
      },
      limit: pace.limit,
      maxFailures: batch.maxFailures,
      hold: results.hold,
      signal: cancel.soft,
    });
    const end = await closeBatch(run, { results, progress, cancel, stopped: tally.stopped, rest });
    const totals = { ...tally, ...end, count: records.count, before };
    throwVerdict(run, totals, causes.counts(), unsure);
    return totals.ok;
  } finally {
    if (onStop !== undefined) runtime.signal.removeEventListener('abort', onStop);
    unask();
    progress.stop();
    cancel.close();
  }
}

/** Keeps the first records of which nobody knows yet what becomes of them. */
function firstOf() {
  const unknown: Input[] = [];
  const accepted: Input[] = [];
  return {
    unknown,
    accepted,
    add(verdict: ItemVerdict, input: Input) {
      const same = { unknown, accepted }[verdict as string];
      if (same !== undefined && same.length < MAX_INSPECTED) same.push(input);
    },
  };
}

/** Hides what is secret in a record for as long as it is under way. */
function discreet(
  { invocation: { fields }, runtime: { secrets } }: BatchRun,
  work: (item: BatchItem) => Promise<ItemResult>,
): typeof work {
  if (!fields.some(({ secret, sensitive }) => secret || sensitive)) return work;
  return (item) => {
    const forget = secrets.add(secretValuesIn(fields, item.input));
    return work(item).finally(forget);
  };
}

/** The worker of this run, with a pace that all items share. */
function workerOf(
  run: BatchRun,
  cancel: Cancellation,
  onEnd: Parameters<typeof itemWorker>[0]['onEnd'],
) {
  const { batch, runtime, prepared, callContext, journal } = run;
  const { settings } = prepared;
  const { pace, retryPolicy } = rateLimiterFor(batch, settings, runtime, cancel.soft);
  const work = itemWorker({
    callContext: {
      ...callContext,
      // A wait shows itself on stderr unless it is told to be quiet; thousands of them must not.
      settings: { ...settings, quiet: true },
      activity: undefined,
      // The batch answers for all of them.
      runtime: {
        ...runtime,
        signal: cancel.hard,
        sleep: (ms) => runtime.sleep(ms, cancel.soft),
        onQuestion: () => () => undefined,
        note: oncePerLine(runtime.note),
      },
    },
    waiting: prepared.waiting,
    pace,
    journal,
    retryUnknown: batch.retryUnknown,
    retryPolicy,
    onEnd,
  });
  return { work, pace };
}

/** Somebody who waits for the end should know why it takes a while, and how it takes less. */
function stopping(active: number, reason: unknown): string {
  const atOnce = asFailure(reason).kind === 'interrupted' ? '; Ctrl-C again ends at once' : '';
  return `stopping: ${active} under way get ${GRACE_MS / 1000} s${atOnce}`;
}

/** The records less those that an earlier run has done. */
async function* remaining(
  { records, journal, prepared }: BatchRun,
  skip: () => void,
): AsyncGenerator<readonly BatchItem[]> {
  const isOver = ({ past }: BatchItem) =>
    past === 'done' || (past === 'accepted' && prepared.waiting === undefined);
  for await (const group of records.items(journal)) {
    const left = group.filter((item) => {
      if (isOver(item)) skip();
      return !isOver(item);
    });
    if (left.length > 0) yield left;
  }
}
