// `history report`: the changes made from this machine as a Markdown table, or as data. Text from outside is code, in
// which nothing is Markdown, and is sanitized for the terminal.

import { basename } from 'node:path';
import { momentText } from '../../base/durations.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import {
  commandWords,
  NOT_SHOWN,
  shellLine,
  type SocialCommand,
  splitShellWords,
  type Word,
} from '../../base/shell.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { readJournalState } from '../../batch/journal/journal.ts';
import { ifPossible } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { isJsonForm } from '../../config/flags.ts';
import {
  type Counts,
  causesInWords,
  type FailureCause,
  type HistoryEntry,
  checkUndamaged,
  contextNow,
  countsOf,
  readHistory,
  recordedCommand,
  inWords,
  withNote,
  resultOf,
  resultWords,
  sumOf,
} from '../../history/entries.ts';
import { printValue } from '../../output/write-result.ts';
import { resumingCommand } from '../../wait/wait.ts';
import { hasNote, startOf } from './since.ts';
import { endOf, operationsByCommand, withJournals } from './verdict.ts';

const DAY_MS = 24 * 3_600_000;

export async function report(call: Invocation): Promise<void> {
  const { runtime, flags, form } = call;
  const { note } = flags as { readonly note?: string };
  const now = runtime.now();
  const start = startOf(call) ?? (note === undefined ? now - DAY_MS : 0);
  const history = readHistory(runtime);
  const changes = withJournals(history.changes, runtime)
    .filter(({ startedAt }) => Date.parse(startedAt) >= start)
    .filter(hasNote(note));
  const jobs = jobsOf(changes, runtime);
  const totals = sumOf(jobs.map(({ counts }) => counts));
  const summary = await summaryOf(jobs);
  const timeline = timelineOf(jobs, summary);
  const operations = await operationsByCommand();
  const jobFor = (entry: HistoryEntry) => jobs.find(({ runs }) => runs.includes(entry))!;
  const next = (entry: HistoryEntry) =>
    nextOf(entry, jobFor(entry), operations.get(entry.command), call);
  if (isJsonForm(form)) {
    const rows = changes.map((entry) => ({
      ...entry,
      journalGone: jobFor(entry).isGone,
      next: next(entry) ?? null,
      resumedAt: resumedAt(entry, jobFor(entry)),
    }));
    const data = { to: new Date(now).toISOString(), note: note ?? null, totals, changes: rows };
    await printValue(call, [], { ...data, summary, timeline });
  } else {
    const head = ['Time (UTC)', 'Who', 'Command', 'Result', 'Exit', 'Next'];
    const rows = changes.map((entry) => rowOf(entry, jobFor(entry), next(entry)));
    const failed = summary.flatMap(({ causes }) => causesInWords(causes));
    const failures = failed.map((text) => `- ${markdownCode(text)}`).join('\n');
    const lastRun = failed.length > 0 ? ['Not done at the last attempt:', failures] : [];
    const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    const total = `Total: ${inWords(totals)}`;
    const noted = note === undefined ? '' : ` with a note that has ${markdownCode(note)}`;
    const since = start === 0 ? '' : ` since ${dateAndTime(start)} UTC`;
    const parts =
      changes.length === 0
        ? [`No change${noted} is on record${since}.`]
        : [headline(summary), ...lastRun, table.join('\n'), total, inTime(timeline)];
    await runtime.stdout.write(`${parts.join('\n\n')}\n`);
  }
  checkUndamaged(history);
}

/** The changes of the same records: the runs of one journal, or a single change and its repeats. */
interface Job {
  readonly runs: readonly HistoryEntry[];
  /** The records by their last state, each once. */
  readonly counts: Counts;
  /** How often each record was sent that is done now. */
  readonly attempts: readonly number[];
  /** True if its journal cannot be read: then the numbers are those that its runs wrote down. */
  readonly isGone?: boolean;
}

