// The history of changes: its file format, and how it is read. A change has a line before it is sent and one when it
// has ended. No text, token, secret or header value is ever stored.

import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';
import { appendLines, rotatedPath } from '../fs/append-log.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import type { Seen } from '../api/operations/part-states.ts';
import type { Verdict } from '../api/operations/settle.ts';
import { Failure, ifPossible } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { isObject, ownJson, ownProperty } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { flagWords, type SocialCommand, splitShellWords, type Word } from '../base/shell.ts';
import type { Config } from '../config/file.ts';
import { SANDBOX } from '../config/settings.ts';

/**
 * The known result of a change. `ok`: done. `accepted`: the service has started it, and its end was not waited for.
 * `failed`: it was started, and its targets failed. `refused`: the service rejected it. `unsent`: it was never sent.
 * `unknown`: it may have been applied. `partial`: a part of a batch was done, and a part was refused or failed.
 */
export type HistoryOutcome =
  'ok' | 'accepted' | 'failed' | 'refused' | 'unsent' | 'unknown' | 'partial';

/** The outcomes that a person sees, each by the word that counts use too. */
export const shownOutcomes = [
  'done',
  'accepted',
  'partial',
  'failed',
  'refused',
  'not found',
  'unsent',
  'unknown',
  'settled',
] as const;

/** The line before a change is sent. */
export interface EntryStart {
  readonly id: string;
  /** The start as an ISO timestamp. */
  readonly startedAt: string;
  /** The command words: `posts retry`. */
  readonly command: string;
  /** The IDs that it changes; of many, the first ones. */
  readonly ids: readonly string[];
  /** The number of records of a batch; absent for a single change. */
  readonly count?: number | undefined;
  /** A hash of the whole input, by which a repeat is recognised. */
  readonly input?: string | undefined;
  readonly context: string | null;
  readonly origin: string;
  /** Set where an agent made the change, over `mcp serve`. */
  readonly by?: 'agent' | undefined;
  /** The file of `--journal`. */
  readonly journal?: string | undefined;
  /** The command line without its texts, if the words alone are incomplete. */
  readonly line?: string | undefined;
  /** The user of the machine, and the machine. */
  readonly user?: string;
  readonly host?: string;
  /** The ID that was sent with the request of a single change. */
  readonly clientRequestId?: string;
  /** The process that makes the change. */
  readonly pid?: number;
  /** The text of `--note`. */
  readonly note?: string | undefined;
  /** The states of the parts that were read before a single change, dated for the time of its request. */
  readonly seen?: Seen | undefined;
}

/** The line when the service has accepted a change that can be waited for; a batch has one for each of its records. */
interface EntryAcceptance {
  readonly id: string;
  readonly accepted: AcceptedChange;
}

export interface AcceptedChange {
  /** The ID of the resource. */
  readonly of: string;
  /** The parts that the request named; absent if it named none. */
  readonly parts?: readonly string[] | undefined;
  /** The states before the change, and those in the response. */
  readonly before?: Seen | undefined;
  readonly answered: Seen;
}

/**
 * The line before a retry. A change that must not be applied twice is retried only if the attempts before certainly did
 * nothing, so its time is that of the last attempt.
 */
interface EntryAttempt {
  readonly id: string;
  readonly sentAt: string;
  readonly seen?: Seen | undefined;
}

