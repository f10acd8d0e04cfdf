// The history of changes: the format of its file, and reading it. A change is a line before it is sent and a line when
// it has ended. No text, token, secret or header value is ever in it.

import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';
import { rotatedPath } from '../fs/append-log.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import type { Verdict } from '../api/operations/settle.ts';
import { Failure, type Fault } from '../base/errors.ts';
import { ownJson } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';

/**
 * What is known of the result. `ok`: done. `accepted`: the service began it, and nobody waited for its end.
 * `failed`: it was begun, and its targets failed. `refused`: the service said no. `unsent`: it never left.
 * `unknown`: it may have happened. `partial`: of a batch, some was done, and some was refused or failed.
 */
export type HistoryOutcome =
  'ok' | 'accepted' | 'failed' | 'refused' | 'unsent' | 'unknown' | 'partial';

/** The line before a change is sent. */
export interface EntryStart {
  readonly id: string;
  /** When, as an ISO timestamp. */
  readonly startedAt: string;
  /** The words that were typed: `posts retry`. */
  readonly command: string;
  /** The ids that it changes; of many, the first. */
  readonly ids: readonly string[];
  /** The number of records of a batch. */
  readonly count?: number | undefined;
  /** A hash of the whole input, by which the same change is recognised. */
  readonly input?: string | undefined;
  readonly context: string | null;
  readonly origin: string;
  /** Set where an agent made the change, over `mcp serve`. */
  readonly by?: 'agent' | undefined;
  readonly journal?: string | undefined;
  /** The file of `--failures-to`. */
  readonly failuresTo?: string | undefined;
  /** The command line without its texts, where the words alone do not say it all. */
  readonly line?: string;
  /** The user of the machine, and the machine. */
  readonly user?: string;
  readonly host?: string;
  /** The id that was sent with the request of a single change. */
  readonly clientRequestId?: string;
  /** The process that makes it. */
  readonly pid?: number;
  /** What the user gave with `--note`. */
  readonly note?: string | undefined;
}

/** The line before a further attempt. Where a repeat would do it twice, those before were certainly not done. */
interface EntryAttempt {
  readonly id: string;
  readonly sentAt: string;
}

/** What `history settle` found out. */
export interface EntrySettlement {
  readonly id: string;
  readonly settledAt: string;
  /** `settled`: of a batch whose records have several verdicts, and each a known one. */
  readonly verdict: Verdict | 'settled';
  readonly why: string;
  /** Set with `done` where a target was still publishing: it is asked about again. */
  readonly isMoving?: boolean;
  /** Of a batch, how many of its unknown records have each verdict. */
  readonly verdicts?: Readonly<Partial<Record<Verdict, number>>>;
}

/** The line when it has ended. The last one of an id counts. */
export interface EntryEnd {
  readonly id: string;
  readonly outcome: HistoryOutcome;
  /** The outcome in more words, where there are any: `1 of 2 targets failed`. */
  readonly result?: string | undefined;
  readonly exitCode: number;
  readonly ms: number;
  readonly status?: number | undefined;
  /** The service's own id of the request that failed. */
  readonly requestId?: string | undefined;
  /** The id of what it created. */
  readonly made?: string;
  /** The totals of a batch. */
  readonly counts?: Readonly<Record<string, number>>;
  /** How many records failed for which cause. */
  readonly causes?: Readonly<Record<string, number>>;
}

/** A change as it is shown. Without an `exitCode` the program ended before the change did. */
export type HistoryEntry = EntryStart &
  Partial<EntryEnd & EntryAttempt & EntrySettlement> & { readonly outcome: HistoryOutcome };

/** A line of the file. */
export type HistoryLine = EntryStart | EntryEnd | EntryAttempt | EntrySettlement;

/** Two files of this size at most: some eight thousand changes. */
export const MAX_HISTORY_BYTES = 1024 * 1024;

export const historyPath = (runtime: Runtime): string =>
  join(runtime.stateDir(), fileNames.history);

/** Every change on record, the oldest first, and the lines that cannot be read, as `path line 3`. */
export interface History {
  readonly changes: readonly HistoryEntry[];
  readonly damaged: readonly string[];
}

/** Reads the history. Throws `Failure('local_io')` for a file that cannot be read. */
export function readHistory(runtime: Runtime): History {
  const damaged: string[] = [];
  const lines = [rotatedPath(historyPath(runtime)), historyPath(runtime)].flatMap((path) =>
    (readIfPresent(path, MAX_HISTORY_BYTES * 2)?.toString() ?? '')
      .split('\n')
      .flatMap((text, i) => {
        if (text === '') return [];
        const line = parseLine(text);
        if (line === undefined) damaged.push(`${path} line ${i + 1}`);
        return line ?? [];
      }),
  );
  return { changes: mergeLines(lines), damaged };
}

/** Throws where lines of the history cannot be read: a change that only they name is in no list. */
export function checkUndamaged({ damaged }: History): void {
  if (damaged.length === 0) return;
  throw new Failure('local_io', {
    what: `${damaged.length} ${damaged.length === 1 ? 'line' : 'lines'} of the history cannot be read`,
    why: damaged,
    hint: 'a change may be missing above; find it in the journal or at the service, then correct or delete the line',
    retryable: false,
  });
}

/** The change that an id, or the beginning of one, names; a fault where that is none or not one alone. */
export function entryNamed(id: string, history: readonly HistoryEntry[]): HistoryEntry | Fault {
  const found = history.filter((entry) => entry.id.startsWith(id));
  const [entry] = found.filter((each) => each.id === id || found.length === 1);
  const why = found.length > 1 ? 'matches several IDs' : 'is not in the history';
  return entry ?? { field: 'change ID', problem: `${quote(id)} ${why}` };
}

/** The changes in the text of a file. Unreadable lines are skipped. */
export const entriesIn = (text: string): readonly HistoryEntry[] =>
  mergeLines(text.split('\n').flatMap((line) => parseLine(line) ?? []));

function mergeLines(lines: readonly HistoryLine[]): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const line of lines) {
    const before = entries.get(line.id);
    if ('command' in line) entries.set(line.id, { outcome: 'unknown', ...line });
    else if (before !== undefined) entries.set(line.id, { ...before, ...line });
  }
  return [...entries.values()];
}

function parseLine(line: string): HistoryLine | undefined {
  const value = ownJson(line) as Partial<HistoryEntry> | null | undefined;
  const isKnown =
    typeof value?.id === 'string' &&
    (isStart(value) || isEnd(value) || isTime(value.sentAt) || isSettlement(value));
  return isKnown ? (value as HistoryLine) : undefined;
}

const isStart = (value: Partial<EntryStart>): value is EntryStart =>
  typeof value.command === 'string' && Array.isArray(value.ids) && isTime(value.startedAt);

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));

const isSettlement = ({ settledAt, verdict, why }: Partial<EntrySettlement>): boolean =>
  isTime(settledAt) && typeof verdict === 'string' && typeof why === 'string';

const isEnd = (value: Partial<EntryEnd>): boolean =>
  typeof value.outcome === 'string' && typeof value.exitCode === 'number';

/** What became of a change, in words: of its result, not of its request. */
export function resultOf({ outcome, result, counts, verdict }: HistoryEntry): string {
  if (outcome === 'unknown' && verdict !== undefined && verdict !== 'cannot tell')
    return verdict === 'settled' ? verdict : `settled: ${verdict}`;
  if (counts !== undefined && outcome !== 'ok') {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const { failed = 0 } = counts;
    if (failed > 0) return `${failed} of ${all} failed`;
  }
  return result ?? outcome;
}
