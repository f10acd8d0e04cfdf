// Judges a batch at its end: makes its failure, or the lines for a success. Judges its canary, too.

import { isChange } from '../../api/operations/define-operation.ts';
import { Failure, type FailureKind, isSignal, sentenceOf } from '../../base/errors.ts';
import { idsOf } from '../../base/http.ts';
import { labelledLine } from '../../base/shell.ts';
import { skippedLine } from '../../client/remedies.ts';
import type { OperationCall } from '../../input/collect-input.ts';
import { formOf } from '../../output/write-result.ts';
import type { CanaryEnd } from './board.ts';
import { nextCommandFor, waitStep } from './next-command.ts';
import {
  type BatchCounts,
  type BatchSummary,
  CANARY_FAILED,
  type CauseCount,
  openWord,
} from './summary.ts';
import type { EndedBatch } from '../session.ts';

/** Throws the `Failure` of the batch; after a success prints its headline. */
export function throwVerdict(ended: EndedBatch): void {
  const { call, runtime, summary } = ended;
  const { from, journal } = ended.batchOptions;
  const failure = batchFailure(ended);
  if (failure !== undefined) throw failure;
  const isAllDoneBefore = summary.counts.before === summary.count;
  if (isAllDoneBefore && journal !== undefined) runtime.note(`all ${summary.count} already done`);
  // A read of typed IDs prints no headline: it has shown its results like single reads.
  else if (from !== undefined || isChange(call.operation))
    [batchHeadline(call, summary), ...skippedLines(summary)].forEach(runtime.note);
  const { line } = summary.unwaited > 0 ? waitStep(ended) : {};
  if (line !== undefined && formOf(ended.settings, runtime.stdout) === 'table')
    runtime.note(labelledLine('try', line));
}

/** Makes the failure of a batch; `undefined` after a success. */
function batchFailure(ended: EndedBatch): Failure | undefined {
  const { summary, sent } = ended;
  const { ok, failed, unknown, accepted, skipped, before } = summary.counts;
  // The reason may say that nothing was sent: that is true of the interrupted record, not of the batch.
  const stopped = sent ? ended.stopped?.with({ sent: true, nothingWas: undefined }) : ended.stopped;
  const isIdleWait = waitedForNothing(ended);
  if (stopped === undefined && failed + unknown + accepted === 0 && !isIdleWait) return undefined;
  const kind = stopped?.kind ?? (isIdleWait ? 'batch_failed' : kindOf(summary));
  const causes = summary.causes();
  const line = batchHeadline(ended.call, summary);
  const isInterrupted = isSignal(kind);
  // For these failures the headline is the reason, and the counts follow it.
  const isReasonFirst =
    stopped !== undefined &&
    (['local_io', 'internal'].includes(kind) || stopped.facts.code === CANARY_FAILED);
  const reason =
    stopped === undefined || isInterrupted || isReasonFirst ? [] : [sentenceOf(stopped.facts)];
  const isAccepted = ok - summary.found + accepted > 0 && isChange(ended.call.operation);
  const { next, hint } = nextCommandFor(ended);
  // A hint of all failures, such as that of a login page, is one of the batch.
  const [ofAll] = summary.hints.size === 1 ? summary.hints : [];
  const hints = [ofAll, hint].filter((text) => text !== undefined);
  const why = [
    ...reason,
    ...(stopped?.facts.why ?? []),
    ...causes.flatMap((one) => causeLines(one, summary.wordFor(one.cause), ended.savedTo)),
    ...skippedLines(summary),
  ];
  return new Failure(kind, {
    what: isInterrupted ? `stopped: ${line}` : isReasonFirst ? sentenceOf(stopped.facts) : line,
    why: isReasonFirst ? [line, ...why] : why,
    details: {
      ok,
      failed,
      unknown,
      [isChange(ended.call.operation) ? 'accepted' : 'inProgress']: accepted,
      skipped,
      notStarted: summary.notStarted,
      before,
      stopped: stopped === undefined ? null : sentenceOf(stopped.facts),
      causes,
      skippedTargets: Object.fromEntries(summary.skipped),
    },
    // A record whose token was rejected counts as not started, although its request was sent.
    sent: sent || stopped?.facts.sent === true,
    // `batch_failed` hides that some records are done, accepted or unknown; the outcome says so.
    outcome: unknown > 0 ? 'unknown' : isAccepted ? 'accepted' : undefined,
    // `afterTraffic` corrects it.
    nothingWas: isChange(ended.call.operation) && unknown + accepted === 0 ? 'sent' : undefined,
    retryable: false,
    ...idsOf(stopped),
    cause: isReasonFirst ? stopped.facts.cause : undefined,
    next,
    hint:
      hints.join('\n') ||
      (isIdleWait ? 'nothing was waited for: no record has a target that counts' : undefined),
  });
}

/** True if a batch that only waits had nothing to wait for: that is a failure, as for a single post. */
const waitedForNothing = ({ call, summary: { counts, count } }: EndedBatch): boolean =>
  call.waiting !== undefined &&
  !isChange(call.operation) &&
  counts.skipped > 0 &&
  counts.skipped === count;

/** Returns the kind of the failure of a batch that nothing has stopped. */
function kindOf({ counts: { failed, unknown } }: BatchSummary): FailureKind {
  if (failed > 0) return 'batch_failed';
  return unknown > 0 ? 'outcome_unknown' : 'still_pending';
}

/** Formats `skipped 3 targets: already publishing`, one line for each reason, the most frequent first. */
const skippedLines = ({ skipped }: BatchSummary): readonly string[] =>
  [...skipped]
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([reason, count]) => skippedLine(reason, count));