function jobsOf(changes: readonly HistoryEntry[], runtime: Runtime): readonly Job[] {
  const groups = new Map<string, HistoryEntry[]>();
  for (const entry of changes) {
    const { id, count, command, origin, ids, input } = entry;
    const same = count === undefined ? JSON.stringify([command, origin, ids, input]) : id;
    let key = entry.journal ?? same;
    // A repeat does not undo a change that was made, or may have been.
    while (entry.journal === undefined && isKept(groups.get(key)?.at(-1))) key += '+';
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((runs) => jobOf(runs, runtime));
}

const isKept = (entry: HistoryEntry | undefined): boolean =>
  entry !== undefined && Object.keys(countsOf(entry)).some((word) => !REPEATED.includes(word));
const REPEATED = ['failed', 'not found', 'not done', 'not started', 'accepted'];

function jobOf(runs: readonly HistoryEntry[], runtime: Runtime): Job {
  const last = runs.at(-1)!;
  const { journal } = last;
  if (journal === undefined) {
    const counts = countsOf(last);
    const sent = runs.filter(({ outcome }) => outcome !== 'unsent').length;
    return { runs, counts, attempts: Array<number>(counts['done'] ?? 0).fill(sent) };
  }
  const state = ifPossible(() => readJournalState(journal, undefined, runtime.now));
  const records = state?.all().flatMap((record) => record.standings()) ?? [];
  if (records.length === 0)
    return { runs, counts: sumOf(lastRuns(runs).map(countsOf)), attempts: [], isGone: true };
  const asked = Math.max(...runs.map(({ count = 0 }) => count));
  const left = Math.max(0, asked - records.length);
  const known = records.filter(({ end }) => end === 'skipped').length;
  const skipped = Math.min(left, Math.max(0, (last.counts?.['skipped'] ?? 0) - known));
  const isAsked = runs.some(({ verdicts }) => (verdicts?.['cannot tell'] ?? 0) > 0);
  const named = records.map(({ end }) =>
    end === 'unknown' && isAsked ? 'cannot tell' : (resultWords[end] ?? end),
  );
  const counts = sumOf([
    ...named.map((word) => ({ [word]: 1 })),
    { skipped, 'not started': left - skipped },
  ]);
  const done = records.filter(({ end }) => end === 'done');
  return { runs, counts, attempts: done.map(({ attempts }) => attempts) };
}

/** The records that one command of an incident was asked for, and those that are out. */
interface Summary {
  readonly command: string;
  /** Two incidents differ by their notes, or else by their journals. */
  readonly note: string | undefined;
  readonly journal: string | undefined;
  readonly asked: number;
  /** `changes` if these are single calls: several may be about one post. */
  readonly unit?: 'changes' | undefined;
  readonly done: number;
  /** The word for it: `published`. */
  readonly reached: string;
  /** The number of them that were done at a later attempt than the first, and the last such attempt. */
  readonly again: number;
  readonly attempts: number;
  readonly others: Counts;
  /** Why records failed in the last run of a journal, or in a batch without one. */
  readonly causes: readonly FailureCause[];
}

async function summaryOf(jobs: readonly Job[]): Promise<readonly Summary[]> {
  const operations = await operationsByCommand();
  const partOf = ({ runs }: Job) => {
    const { command, note, journal } = runs[0]!;
    return { command, note, journal: note === undefined ? journal : undefined };
  };
  const keyOf = (job: Job) => JSON.stringify(partOf(job));
  return [...new Set(jobs.map(keyOf))].map((key) => {
    const own = jobs.filter((job) => keyOf(job) === key);
    const part = partOf(own[0]!);
    const all = sumOf(own.map(({ counts }) => counts));
    const { done = 0, 'already done': before = 0, ...others } = all;
    const attempts = own.flatMap((job) => job.attempts);
    return {
      ...part,
      asked: Object.values(all).reduce((sum, count) => sum + count, 0),
      unit: own.length > 1 && own.every(isSingle) ? 'changes' : undefined,
      done: done + before,
      reached: operations.get(part.command)?.wait?.reached ?? 'done',
      again: attempts.filter((count) => count > 1).length,
      attempts: Math.max(1, ...attempts),
      others,
      causes: own.flatMap(({ runs, counts }) =>
        counts['failed'] === undefined ? [] : (runs.at(-1)?.causes ?? []),
      ),
    };
  });
}

const isSingle = ({ runs: [first] }: Job): boolean => first?.count === undefined;

/** Formats `121 of 121 published, 31 of them at the second attempt`, a line for each incident and command. */
function headline(summary: readonly Summary[]): string {
  const names = (['note', 'journal', 'command'] as const).filter(
    (key) => new Set(summary.map((one) => one[key])).size > 1,
  );
  return summary
    .map(({ again, attempts, others, causes: _causes, ...one }) => {
      const texts = { ...one, journal: one.journal && basename(one.journal) };
      const labels = names.map((key) => texts[key] && `${markdownText(texts[key])}: `);
      const name = labels.join('');
      const which = attempts === 2 ? 'the second' : 'a later';
      const later = again === 0 ? '' : `, ${again} of them at ${which} attempt`;
      const rest = one.done === one.asked ? '' : `; ${inWords(others)}`;
      return `${name}${isOut(one)}${later}${rest}`;
    })
    .join('  \n');
}

const isOut = ({
  done,
  asked,
  unit,
  reached,
}: Pick<Summary, 'done' | 'asked' | 'unit' | 'reached'>): string =>
  `${done} of ${asked} ${unit === undefined ? '' : `${unit} `}${reached}`;

interface Moment {
  readonly at: string;
  readonly what: string;
}

/** Lists what happened when: each change, and for a journal how it went on and ended. */
function timelineOf(jobs: readonly Job[], summary: readonly Summary[]): readonly Moment[] {
  const moments = jobs.flatMap(({ runs, counts }): readonly Moment[] => {
    const [{ command, journal, count }] = runs as [HistoryEntry];
    const whole = { ...counts, done: (counts['done'] ?? 0) + (counts['already done'] ?? 0) };
    const asked = Object.values(counts).reduce((sum, number) => sum + number, 0);
    const { reached } = summary.find((one) => one.command === command)!;
    const all = whole.done === asked ? `all ${reached}` : isOut({ ...whole, asked, reached });
    return runs.flatMap((run, i) => {
      const { startedAt, settledAt, exitCode = 0, ms, line = '', counts: own = {} } = run;
      const canary = /--canary[ =](\d+)/.exec(line)?.[1];
      const begun =
        canary === undefined ? `${command}${count ? ` of ${count}` : ''}` : `canary ${canary}`;
      const isLast = i === runs.length - 1;
      const endedAt = new Date(Date.parse(startedAt) + (ms ?? 0)).toISOString();
      // A canary that passed has started all other records.
      const isFailedCanary =
        canary !== undefined && exitCode === 11 && (own['notStarted'] ?? 0) > 0;
      const stop = exitCode > 128 ? 'stopped' : isFailedCanary ? 'canary failed' : undefined;
      const then = (own['ok'] ?? 0) + (own['before'] ?? 0);
      const ended = stop ?? (isLast ? all : isOut({ done: then, asked: run.count ?? 0, reached }));
      const isShown = count !== undefined && ms !== undefined;
      return [
        { at: startedAt, what: i === 0 || journal === undefined ? begun : 'resumed' },
        ...(isShown ? [{ at: endedAt, what: ended }] : []),
        ...(settledAt === undefined ? [] : [{ at: settledAt, what: 'settled' }]),
      ];
    });
  });
  return moments.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const MOST_MOMENTS = 12;

/**
 * Formats `14:22 canary 20 · 14:24 resumed · 14:27 all published`, in UTC, with the date where it changes, and with
 * seconds where two moments are within a minute.
 */
function inTime(moments: readonly Moment[]): string {
  const times = moments.map(({ at }) => Date.parse(at));
  const isClose = times.some((time, i) => i > 0 && time - times[i - 1]! < 60_000);
  const all = moments.map(({ what }, i) => {
    const time = momentText(times[i]!, times[i - 1] ?? times[i]!, true).slice(0, isClose ? -1 : -4);
    return `${time} ${markdownText(what)}`;
  });
  const texts = [...new Set(all)];
  const left = texts.length - MOST_MOMENTS;
  if (left > 0) texts.splice(MOST_MOMENTS - 1, left, `${left} more`);
  return texts.join(' · ');
}

/**
 * Leaves out the runs of a journal that a later run has continued: that counts each record by its last state. A later run
 * of a part of the list continues only this part.
 */
const lastRuns = (changes: readonly HistoryEntry[]): readonly HistoryEntry[] =>
  changes.filter(
    ({ count = 0 }, i) => !changes.slice(i + 1).some((later) => (later.count ?? 0) >= count),
  );

function rowOf(entry: HistoryEntry, job: Job, next?: string): readonly string[] {
  const { startedAt, note } = entry;
  const later = resumedAt(entry, job);
  const from = Date.parse(startedAt);
  const then = later && `resumed ${momentText(Date.parse(later), from, true).slice(0, -1)}`;
  const words = markdownText(resultOf(entry));
  const result = job.isGone === true ? `${words} (its journal is gone)` : words;
  return [
    dateAndTime(startedAt),
    whoOf(entry, markdownText),
    markdownCode(lineOf(entry)),
    note === undefined ? result : `${result} (note: ${markdownCode(note)})`,
    endOf(entry),
    next === undefined ? (then ?? '') : markdownCode(next),
  ];
}

const dateAndTime = (time: number | string): string =>
  new Date(time).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' ');

export const whoOf = (
  { user = '?', host = '?', by }: HistoryEntry,
  format = (text: string) => text,
): string => `${format(user)} on ${format(host)}${by === 'agent' ? ' (an agent)' : ''}`;

/** Returns when a later run of the same journal went on with what this one has left. */
function resumedAt(entry: HistoryEntry, { runs }: Job): string | undefined {
  const later = entry.journal === undefined ? undefined : runs[runs.indexOf(entry) + 1];
  return entry.exitCode === 0 ? undefined : later?.startedAt;
}

/** Returns the command line with its context and note, so that it can be run again. */
export const lineOf = (entry: HistoryEntry): string =>
  lineIn(entry, commandWords(withNote(recordedCommand(entry), entry)));

const lineIn = ({ context }: Pick<HistoryEntry, 'context'>, words: readonly Word[]): string =>
  shellLine(['social', ...(context === null ? [] : ['-C', context]), ...words]) ?? NOT_SHOWN;

const LIST_FLAGS: readonly (string | undefined)[] = ['--from', '--column'];

/**
 * Returns the command that settles what is still unknown, or else does what the last run left: the same one with a
 * journal; without one a wait for what was accepted, or a triage of what failed.
 */
function nextOf(
  entry: HistoryEntry,
  { runs, counts, isGone }: Job,
  operation: Operation | undefined,
  { config }: Invocation,
): string | undefined {
  const { unknown = 0, 'cannot tell': cannotTell = 0 } = countsOf(entry);
  const context = contextNow(entry, config) ?? null;
  // Without its context, or while it runs, the line would fail.
  if ((context ?? entry.context) !== context || endOf(entry) === 'running') return undefined;
  // A settled run whose journal was replaced stays unknown: to settle it again finds nothing.
  if (unknown + cannotTell > 0)
    return entry.verdict === 'settled'
      ? undefined
      : lineIn({ context }, ['history', 'settle', entry.id]);
  const isLeft = REPEATED.some((word) => counts[word] !== undefined);
  const { exitCode, journal, line = '', count = 1 } = entry;
  if (!isLeft || entry !== runs.at(-1) || line.includes('…')) return undefined;
  if (journal !== undefined) return isGone ? undefined : lineOf({ ...entry, context });
  const list = (splitShellWords(line) ?? []).filter(
    (word, i, words) => LIST_FLAGS.includes(word) || LIST_FLAGS.includes(words[i - 1]),
  );
  const ids = list.length > 0 ? [] : entry.ids.slice(0, count);
  const waits = exitCode === 8 && operation?.wait !== undefined;
  const triage: SocialCommand = { words: ['posts', 'triage'] };
  const isSeen = operation?.settle !== undefined && exitCode === 11;
  const command = waits ? resumingCommand(operation, ids, {}) : isSeen ? triage : undefined;
  const flags = [...list, ...(command?.flags ?? [])];
  return command && lineIn({ context }, commandWords({ ...command, ids, flags }));
}

/** Formats a text from outside: plain words as they are, anything else as code. */
const markdownText = (text: string): string =>
  /^[a-z\d]+(?:[:,]? [a-z\d]+)*$/i.test(text) ? text : markdownCode(text);

/**
 * Formats a text as code, in which nothing is Markdown, HTML, a link or a mention. A bar would end the table cell even
 * there, and parsers disagree about a backslash before it, so it stands between two pieces of code.
 */
const markdownCode = (text: string): string =>
  sanitizeLine(text).split('|').map(codeSpan).join('&#124;');

function codeSpan(text: string): string {
  if (text === '') return '';
  // The fence is longer than any run of backticks inside, and apart from one at an end.
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const isPadded = /^`|`$|^ .* $/.test(text);
  return isPadded ? `${fence} ${text} ${fence}` : fence + text + fence;
}