/** The result of `history settle`. */
export interface EntrySettlement {
  readonly id: string;
  readonly settledAt: string;
  /** `settled` means a batch whose records have different verdicts, none of them unknown. */
  readonly verdict: Verdict | 'settled';
  readonly why: string;
  /** Set with `done` if a target was still publishing: the change is checked again. */
  readonly isMoving?: boolean;
  /** The number of records that a batch left unknown by their verdict now. */
  readonly verdicts?: Readonly<Partial<Record<Verdict | 'accepted', number>>>;
  /** The totals of a batch that was killed before it could write them. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

/** The result of a change. */
export interface EntryResult {
  readonly outcome: HistoryOutcome;
  /** The outcome in more words: `1 of 2 targets failed`. */
  readonly result?: string | undefined;
  readonly status?: number | undefined;
  /** The service's ID of the request that failed. */
  readonly requestId?: string | undefined;
  /** The ID of the resource that it created. */
  readonly made?: string | undefined;
  /** The totals of a batch. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** Why records of a batch failed in this run, by cause. */
  readonly causes?: readonly FailureCause[] | undefined;
  /** The service's clock at the end of a change with an unknown outcome, if a read before it had shown that. */
  readonly endDate?: number | undefined;
}

export interface FailureCause {
  /** `temporary`, `request` … */
  readonly cause: string;
  readonly count: number;
  /** The most frequent errors of the platforms; absent if they could repeat a text of the user. */
  readonly texts?: readonly { readonly text: string; readonly count: number }[] | undefined;
}

/** The line when a change has ended. The last one of an ID is used. */
export interface EntryEnd extends EntryResult {
  readonly id: string;
  readonly exitCode: number;
  readonly ms: number;
}

/** A change as it is shown. Without an `exitCode` the program ended before the change did. */
export type HistoryEntry = EntryStart &
  Partial<EntryEnd & EntryAttempt & EntrySettlement> & {
    readonly outcome: HistoryOutcome;
    readonly accepted?: readonly AcceptedChange[];
  };

export type HistoryLine = EntryStart | EntryEnd | EntryAttempt | EntryAcceptance | EntrySettlement;

/** Two files of at most this size hold some eight thousand changes. */
export const MAX_HISTORY_BYTES = 1024 * 1024;

export const historyPath = (runtime: Pick<Runtime, 'stateDir'>): string =>
  join(runtime.stateDir(), fileNames.history);

/** Appends lines to the history. Throws if it cannot be written. */
export const appendHistory = (
  runtime: Pick<Runtime, 'stateDir'>,
  lines: readonly HistoryLine[],
): void =>
  appendLines(historyPath(runtime), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** All recorded changes, the oldest first, and the lines that cannot be read, as `path line 3`. */
export interface History {
  readonly changes: readonly HistoryEntry[];
  readonly damaged: readonly string[];
}

/** Reads the history. Throws `Failure('local_io')` for a file that cannot be read. */
export function readHistory(runtime: Pick<Runtime, 'stateDir'>): History {
  const lines: HistoryLine[] = [];
  const damaged: string[] = [];
  for (const path of [rotatedPath(historyPath(runtime)), historyPath(runtime)]) {
    // A file may exceed its limit until a later change rotates it.
    const text = readIfPresent(path, MAX_HISTORY_BYTES * 2)?.toString() ?? '';
    for (const [i, line] of text.split('\n').entries()) {
      const parsed = parseLine(line);
      if (parsed !== undefined) lines.push(parsed);
      else if (line !== '') damaged.push(`${path} line ${i + 1}`);
    }
  }
  return { changes: mergeLines(lines), damaged };
}

/** Throws if lines of the history cannot be read, because changes may be missing from the list. */
export function checkUndamaged({ damaged }: History): void {
  if (damaged.length === 0) return;
  throw new Failure('local_io', {
    what: `${damaged.length} ${damaged.length === 1 ? 'line' : 'lines'} of the history cannot be read`,
    why: damaged,
    hint: 'a change may be missing above; find it in the journal or at the service, then correct or delete the line',
    retryable: false,
  });
}

/** Finds the change with an ID, or the start of an ID; a fault if there is none or more than one. */
export function entryNamed(id: string, history: readonly HistoryEntry[]): HistoryEntry | Fault {
  const found = history.filter((entry) => entry.id.startsWith(id));
  const [entry] = found.filter((candidate) => candidate.id === id || found.length === 1);
  const why = found.length > 1 ? 'matches several IDs' : 'is not in the history';
  return entry ?? { field: 'change ID', problem: `${quote(id)} ${why}` };
}

function mergeLines(lines: readonly HistoryLine[]): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const line of lines) {
    const before = entries.get(line.id);
    // The outcome is unknown until a later line says it. A line whose start is damaged or was rotated away is dropped.
    if ('command' in line) entries.set(line.id, { outcome: 'unknown', ...line });
    else if (before === undefined) continue;
    else if (!('accepted' in line)) entries.set(line.id, { ...before, ...line });
    else entries.set(line.id, { ...before, accepted: [...(before.accepted ?? []), line.accepted] });
  }
  return [...entries.values()];
}

/** Parses a line that has the fields of one of its four kinds. */
function parseLine(text: string): HistoryLine | undefined {
  const line = ownJson(text) as (Partial<HistoryEntry> & { accepted?: unknown }) | null | undefined;
  if (typeof line?.id !== 'string') return undefined;
  const isKnown =
    isAcceptance(line.accepted) ||
    (isTime(line.startedAt) && typeof line.command === 'string' && Array.isArray(line.ids)) ||
    (typeof line.outcome === 'string' && typeof line.exitCode === 'number') ||
    (isTime(line.settledAt) && typeof line.verdict === 'string' && typeof line.why === 'string') ||
    isTime(line.sentAt);
  return isKnown ? (line as unknown as HistoryLine) : undefined;
}

const isAcceptance = (value: unknown): boolean =>
  isObject(value) && typeof value['of'] === 'string' && isObject(value['answered']);

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** Returns the context that leads to the service of a change now: its own, or another one, as its own may be gone. */
export function contextNow(
  { context, origin }: Pick<EntryStart, 'context' | 'origin'>,
  { contexts = {} }: Config,
): string | undefined {
  if (origin === SANDBOX) return SANDBOX;
  const leads = (name: string) =>
    ifPossible(() => new URL(ownProperty(contexts, name)?.baseUrl ?? '').origin) === origin;
  return [...(context === null ? [] : [context]), ...Object.keys(contexts)].find(leads);
}

/** Returns the outcome by which a change is shown and filtered: one that is no longer unknown is `settled`. */
export function outcomeOf(entry: HistoryEntry): (typeof shownOutcomes)[number] {
  const { outcome } = entry;
  if (outcome === 'ok') return 'done';
  if (isMissing(entry)) return 'not found';
  const counts = outcome === 'unknown' ? countsOf(entry) : { unknown: 1 };
  return 'unknown' in counts || 'cannot tell' in counts ? outcome : 'settled';
}