/**
 * Formats `228 of 247 published, 14 failed: 9 reconnect, 5 content; 2 unknown, 3 skipped`: first what is done, then the
 * rest without zeros.
 */
export function batchHeadline(
  call: Pick<OperationCall, 'operation' | 'waiting'>,
  summary: Pick<BatchSummary, 'counts' | 'count' | 'notStarted' | 'causes' | 'found' | 'wordFor'>,
): string {
  const { counts, count } = summary;
  const { ok, failed, before } = counts;
  const result = doneWord(call);
  // Records that an earlier run has done are results like those of this one; an acceptance is of this run alone.
  const earlier = before + summary.found;
  const isResult = result !== 'accepted';
  const now = ok - summary.found + (isResult ? 0 : counts.accepted);
  const rest: readonly (readonly [count: number, words: string])[] = [
    [counts.unknown, 'unknown'],
    [isResult ? counts.accepted : 0, openWord(call.operation)],
    [isResult ? 0 : earlier, 'published before'],
    [counts.skipped, 'skipped'],
    [summary.notStarted, 'not started'],
  ];
  const others = rest
    .filter(([times]) => times > 0)
    .map(([times, word]) => `${times} ${word}`)
    .join(', ');
  // `others` has the unknown outcomes already.
  const reasons = summary
    .causes()
    .filter(({ cause }) => cause !== 'unknown')
    .map(({ cause, count: times }) => `${times} ${summary.wordFor(cause)}`)
    .join(', ');
  const ofThisRun = isResult && earlier > 0 ? ` (${now} now)` : '';
  const done = `${isResult ? ok + before : now} of ${count} ${result}${ofThisRun}`;
  const start = failed === 0 ? done : `${done}, ${failed} failed${reasons && `: ${reasons}`}`;
  return `${start}${others && (failed > 0 && reasons !== '' ? `; ${others}` : `, ${others}`)}`;
}

/** Returns the word for records that succeeded: `published`, `read`. */
function doneWord({ operation, waiting }: Pick<OperationCall, 'operation' | 'waiting'>): string {
  const { wait } = operation;
  if (waiting !== undefined && wait !== undefined) return wait.reached;
  if (!isChange(operation)) return 'read';
  return wait === undefined ? 'done' : 'accepted';
}

const SHOWN_TEXTS = 5;

/**
 * Formats a cause with its most frequent messages, and the number of failures with other messages. The file `savedTo`
 * has the records.
 */
export function causeLines(
  { count, texts, more }: Omit<CauseCount, 'cause'>,
  word: string,
  savedTo: string | undefined,
): readonly string[] {
  const others = texts.slice(SHOWN_TEXTS).reduce((sum, text) => sum + text.count, more);
  const see = savedTo === undefined ? '' : ` (see ${savedTo})`;
  return [
    `${word}: ${count}`,
    ...texts.slice(0, SHOWN_TEXTS).map((text) => `  ${text.count} × ${text.text}`),
    ...(others > 0 ? [`  and ${others} more${see}`] : []),
  ];
}

type CanaryRun = Readonly<Record<'size' | 'left' | 'maxPercent', number>> &
  Readonly<Record<'isStopped' | 'isMendable' | 'isForPerson' | 'isJournalled', boolean>> &
  // `failing` are the platforms of which nothing succeeded.
  Readonly<{ reached: string; failing: readonly string[] }>;

/**
 * Judges a canary of so many records by their counts: `why` the batch stops after it, or else what is said of it. `left`
 * records follow, and `reached` is the word for one that is done. Unknown and accepted records did not succeed. A canary
 * that tried nothing stops the rest.
 */
export function judgeCanary(
  { size, left, maxPercent, reached, isStopped, failing, ...told }: CanaryRun,
  { ok, failed, unknown, accepted, skipped }: BatchCounts,
): { readonly end: CanaryEnd; readonly why?: Failure; readonly said?: string } {
  const ended = ok + failed + skipped;
  if (isStopped) return { end: 'stopped', said: `canary stopped: ${ended} of ${size} have ended` };
  const bad = failed + unknown + accepted;
  const all = bad + ok;
  const isIdle = all === 0 && left > 0;
  if (!isIdle && 100 * bad <= maxPercent * all) {
    const warning = failing.map((one) => `; ${one}`).join('');
    const next = told.isJournalled ? 'the same line resumes' : '--platform names the others';
    const toDo = warning !== '' && told.isForPerson ? `; Ctrl-C stops, and ${next}` : '';
    const said = `canary passed: ${ok} of ${all} ${reached}${warning}; continuing with ${left} more${toDo}`;
    return { end: 'passed', ...(left > 0 && { said }) };
  }
  const result = isIdle
    ? `it tried nothing: ${skipped} of ${skipped} had nothing to do`
    : `${ok} of ${all} ${reached} (at most ${maxPercent}% may fail)`;
  return { end: 'failed', why: canaryFailed(result, left, told.isMendable) };
}

function canaryFailed(result: string, left: number, isMendable: boolean): Failure {
  const others = left === 1 ? 'the other one was not sent' : `the other ${left} were not sent`;
  return new Failure('batch_failed', {
    what: `canary failed: ${result}; ${left === 0 ? 'there was nothing else to send' : others}`,
    code: CANARY_FAILED,
    hint: `${isMendable ? 'fix what failed and run it again; ' : ''}without --canary it sends all that is left`,
    retryable: false,
  });
}
