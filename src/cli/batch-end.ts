// The end of a batch: what failed and what was not started is put where another run finds it, all is written out, and
// the batch ends as its records did.

import type { Ending } from '../call/batch.ts';
import type { Failure } from '../errors.ts';
import { isChange } from '../operations/operation.ts';
import { toNdjson } from '../output/format.ts';
import { adviceFor, type Unsure } from './batch-advice.ts';
import type { Cancel } from './batch-cancel.ts';
import { AUTO, dropList } from './batch-journal.ts';
import type { BatchProgress } from './batch-progress.ts';
import type { Item } from './batch-records.ts';
import type { BatchResults } from './batch-results.ts';
import type { Run } from './batch-run.ts';
import { summaryLine, verdictOf, type Totals } from './batch-summary.ts';
import { asFailure } from './report.ts';

/** Keeps what was taken up and then not even started. */
export async function kept(run: Run, item: Item, working: Promise<Ending>): Promise<Ending> {
  const ending = await working;
  if (ending.verdict === 'unstarted' && mayBeSent(run, item)) keep(run, item);
  return ending;
}

/** Another run has no journal to tell it what may have happened already: such records are left out. */
const mayBeSent = ({ batch }: Run, { past }: Item) =>
  past !== 'accepted' && (past !== 'unknown' || batch.retryUnknown);

/** Keeps a record in the form that `--from` reads, less what the command's own words give. */
export function keep({ failures, invocation }: Run, { input }: Item): void {
  if (failures === undefined) return;
  const { given } = invocation.spelling;
  const own = Object.entries(input).filter(([name]) => given[name] === undefined);
  failures.add(toNdjson([Object.fromEntries(own)]));
}

interface Ended {
  readonly results: BatchResults;
  readonly progress: BatchProgress;
  readonly cancel: Cancel;
  readonly stopped: Failure | undefined;
  /** What nobody has taken up, where it was stopped. */
  readonly rest: () => AsyncIterable<Item>;
}

/** Writes what is left to write; where that fails, it is why the batch stopped. */
export async function wrapUp(
  run: Run,
  { results, progress, cancel, stopped, rest }: Ended,
): Promise<Pick<Totals, 'stopped' | 'isRestKept'>> {
  const { journal, failures, calling } = run;
  let why = stopped;
  let isRestKept = false;
  const keepAll = async () => {
    // With a journal they are read to be counted: some of them an earlier run has done.
    if (stopped !== undefined && (failures !== undefined || journal !== undefined))
      for await (const item of rest()) if (mayBeSent(run, item)) keep(run, item);
    failures?.finish();
    isRestKept = true;
  };
  const steps = [() => results.end(), () => journal?.close(), keepAll];
  for (const step of steps) {
    try {
      await cancel.inTime(step());
    } catch (error) {
      why = why === undefined || why.kind === 'batch_failed' ? asFailure(error) : why;
    }
  }
  progress.stop();
  const isRead = !isChange(calling.operation);
  // Who closes the pipe of a read has seen enough.
  const isEnough = why?.facts.code === 'closed_pipe' && isRead;
  return { stopped: isEnough ? undefined : why, isRestKept };
}

export function conclude(
  run: Run,
  totals: Totals,
  counts: Parameters<typeof verdictOf>[1],
  unsure: Unsure,
): void {
  const { batch, journal, note, path } = run;
  const failure = verdictOf(totals, counts, adviceFor(run, totals, unsure));
  if (failure !== undefined) throw failure;
  const isAll = totals.before === totals.count;
  if (isAll && path !== undefined) note(`nothing to do (${totals.count} done)`);
  else if (batch.from !== undefined || path !== undefined) note(summaryLine(totals));
  // A job that is over needs no record of it; the same list may be a new job tomorrow.
  if (journal !== undefined && path !== undefined && batch.journal === AUTO)
    dropList(journal, path, note);
}
