// What a batch's report is made of: the totals, the failures by cause, and the first records whose outcome is uncertain.
// Keeps a bounded number of texts, however long the batch is.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import {
  type Cause,
  causeOf,
  causes,
  type TargetError,
  targetErrorsIn,
} from '../../client/causes.ts';
import type { BatchCounts, ItemVerdict } from '../run/scheduler.ts';

export interface CauseCount {
  readonly cause: Cause;
  readonly count: number;
  /** The texts, the most frequent first; at most a hundred. */
  readonly texts: readonly { readonly text: string; readonly count: number }[];
  /** How many failures had other texts. */
  readonly more: number;
}

/** The first records with an unknown outcome, and those that were accepted but not waited for to the end. */
export interface UncertainItems {
  readonly unknown: readonly Input[];
  readonly accepted: readonly Input[];
}

/** How many records the command that looks at them names. */
export const MAX_UNCERTAIN = 3;
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 160;

export type BatchSummary = ReturnType<typeof createSummary>;

/** Counts failures by cause and text as they come. `mask` redacts each text before it is cut. */
export function createSummary(mask: (text: string) => string) {
  const groups = new Map<Cause, { count: number; said: number; texts: Map<string, number> }>();
  const uncertain = { unknown: [] as Input[], accepted: [] as Input[] };
  const addFailure = (data: unknown, failure: Failure) => {
    const said = failure.kind === 'ended_badly' ? targetErrorsIn(data) : [];
    const cause = causeOf(failure, said);
    const group = groups.get(cause) ?? { count: 0, said: 0, texts: new Map<string, number>() };
    group.count++;
    for (const text of textsOf(failure, said).map((each) => cut(mask(each)))) {
      group.said++;
      const known = group.texts.get(text);
      if (known !== undefined || group.texts.size < MAX_TEXTS)
        group.texts.set(text, (known ?? 0) + 1);
    }
    groups.set(cause, group);
  };
  return {
    uncertain,
    add(verdict: ItemVerdict, input: Input, { data, failure }: Partial<CallOutcome>): void {
      if (failure !== undefined && verdict !== 'accepted') addFailure(data, failure);
      if (verdict !== 'unknown' && verdict !== 'accepted') return;
      if (uncertain[verdict].length < MAX_UNCERTAIN) uncertain[verdict].push(input);
    },
    causes(): readonly CauseCount[] {
      return (Object.keys(causes) as Cause[]).flatMap((cause) => {
        const group = groups.get(cause);
        if (group === undefined) return [];
        const all = [...group.texts].map(([text, count]) => ({ text, count }));
        const texts = all.toSorted((x, y) => y.count - x.count);
        const more = group.said - texts.reduce((sum, { count }) => sum + count, 0);
        return [{ cause, count: group.count, texts, more }];
      });
    },
  };
}

function textsOf({ facts }: Failure, said: readonly TargetError[]): readonly string[] {
  if (said.length > 0) return said.map(({ error }) => error);
  const { code, what, message = what } = facts;
  return [code === undefined ? message : `${code}: ${message}`];
}

const cut = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;

export interface BatchTotals extends BatchCounts {
  /** Records to do in all. */
  readonly count: number;
  /** Records that an earlier run has done. */
  readonly before: number;
  /** Whether `--failures-to` has all that is left; at a second interrupt there may be no time for it. */
  readonly isRestWritten: boolean;
}

/** `3 of 100 failed, 2 unknown, 95 done`: the worst first, what is left last, and nothing of which there is none. */
export function summaryLine(totals: BatchTotals): string {
  const counts: readonly (readonly [count: number, word: string])[] = [
    [totals.failed, 'failed'],
    [totals.unknown, 'unknown'],
    [totals.accepted, 'still pending'],
    [totals.ok, 'done'],
    [totals.before, 'already done'],
    [totals.skipped, 'skipped'],
    [notStarted(totals), 'not started'],
  ];
  const [first = [0, 'done'] as const, ...rest] = counts.filter(([count]) => count > 0);
  return [
    `${first[0]} of ${totals.count} ${first[1]}`,
    ...rest.map(([count, word]) => `${count} ${word}`),
  ].join(', ');
}

export const notStarted = (totals: BatchTotals): number => {
  const { count, before, ok, failed, unknown, accepted, skipped } = totals;
  return count - before - ok - failed - unknown - accepted - skipped;
};