const isMissing = ({ outcome, status }: HistoryEntry): boolean =>
  outcome === 'refused' && (status === 404 || status === 410);

/**
 * Describes the result of a change: its outcome, and what is known of it without that word again: `failed: 1 of 2
 * targets`, `unknown: 18, 103 done`.
 */
export function resultOf(entry: HistoryEntry): string {
  const { result, counts, verdict, isMoving } = entry;
  const outcome = outcomeOf(entry);
  const isOther = ([word]: readonly [string, number]) => (word === outcome ? 0 : 1);
  const ofBatch = Object.entries(countsOf(entry)).toSorted((a, b) => isOther(a) - isOther(b));
  const settled = isMoving === true ? 'accepted' : verdict;
  const ofSingle = outcome === 'settled' ? settled : result;
  const isSaid = ofBatch.length === 1 && ['done', 'refused', 'not found'].includes(outcome);
  const more = counts === undefined || isSaid ? ofSingle : inWords(Object.fromEntries(ofBatch));
  return more === undefined ? outcome : `${outcome}: ${more.replace(` ${outcome}`, '')}`;
}

export type Counts = Readonly<Record<string, number>>;

/** Describes the result in a few words: `partial: 90 of 121`. */
export function briefResultOf(entry: HistoryEntry): string {
  const { count } = entry;
  const outcome = outcomeOf(entry);
  if (count === undefined) return resultOf(entry).replace(/ targets?\b/, '');
  const counts = countsOf(entry);
  // A number of settled records would read as if the others were open.
  if (outcome === 'settled') return outcome;
  const words = { partial: DONE, done: DONE, unknown: ['unknown', 'cannot tell'] };
  const own = (words as Readonly<Record<string, readonly string[]>>)[outcome] ?? [outcome];
  const number = own.reduce((sum, word) => sum + (counts[word] ?? 0), 0);
  return number === 0 || number === count ? outcome : `${outcome}: ${number} of ${count}`;
}

const DONE = ['done', 'already done'];

/** Describes why records failed: `25 × X answered 429`, the most frequent first. */
export const causesInWords = (causes: readonly FailureCause[] = []): readonly string[] =>
  causes.flatMap(({ cause, count, texts = [] }) => {
    const left = texts.reduce((sum, text) => sum - text.count, count);
    const named = texts.map((text) => `${text.count} × ${text.text}`);
    return left > 0 ? [...named, `${left} × ${cause === 'request' ? 'refused' : cause}`] : named;
  });

/** Counts the records of a change by result; the result of `history settle` replaces `unknown`. */
export function countsOf(entry: HistoryEntry): Counts {
  const { outcome, count: records = 1, counts, verdict, verdicts, isMoving } = entry;
  const { unknown = 0, ...known } = counts ?? {
    [isMissing(entry) ? 'not found' : outcome]: records,
  };
  const single = isMoving === true ? 'accepted' : (verdict ?? 'unknown');
  const found = verdicts ?? { [single]: unknown };
  // A run that was settled in parts may have records without a verdict.
  const left = Math.max(0, unknown - Object.values(found).reduce((sum, one) => sum + one, 0));
  const settled = unknown === 0 ? [] : [found, { unknown: left }];
  const named = Object.entries(known).map(([key, number]) => ({
    [resultWords[key] ?? key]: number,
  }));
  return sumOf([...named, ...settled]);
}

const rank = (result: string): number => (result === 'done' ? 0 : 1);

/** Adds up counts, without those of zero; what is done comes first. */
export function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const [result, count] of all.flatMap((counts) => Object.entries(counts)))
    if (count > 0) sum[result] = (sum[result] ?? 0) + count;
  return Object.fromEntries(Object.entries(sum).toSorted(([a], [b]) => rank(a) - rank(b)));
}

/** Returns the recorded command; without a recorded line it is made of the words and IDs. */
export function recordedCommand({ line, command, ids }: HistoryEntry): SocialCommand {
  const words = line === undefined ? undefined : splitShellWords(line);
  if (words === undefined) return { words: command.split(' '), ids };
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return { words: words.slice(0, end).map(asTyped), ids: words.slice(end + 1) };
}

/** Adds the note of a change to a command that repeats it. */
export const withNote = (command: SocialCommand, entry?: HistoryEntry): SocialCommand => ({
  ...command,
  flags: [...(command.flags ?? []), ...flagWords('--note', ...[entry?.note ?? []].flat())],
});

/** A recorded line has … in place of a typed text. */
const asTyped = (word: string): Word => (word.endsWith('…') ? { gap: '…' } : word);

/** The words for results whose key says something else to a reader; the others stay. */
export const resultWords: Readonly<Record<string, string>> = {
  ok: 'done',
  refused: 'failed',
  unsent: 'not started',
  notStarted: 'not started',
  before: 'already done',
};

/** Formats the totals of a batch: `228 done, 14 failed`. */
export const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count} ${resultWords[result] ?? result}`)
    .join(', ') || 'nothing';
