// The data of a batch's report: the totals, the failures by cause, and the first records of each kind. Its size is
// bounded, however long the batch is.

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
import type { CauseRule } from '../../client/taught-causes.ts';
import { readCause } from '../../client/read-cause.ts';
import type { RecordVerdict } from '../run-record.ts';
import type { BatchRun } from '../types.ts';

export interface CauseCount {
  readonly cause: Cause;
  readonly count: number;
  /** The messages, the most frequent first; at most a hundred. */
  readonly texts: readonly { readonly text: string; readonly count: number }[];
  /** The number of failures with other messages. */
  readonly more: number;
}

/** The maximum number of records in a command. */
export const MAX_NAMED = 20;
const MAX_ACCOUNTS = 50;
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 160;

/** The number of records by verdict; `before` counts those done by an earlier run. */
export type BatchCounts = Readonly<Record<Exclude<RecordVerdict, 'unstarted'> | 'before', number>>;

export type BatchSummary = ReturnType<typeof createSummary>;

/** Counts results as they arrive, and failures by cause and message. `mask` redacts each message before it is cut. */
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
    const read = said.map((error) => readCause(error.platform, error.error, rules).cause);
    if (cause === 'temporary' || read.includes('temporary')) temporary++;
    if (cause === 'temporary' && failure.kind !== 'ended_badly') unanswered++;
    said.filter((_each, i) => read[i] === 'reconnect').forEach(addAccount);
    const group = groups.get(cause) ?? { count: 0, said: 0, texts: new Map<string, number>() };
    group.count++;
    const texts = said.length > 0 ? said.map(({ error }) => error) : [textOf(failure, input)];
    for (const text of texts.map((whole) => cut(mask(whole)))) {
      group.said++;
      const times = group.texts.get(text);
      if (times !== undefined || group.texts.size < MAX_TEXTS)
        group.texts.set(text, (times ?? 0) + 1);
    }
    groups.set(cause, group);
  };
  const addAccount = ({ platform, account }: TargetError) => {
    if (account === undefined) return;
    const entry = reconnect.get(account) ?? { platform, account, count: 0 };
    entry.count++;
    if (reconnect.size < MAX_ACCOUNTS) reconnect.set(account, entry);
  };
  return {
    /** These counts are updated in place. */
    counts: counts as BatchCounts,
    /** The first records that failed, are unknown, or were accepted and are not done. */
    named: named as Readonly<Record<keyof typeof named, readonly Input[]>>,
    /** Skipped parts by reason. */
    skipped: skipped as ReadonlyMap<string, number>,
    /** Returns the command that resumes the wait, for the first pending record. */
    pendingLine: () => pendingLine,
    /** Counts a record that an earlier run has done. */
    skip: () => void counts.before++,
    /** Counts a record; `isOld` if an earlier run left it unknown and this one did not send it. */
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
    /** Counts the parts that a record skipped. */
    leave(parts: SkippedParts): void {
      for (const [reason, count] of Object.entries(parts))
        skipped.set(reason, (skipped.get(reason) ?? 0) + count);
    },
    /** Returns the number of records that failed or became unknown in this run. */
    failures: () => counts.failed + counts.unknown - oldUnknown,
    /** Counts the start (1) or the end (-1) of a wait. */
    countWait: (change: 1 | -1) => void (moving += change),
    /** Returns the number of records that are waited for now. */
    moving: () => moving,
    /** Returns the number of records with a failure that a retry may fix. */
    temporary: () => temporary,
    /** Returns the number among them of which only the failure of the request is known. */
    unanswered: () => unanswered,
    /** Returns the accounts to reconnect, those with the most failures first. */
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

/** Returns the message without the record's ID, so that many records share one message. */
function textOf({ facts }: Failure, input: Input): string {
  const { code, what, message = what } = facts;
  const text = code === undefined ? message : `${code}: ${message}`;
  const [id] = Object.values(input);
  return typeof id === 'string' && id !== '' ? text.replaceAll(id, '…') : text;
}

const cut = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;

/** A batch that has ended, for its report. */
export interface EndedBatch extends BatchRun {
  readonly summary: BatchSummary;
  readonly totals: BatchTotals;
}

export interface BatchTotals extends BatchCounts {
  /** The number of records to do. */
  readonly count: number;
  /** True if any request was sent. */
  readonly sent: boolean;
  /** The reason why not every record was started; `undefined` if all were. */
  readonly stopped: Failure | undefined;
}

export const notStarted = (totals: BatchCounts & Pick<BatchTotals, 'count'>): number => {
  const { count, before, ok, failed, unknown, accepted, skipped } = totals;
  return count - before - ok - failed - unknown - accepted - skipped;
};
