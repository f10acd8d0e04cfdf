// How a batch ended: the four numbers, the failures by what has to happen before they can go well, the exit code, and
// the command to type next. Remembers a bounded number of texts, whatever the batch's length.

import { afterSending, Failure, type FailureKind, isSignal } from '../../base/errors.ts';
import type { BatchCounts } from '../run/scheduler.ts';
import { type Cause, causeOf, causes, targetErrorsIn } from '../../client/causes.ts';

export interface CauseCount {
  readonly cause: string;
  readonly count: number;
  /** The texts, the most frequent first. */
  readonly texts: readonly { readonly text: string; readonly count: number }[];
  /** How often something else was said than these. */
  readonly more: number;
}

const MOST_TEXTS = 100;
const SHOWN_TEXTS = 3;
const LONGEST_TEXT = 160;

/** Counts failures by cause and text as they come. `mask` takes out what is secret, before a long text is cut. */
export function causeCounter(mask: (text: string) => string) {
  const groups = new Map<Cause, { count: number; said: number; texts: Map<string, number> }>();
  return {
    add(data: unknown, failure: Failure): void {
      const said =
        failure.kind === 'ended_badly' ? targetErrorsIn(data).map(({ error }) => error) : [];
      const cause = causeOf(failure, said);
      const group = groups.get(cause) ?? { count: 0, said: 0, texts: new Map<string, number>() };
      group.count++;
      for (const text of textsOf(failure, said).map((each) => cut(mask(each)))) {
        group.said++;
        const known = group.texts.get(text);
        if (known !== undefined || group.texts.size < MOST_TEXTS)
          group.texts.set(text, (known ?? 0) + 1);
      }
      groups.set(cause, group);
    },
    counts(): readonly CauseCount[] {
      return (Object.keys(causes) as Cause[]).flatMap((cause) => {
        const group = groups.get(cause);
        if (group === undefined) return [];
        const all = [...group.texts].map(([text, count]) => ({ text, count }));
        const texts = all.toSorted((a, b) => b.count - a.count).slice(0, SHOWN_TEXTS);
        const more = group.said - texts.reduce((sum, { count }) => sum + count, 0);
        return [{ cause: causes[cause], count: group.count, texts, more }];
      });
    },
  };
}

function textsOf({ facts, kind }: Failure, said: readonly string[]): readonly string[] {
  if (said.length > 0) return said;
  const code = facts.code === undefined ? kind : facts.code;
  return [`${code}: ${facts.message ?? facts.what}`];
}

const cut = (text: string) =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;

export interface BatchTotals extends BatchCounts {
  /** Records to do in all. */
  readonly count: number;
  /** Records that an earlier run has done. */
  readonly before: number;
  /** Whether `--failures-to` has all that is left; at a second interrupt there may be no time for it. */
  readonly isRestKept: boolean;
}

/** `ok 95, failed 3, unknown 2, not started 0`. */
export function summaryLine(totals: BatchTotals): string {
  const { ok, failed, unknown, accepted, before } = totals;
  const unsettled = accepted > 0 ? `accepted ${accepted}, ` : '';
  const earlier = before > 0 ? `, done before ${before}` : '';
  return `ok ${ok}, failed ${failed}, unknown ${unknown}, ${unsettled}not started ${notStarted(totals)}${earlier}`;
}

/** Records of which a request was sent. */
const sentIn = ({ ok, failed, unknown, accepted }: BatchCounts) => ok + failed + unknown + accepted;

export const notStarted = (totals: BatchTotals) => totals.count - totals.before - sentIn(totals);

/** The failure that the batch ends with; nothing when all went well. */
export function verdictOf(
  totals: BatchTotals,
  counts: readonly CauseCount[],
  advice: { readonly next?: string; readonly hint?: string },
): Failure | undefined {
  const { failed, unknown, accepted, sent } = totals;
  const stopped = sent ? toldAfterSending(totals.stopped) : totals.stopped;
  if (stopped === undefined && failed + unknown === 0) return undefined;
  const kind = kindOf(totals);
  const summary = summaryLine(totals);
  const isCut = isSignal(kind);
  const own = stopped !== undefined && ['local_io', 'internal'].includes(kind);
  const reason = stopped === undefined || isCut || own ? [] : [stopped.facts.what];
  const why = [
    ...reason,
    ...(stopped?.facts.why ?? []),
    ...counts.flatMap(({ cause, count, texts, more }) => [
      `${cause}: ${count}`,
      ...texts.map((each) => `  ${each.count} × ${each.text}`),
      ...(more > 0 ? [`  … ${more} more with other texts`] : []),
    ]),
  ];
  return new Failure(kind, {
    what: isCut ? `stopped: ${summary}` : own ? stopped.facts.what : summary,
    why: own ? [summary, ...why] : why,
    details: {
      ok: totals.ok,
      failed,
      unknown,
      accepted,
      notStarted: notStarted(totals),
      before: totals.before,
      stopped: stopped?.facts.what ?? null,
      causes: counts,
    },
    // What was refused for its token counts as not started, and was sent.
    sent: sent || stopped?.facts.sent === true,
    ...(unknown > 0 ? { outcome: 'unknown' } : {}),
    retryable: false,
    ...(own && stopped.facts.cause !== undefined ? { cause: stopped.facts.cause } : {}),
    ...advice,
  });
}

/** That nothing was sent, as the one who was interrupted says, does not hold any more. */
const toldAfterSending = (stopped: Failure | undefined): Failure | undefined =>
  stopped === undefined ? undefined : (afterSending(stopped) as Failure);

function kindOf({ stopped, failed }: BatchTotals): FailureKind {
  if (stopped !== undefined) return stopped.kind;
  return failed > 0 ? 'batch_failed' : 'outcome_unknown';
}
