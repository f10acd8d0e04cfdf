// The first line of a batch's report, and what it says of the failures below it.

import { isChange } from '../../api/operations/define-operation.ts';
import type { PreparedCall } from '../types.ts';
import { type BatchCounts, type BatchTotals, type CauseCount, notStarted } from './summary.ts';

/**
 * `228 of 242 published, 14 failed: 9 reconnect, 5 content; 2 unknown, 3 skipped`: what is done of all, then the rest,
 * and nothing of which there is none.
 */
export function batchHeadline(
  call: Pick<PreparedCall, 'operation' | 'waiting'>,
  totals: BatchCounts & Pick<BatchTotals, 'count'>,
  causes: readonly CauseCount[] = [],
): string {
  const { ok, failed, count } = totals;
  const rest: readonly (readonly [count: number, words: string])[] = [
    [totals.unknown, 'unknown'],
    [totals.accepted, 'still pending'],
    [totals.before, 'already done'],
    [totals.skipped, 'skipped'],
    [notStarted(totals), 'not started'],
  ];
  const words = causes.flatMap(({ cause, count: each }) =>
    cause === 'unknown' ? [] : [`${each} ${cause}`],
  );
  const why = words.length === 0 ? '' : `: ${words.join(', ')}`;
  const others = rest.flatMap(([each, word]) => (each > 0 ? [`${each} ${word}`] : []));
  const clauses = failed > 0 ? [`${failed} failed${why}`, ...others] : others;
  const start = [`${ok} of ${count} ${doneWord(call)}`, ...clauses.slice(0, 1)].join(', ');
  const end = clauses.slice(1).join(', ');
  return end === '' ? start : `${start}${failed > 0 && why !== '' ? ';' : ','} ${end}`;
}

/** What becomes of a record that goes well. */
function doneWord({ operation, waiting }: Pick<PreparedCall, 'operation' | 'waiting'>): string {
  const { wait } = operation;
  if (waiting !== undefined) return wait?.reached ?? 'done';
  if (!isChange(operation)) return 'read';
  return wait === undefined ? 'done' : 'accepted';
}

const SHOWN_TEXTS = 5;

/** A cause with its most frequent texts, and how many more failures and texts there are; `place` has the records. */
export function causeLines(
  { cause, count, texts, more }: CauseCount,
  place: string | undefined,
): readonly string[] {
  const rest = texts.slice(SHOWN_TEXTS);
  const failures = rest.reduce((sum, each) => sum + each.count, more);
  const others = `${more > 0 ? 'over ' : ''}${rest.length} other ${rest.length === 1 && more === 0 ? 'message' : 'messages'}`;
  const see = place === undefined ? '' : ` (see ${place})`;
  return [
    `${cause === 'unknown' ? 'unknown outcome' : cause}: ${count}`,
    ...texts.slice(0, SHOWN_TEXTS).map((each) => `  ${each.count} × ${each.text}`),
    ...(failures > 0 ? [`  and ${failures} more with ${others}${see}`] : []),
  ];
}
