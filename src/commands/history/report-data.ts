// What a number of changes come to: the data of `history report`.

import { existsSync } from 'node:fs';
import { failureKinds } from '../../base/exit-codes.ts';
import { shellQuote } from '../../base/shell.ts';
import type { HistoryEntry } from '../../history/entries.ts';

/** Records of batches, and single changes, by what became of them. A record that was tried again counts each time. */
export interface RecordCounts {
  readonly records: number;
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  /** Accepted, and not finished when the wait for it ended. */
  readonly pending: number;
  readonly notStarted: number;
}

export type ReportData = ReturnType<typeof reportOf>;

/** What the changes come to. */
export function reportOf(
  changes: readonly HistoryEntry[],
  { start, now, note }: { start: number; now: number; note: string | undefined },
) {
  const [first] = changes;
  const from = start === 0 ? Date.parse(first?.startedAt ?? '') || now : start;
  const causes: Record<string, number> = {};
  for (const entry of changes)
    for (const [cause, count] of causesOf(entry)) causes[cause] = (causes[cause] ?? 0) + count;
  return {
    from: new Date(from).toISOString(),
    to: new Date(now).toISOString(),
    note: note ?? null,
    totals: totalsOf(changes),
    causes,
    who: [...new Set(changes.map(whoOf))],
    changes,
    left: changes.flatMap((entry, i) => leftOf(entry, changes.slice(i + 1))),
    unknown: changes.flatMap((entry, i) => unknownOf(entry, changes.slice(i + 1))),
  };
}

/** How many records failed for which cause; what is unknown has not failed. */
export const causesOf = ({ causes = {} }: HistoryEntry): readonly (readonly [string, number])[] =>
  Object.entries(causes).filter(([cause]) => cause !== 'unknown');

/** `anna on bastion` */
export const whoOf = ({
  user = 'unknown user',
  host = 'unknown machine',
  by,
}: HistoryEntry): string => `${user} on ${host}${by === 'agent' ? ' (an agent)' : ''}`;

/** What a change comes to, in records. */
export function countsOf(entry: HistoryEntry): RecordCounts {
  const { count: records = 1, counts } = entry;
  if (counts !== undefined) {
    const { ok: done = 0, failed = 0, unknown = 0, pending = 0, notStarted = 0 } = counts;
    const all = done + failed + unknown + pending + notStarted;
    return { records: all, done, failed, unknown, pending, notStarted };
  }
  const end = endOf(entry);
  const are = (...ends: readonly string[]) => (ends.includes(end) ? records : 0);
  return {
    records,
    done: are('ok'),
    failed: are('refused', 'partial'),
    unknown: are('unknown'),
    pending: are('pending'),
    notStarted: are('unsent'),
  };
}

/** How a change ended, for which the wait after it counts: as in a batch. */
function endOf({ outcome, exitCode }: HistoryEntry): HistoryEntry['outcome'] | 'pending' {
  if (outcome !== 'ok') return outcome;
  if (exitCode === failureKinds.ended_badly.exitCode) return 'refused';
  return exitCode === failureKinds.still_pending.exitCode ? 'pending' : outcome;
}

function totalsOf(changes: readonly HistoryEntry[]): RecordCounts & { readonly changes: number } {
  const totals = { records: 0, done: 0, failed: 0, unknown: 0, pending: 0, notStarted: 0 };
  for (const counts of changes.map(countsOf))
    for (const key of Object.keys(totals) as (keyof RecordCounts)[]) totals[key] += counts[key];
  return { changes: changes.length, ...totals };
}

/** Whether a later command took up what this one left: by its journal, its file of failures, or as the same change. */
function isTakenUp(entry: HistoryEntry, later: readonly HistoryEntry[]): boolean {
  const { journal, failuresTo, count, ids, command, origin } = entry;
  return later.some((each) => {
    if (each.origin !== origin || each.command !== command) return false;
    if (journal !== undefined) return each.journal === journal;
    if (failuresTo !== undefined && each.line?.includes(`--from ${failuresTo}`)) return true;
    return count === undefined && each.ids.join() === ids.join();
  });
}

function leftOf(entry: HistoryEntry, later: readonly HistoryEntry[]) {
  const { id, journal, failuresTo } = entry;
  const { failed, pending, notStarted } = countsOf(entry);
  const unsent = failed + notStarted;
  if (unsent + pending === 0 || isTakenUp(entry, later)) return [];
  return [
    {
      id,
      command: lineOf(entry),
      failed,
      pending,
      notStarted,
      // Where its records are: the file of --failures-to, but for what was accepted, or the journal that knows them.
      ...(unsent > 0 && isKept(failuresTo) ? { file: failuresTo } : {}),
      ...(isKept(journal) ? { journal } : {}),
    },
  ];
}

/** The command as a person would find it in the history of the shell. */
export const lineOf = ({ line, command, ids, context }: HistoryEntry): string =>
  [
    'social',
    ...(context === null ? [] : [`-C ${shellQuote(context)}`]),
    line ?? [command, ...ids.map(shellQuote)].join(' '),
  ].join(' ');

function unknownOf(entry: HistoryEntry, later: readonly HistoryEntry[]) {
  const { id, outcome, verdict, why, context, journal, verdicts } = entry;
  if (outcome !== 'unknown' || (journal !== undefined && isTakenUp(entry, later))) return [];
  const isFinal = verdict !== undefined && verdict !== 'cannot tell';
  const where = context === null ? '' : `-C ${shellQuote(context)} `;
  return [
    {
      id,
      command: lineOf(entry),
      count: verdicts === undefined ? countsOf(entry).unknown : sumOf(verdicts),
      verdict: verdict ?? null,
      ...(why === undefined ? {} : { why }),
      ...(isFinal ? {} : { settle: `social ${where}history settle ${id}` }),
    },
  ];
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, each) => sum + each, 0);

const isKept = (path: string | undefined): path is string => path !== undefined && existsSync(path);
