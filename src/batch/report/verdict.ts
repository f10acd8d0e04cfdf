// How a batch ends: the last writes, the failure it exits with, and its summary.

import { isChange } from '../../api/operations/define-operation.ts';
import { afterSending, Failure, type FailureKind, isSignal } from '../../base/errors.ts';
import { causes } from '../../client/causes.ts';
import { asFailure } from '../../output/error-report.ts';
import { toNdjson } from '../../output/format.ts';
import { AUTO, deleteList } from '../journal/job.ts';
import { CANARY_FAILED } from '../run/canary.ts';
import type { BatchItem } from '../read/validate-records.ts';
import type { Cancellation } from '../run/cancellation.ts';
import type { BatchRun } from '../types.ts';
import { nextCommandFor } from './next-command.ts';
import type { BatchProgress } from './progress.ts';
import type { BatchResults } from './results.ts';
import {
  type BatchSummary,
  type BatchTotals,
  type CauseCount,
  notStarted,
  summaryLine,
} from './summary.ts';

/** Adds a record that was not sent to `--failures-to`, unless an earlier run may have sent it. */
export function writeUnsent(run: BatchRun, item: BatchItem): void {
  const { past } = item;
  if (past !== 'accepted' && (past !== 'unknown' || run.batch.retryUnknown)) writeFailed(run, item);
}

/** Adds a record to `--failures-to` in the form that `--from` reads, without what the command's own words give. */
export function writeFailed({ failures, prepared }: BatchRun, { input }: BatchItem): void {
  if (failures === undefined) return;
  const { given } = prepared.spelling;
  const own = Object.entries(input).filter(([name]) => given[name] === undefined);
  failures.add(toNdjson([Object.fromEntries(own)]));
}

interface Ended {
  readonly results: BatchResults;
  readonly progress: BatchProgress;
  readonly cancel: Cancellation;
  readonly stopped: Failure | undefined;
  /** The records that were not started. */
  readonly rest: () => AsyncIterable<BatchItem>;
}

/** Writes the last results, the journal and `--failures-to`. Where that fails, it is why the batch stopped. */
export async function closeBatch(
  run: BatchRun,
  { results, progress, cancel, stopped, rest }: Ended,
): Promise<Pick<BatchTotals, 'stopped' | 'isRestWritten'>> {
  const { journal, failures, callContext } = run;
  let why = stopped;
  let isRestWritten = false;
  const writeRest = async () => {
    // With a journal they are read to be counted: an earlier run may have done some of them.
    if (stopped !== undefined && (failures !== undefined || journal !== undefined))
      for await (const item of rest()) writeUnsent(run, item);
    failures?.finish();
    isRestWritten = true;
  };
  const steps = [() => results.end(), () => journal?.close(), writeRest];
  for (const step of steps) {
    try {
      await cancel.inTime(step());
    } catch (error) {
      why = why === undefined || why.kind === 'batch_failed' ? asFailure(error) : why;
    }
  }
  progress.stop();
  const isRead = !isChange(callContext.operation);
  // A reader that closes the pipe of a read has seen enough.
  const isEnough = why?.facts.code === 'closed_pipe' && isRead;
  return { stopped: isEnough ? undefined : why, isRestWritten };
}

/** Throws the `Failure` that the batch ends with; after a good end says so and deletes a journal that is not needed. */
export function throwVerdict(run: BatchRun, totals: BatchTotals, summary: BatchSummary): void {
  const { batch, journal, path, runtime } = run;
  const failure = verdictOf(run, totals, summary);
  if (failure !== undefined) throw failure;
  const isAll = totals.before === totals.count;
  if (isAll && path !== undefined) runtime.note(`all ${totals.count} already done`);
  else if (batch.from !== undefined || path !== undefined) runtime.note(summaryLine(totals));
  // The same list may be a new job tomorrow.
  if (journal !== undefined && path !== undefined && batch.journal === AUTO)
    deleteList(journal, path, runtime);
}

function verdictOf(run: BatchRun, totals: BatchTotals, summary: BatchSummary): Failure | undefined {
  const { ok, failed, unknown, accepted, before, sent } = totals;
  // "Nothing was sent" is true of the item that was interrupted, not of the batch.
  const stopped = sent ? (afterSending(totals.stopped) as Failure | undefined) : totals.stopped;
  if (stopped === undefined && failed + unknown === 0) return undefined;
  const kind: FailureKind = stopped?.kind ?? (failed > 0 ? 'batch_failed' : 'outcome_unknown');
  const line = summaryLine(totals);
  const counts = summary.causes();
  const isCut = isSignal(kind);
  const own =
    stopped !== undefined &&
    (['local_io', 'internal'].includes(kind) || stopped.facts.code === CANARY_FAILED);
  const reason = stopped === undefined || isCut || own ? [] : [stopped.facts.what];
  const why = [...reason, ...(stopped?.facts.why ?? []), ...counts.flatMap(causeLines)];
  return new Failure(kind, {
    what: isCut ? `stopped: ${line}` : own ? stopped.facts.what : line,
    why: own ? [line, ...why] : why,
    details: {
      ok,
      failed,
      unknown,
      accepted,
      notStarted: notStarted(totals),
      before,
      stopped: stopped?.facts.what ?? null,
      causes: counts,
    },
    // A record whose token was refused counts as not started, but was sent.
    sent: sent || stopped?.facts.sent === true,
    ...(unknown > 0 ? { outcome: 'unknown' } : {}),
    retryable: false,
    ...(own && stopped.facts.cause !== undefined ? { cause: stopped.facts.cause } : {}),
    ...nextCommandFor(run, totals, summary.uncertain),
  });
}

const SHOWN_TEXTS = 3;

/** A cause with its most frequent texts, and how many more failures and texts there are. */
function causeLines({ cause, count, texts, more }: CauseCount): readonly string[] {
  const rest = texts.slice(SHOWN_TEXTS);
  const failures = rest.reduce((sum, each) => sum + each.count, more);
  const others = `${more > 0 ? 'over ' : ''}${rest.length} other ${rest.length === 1 && more === 0 ? 'message' : 'messages'}`;
  return [
    `${causes[cause]}: ${count}`,
    ...texts.slice(0, SHOWN_TEXTS).map((each) => `  ${each.count} × ${each.text}`),
    ...(failures > 0 ? [`  … ${failures} more with ${others}`] : []),
  ];
}
