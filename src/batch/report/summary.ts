// What a batch's report is made of: the totals, the failures by cause, and the first records of each kind. Keeps a
// bounded number of texts and records, however long the batch is.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Failure } from '../../base/errors.ts';
import type { CallOutcome, FailedAccount, SkippedParts } from '../../client/call-context.ts';
import {
  type Cause,
  causes,
  readFailure,
  type TargetError,
  targetErrorsIn,
} from '../../client/causes.ts';
import type { CauseRule } from '../../client/cause-rules.ts';
import { readCause } from '../../client/read-cause.ts';
import type { RecordVerdict } from '../run-record.ts';
import type { BatchRun } from '../types.ts';

export interface CauseCount {
  readonly cause: Cause;
  readonly count: number;
  /** The texts, the most frequent first; at most a hundred. */
  readonly texts: readonly { readonly text: string; readonly count: number }[];
  /** How many failures had other texts. */
  readonly more: number;
}

/** How many records a command names. */
export const MAX_NAMED = 20;
const MAX_ACCOUNTS = 50;
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 160;

/** How many records have ended in each way; `before` counts those that an earlier run has done. */
export type BatchCounts = Readonly<Record<Exclude<RecordVerdict, 'unstarted'> | 'before', number>>;

export type BatchSummary = ReturnType<typeof createSummary>;

/** Counts results as they come, and failures by cause and text. `mask` redacts each text before it is cut. */
export function createSummary(mask: (text: string) => string, rules: readonly CauseRule[] = []) {
  const groups = new Map<Cause, { count: number; said: number; texts: Map<string, number> }>();
  const counts = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, before: 0 };
  const named = { failed: [] as Input[], unknown: [] as Input[], accepted: [] as Input[] };
  const reconnect = new Map<string, FailedAccount & { count: number }>();
  const skipped = new Map<string, number>();
  let pendingLine: string | undefined;
  let temporary = 0;
  let unanswered = 0;
  let oldUnknown = 0;
  let moving = 0;

  const addFailure = (input: Input, failure: Failure, { data, bad }: Partial<CallOutcome>) => {
    const said = failure.kind === 'ended_badly' ? targetErrorsIn(data, bad) : [];
    const { cause } = readFailure(failure, said, rules);
    const read = said.map((each) => readCause(each.platform, each.error, rules).cause);
    if (cause === 'temporary' || read.includes('temporary')) temporary++;
    if (cause === 'temporary' && failure.kind !== 'ended_badly') unanswered++;
    said.filter((_each, i) => read[i] === 'reconnect').forEach(addAccount);
    const group = groups.get(cause) ?? { count: 0, said: 0, texts: new Map<string, number>() };
    group.count++;
    const texts = said.length > 0 ? said.map(({ error }) => error) : [textOf(failure, input)];
    for (const text of texts.map((each) => cut(mask(each)))) {
      group.said++;
      const known = group.texts.get(text);
      if (known !== undefined || group.texts.size < MAX_TEXTS)
        group.texts.set(text, (known ?? 0) + 1);
    }
    groups.set(cause, group);
  };
  const addAccount = ({ platform, account }: TargetError) => {
    if (account === undefined) return;
    const known = reconnect.get(account) ?? { platform, account, count: 0 };
    known.count++;
    if (reconnect.size < MAX_ACCOUNTS) reconnect.set(account, known);
  };
  return {
    /** Kept up to date. */
    counts: counts as BatchCounts,
    /** The first records that failed, whose outcome is unknown, and that were accepted and have not settled. */
    named: named as Readonly<Record<keyof typeof named, readonly Input[]>>,
    /** Parts that were left alone, by the reason. */
    skipped: skipped as ReadonlyMap<string, number>,
    /** The line that goes on waiting, for the first of what has not settled. */
    pendingLine: () => pendingLine,
    /** A record that an earlier run has done. */
    skip: () => void counts.before++,
    /** Takes up how a record ended; `isOld` where an earlier run left it unknown and this one did not touch it. */
    add(
      verdict: keyof typeof counts,
      input: Input,
      ended: Partial<CallOutcome>,
      isOld = false,
    ): void {
      const { failure } = ended;
      counts[verdict]++;
      if (isOld) oldUnknown++;
      if (failure !== undefined && (verdict === 'failed' || verdict === 'unknown'))
        addFailure(input, failure, ended);
      if (verdict !== 'unknown' && verdict !== 'accepted' && verdict !== 'failed') return;
      if (named[verdict].length < MAX_NAMED) named[verdict].push(input);
      if (verdict === 'accepted') pendingLine ??= failure?.facts.next;
    },
    /** Parts that a record left alone. */
    leave(parts: SkippedParts): void {
      for (const [reason, count] of Object.entries(parts))
        skipped.set(reason, (skipped.get(reason) ?? 0) + count);
    },
    /** Records that failed or became unknown in this run. */
    failures: () => counts.failed + counts.unknown - oldUnknown,
    /** A wait has begun (1) or has ended (-1). */
    countWait: (change: 1 | -1) => void (moving += change),
    /** Records that are waited for now. */
    moving: () => moving,
    /** Records in which something failed that a retry may mend. */
    temporary: () => temporary,
    /** Those among them of which nothing is known but that the request itself failed. */
    unanswered: () => unanswered,
    /** The accounts to reconnect, those of the most failures first. */
    accounts: (): readonly FailedAccount[] =>
      [...reconnect.values()].toSorted((a, b) => b.count - a.count),
    causes(): readonly CauseCount[] {
      return causes.flatMap((cause) => {
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

/** What the service said, without the record's own id: the same of many records is one text. */
function textOf({ facts }: Failure, input: Input): string {
  const { code, what, message = what } = facts;
  const text = code === undefined ? message : `${code}: ${message}`;
  const [id] = Object.values(input);
  return typeof id === 'string' && id !== '' ? text.replaceAll(id, '…') : text;
}

const cut = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;

export interface BatchTotals extends BatchCounts {
  /** Whether any request was sent. */
  readonly sent: boolean;
  /** Why not every record was started; `undefined` where all were. */
  readonly stopped: Failure | undefined;
  /** Records to do in all. */
  readonly count: number;
  /** Whether `--failures-to` has all that is left; at a second interrupt there may be no time for it. */
  readonly isRestWritten: boolean;
  /** Whether `--failures-to` has no record. */
  readonly isRestEmpty?: boolean;
}

/** A batch that has ended, for its report. */
export interface EndedBatch extends BatchRun {
  readonly totals: BatchTotals;
  readonly summary: BatchSummary;
}

export const notStarted = (totals: BatchCounts & Pick<BatchTotals, 'count'>) => {
  const { count, before, ok, failed, unknown, accepted, skipped } = totals;
  return count - before - ok - failed - unknown - accepted - skipped;
};
