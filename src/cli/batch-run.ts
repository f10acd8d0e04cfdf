// Runs the checked records of a batch against an opened service, and ends as they ended.

import { runBatch, type Ending, type Verdict } from '../call/batch.ts';
import type { Journal } from '../call/journal.ts';
import type { Input } from '../call/request.ts';
import type { Replacement } from '../files/replace.ts';
import type { World } from '../world.ts';
import { MOST_INSPECTED } from './batch-advice.ts';
import { cancelling, GRACE_MS, type Cancel } from './batch-cancel.ts';
import { conclude, keep, kept, wrapUp } from './batch-end.ts';
import { itemWorker, type ItemRun } from './batch-item.ts';
import { batchProgress } from './batch-progress.ts';
import { paceOf } from './batch-pace.ts';
import type { Item, Records } from './batch-records.ts';
import { remembering } from './batch-rest.ts';
import { batchResults } from './batch-results.ts';
import type { BatchSettings } from './batch-settings.ts';
import { causeCounter } from './batch-summary.ts';
import type { Calling } from './calling.ts';
import { eachOnce } from './notes.ts';
import type { Invocation, Prepared } from './prepare.ts';
import { redacted } from './redacted.ts';
import { asFailure } from './report.ts';
import { hiddenIn } from './secret.ts';

export interface Task {
  readonly invocation: Invocation;
  readonly prepared: Prepared;
  readonly batch: BatchSettings;
  readonly records: Records;
  readonly world: World;
  readonly note: (line: string) => void;
}

export interface Run extends Task {
  readonly calling: Calling;
  readonly journal?: Journal;
  readonly path?: string;
  /** Takes the records that failed. */
  readonly failures: Replacement | undefined;
}

/** Runs them all, or until there is a reason to stop; gives how many. Throws the `Failure` that the batch ends with. */
export async function runRecords(run: Run): Promise<number> {
  const { batch, records, world, prepared, calling, journal, note } = run;
  const { fields, mask } = run.invocation;
  const cancel = cancelling(world);
  const progress = await batchProgress(records.count, prepared.settings, world);
  const unask = world.onQuestion(() => progress.line());
  const causes = causeCounter(mask);
  const results = await batchResults(calling, {
    fields,
    mask,
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
    if (journal !== undefined && journal.cut > 0)
      note(`journal: the last line was unfinished and was cut off (${journal.cut} bytes)`);
    const onEnd: ItemRun['onEnd'] = (item, ended, verdict, as) => {
      const failure = ended.failure && redacted(ended.failure, mask);
      progress.done(verdict);
      results.add(item, failure === undefined ? ended : { ...ended, failure });
      if (failure !== undefined && verdict !== 'accepted') causes.add(ended.data, failure);
      unsure.add(verdict, item.input);
      // What was accepted may still go out: another run would send it a second time.
      const mayComeOut = as === 'accepted' || ended.failure?.kind === 'still_pending';
      if (verdict === 'failed' && !mayComeOut) keep(run, item);
    };
    const tell = (line: string) => {
      progress.clear();
      note(line);
      progress.redraw();
    };
    const { work, pace } = workerOf({ ...run, note: tell }, cancel, onEnd);
    progress.watchPauses(pace.pausedMs);
    onStop = () => {
      if (pace.active() === 0) return;
      progress.stop();
      note(stopping(pace.active(), world.signal.reason));
    };
    world.signal.addEventListener('abort', onStop, { once: true });
    const { source, took, rest } = remembering(remaining(run, skip));
    const discreetly = discreet(run, work);
    const tally = await runBatch({
      source,
      work: (item: Item) => {
        took();
        return run.failures === undefined ? discreetly(item) : kept(run, item, discreetly(item));
      },
      limit: pace.limit,
      maxFailures: batch.maxFailures,
      hold: results.hold,
      signal: cancel.soft,
    });
    const end = await wrapUp(run, { results, progress, cancel, stopped: tally.stopped, rest });
    const totals = { ...tally, ...end, count: records.count, before };
    conclude(run, totals, causes.counts(), unsure);
    return totals.ok;
  } finally {
    if (onStop !== undefined) world.signal.removeEventListener('abort', onStop);
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
    add(verdict: Verdict, input: Input) {
      const same = { unknown, accepted }[verdict as string];
      if (same !== undefined && same.length < MOST_INSPECTED) same.push(input);
    },
  };
}

/** Hides what is secret in a record for as long as it is under way. */
function discreet({ invocation }: Run, work: (item: Item) => Promise<Ending>): typeof work {
  const { fields, hide } = invocation;
  if (!fields.some(({ secret, sensitive }) => secret || sensitive)) return work;
  return (item) => {
    const reveal = hide(hiddenIn(fields, item.input));
    return work(item).finally(reveal);
  };
}

/** The worker of this run, with a pace that all items share. */
function workerOf(run: Run, cancel: Cancel, onEnd: Parameters<typeof itemWorker>[0]['onEnd']) {
  const { batch, world, prepared, calling, journal } = run;
  const { settings } = prepared;
  const { pace, patience } = paceOf(batch, settings, world, cancel.soft);
  const work = itemWorker({
    calling: {
      ...calling,
      // A wait shows itself on stderr unless it is told to be quiet; thousands of them must not.
      settings: { ...settings, quiet: true },
      activity: undefined,
      // The batch answers for all of them.
      world: {
        ...world,
        signal: cancel.hard,
        sleep: patience.sleep,
        onQuestion: () => () => undefined,
      },
      note: eachOnce(run.note),
    },
    waiting: prepared.waiting,
    pace,
    journal,
    retryUnknown: batch.retryUnknown,
    patience,
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
  { records, journal, prepared }: Run,
  skip: () => void,
): AsyncGenerator<readonly Item[]> {
  const isOver = ({ past }: Item) =>
    past === 'done' || (past === 'accepted' && prepared.waiting === undefined);
  for await (const group of records.items(journal)) {
    const left = group.filter((item) => {
      if (isOver(item)) skip();
      return !isOver(item);
    });
    if (left.length > 0) yield left;
  }
}
