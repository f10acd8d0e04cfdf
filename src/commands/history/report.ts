// `history report`: the changes made from this machine as a Markdown table, or as data. Text from outside is code, in
// which nothing is Markdown, and is sanitized for the terminal.

import { sanitizeLine } from '../../base/sanitize.ts';
import {
  commandWords,
  NOT_SHOWN,
  shellLine,
  splitShellWords,
  type Word,
} from '../../base/shell.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { type HistoryEntry, checkUndamaged, readHistory, resultOf } from '../../history/entries.ts';
import { printValue } from '../../output/write-result.ts';
import { startOf } from './since.ts';

const DAY_MS = 24 * 3_600_000;

export async function report(call: Call): Promise<void> {
  const { runtime, flags, form } = call;
  const { note } = flags as { readonly note?: string };
  const now = runtime.now();
  const start = startOf(call) ?? (note === undefined ? now - DAY_MS : 0);
  const history = readHistory(runtime);
  const changes = history.changes
    .filter(({ startedAt }) => Date.parse(startedAt) >= start)
    .filter((entry) => note === undefined || entry.note?.includes(note) === true);
  const totals = sumOf(lastRuns(changes).map(countsOf));
  if (isJsonForm(form)) {
    const rows = changes.map((entry) => ({ ...entry, next: nextOf(entry) ?? null }));
    const data = { to: new Date(now).toISOString(), note: note ?? null, totals, changes: rows };
    await printValue(call, [], data);
  } else {
    const head = ['Time (UTC)', 'Who', 'Command', 'Result', 'Exit', 'Next'];
    const lines = [head, head.map(() => '---'), ...changes.map(rowOf)].map(
      (cells) => `| ${cells.join(' | ')} |\n`,
    );
    const total = changes.length === 0 ? 'No change is on record.' : `Total: ${inWords(totals)}`;
    await runtime.stdout.write(`${lines.join('')}\n${total}\n`);
  }
  checkUndamaged(history);
}

type Counts = Readonly<Record<string, number>>;

/**
 * Leaves out the runs of a journal that a later run has continued: that counts each record by its last state. A later run
 * of a part of the list continues only this part.
 */
const lastRuns = (changes: readonly HistoryEntry[]): readonly HistoryEntry[] =>
  changes.filter(
    ({ journal, count = 0 }, i) =>
      journal === undefined ||
      !changes.some(
        (later, at) => at > i && later.journal === journal && (later.count ?? 0) >= count,
      ),
  );

/** The words for results whose key says something else to a reader; the others stay. */
const resultWords: Readonly<Record<string, string>> = {
  ok: 'done',
  pending: 'accepted',
  refused: 'failed',
  unsent: 'not started',
  notStarted: 'not started',
  before: 'already done',
};

/** Counts the records of a change by result; the result of `history settle` replaces `unknown`. */
function countsOf(entry: HistoryEntry): Counts {
  const { outcome, count: records = 1, counts, verdict, verdicts, isMoving } = entry;
  const { unknown = 0, ...known } = counts ?? { [outcome]: records };
  const single = isMoving === true ? 'accepted' : (verdict ?? 'unknown');
  const settled = unknown === 0 ? {} : (verdicts ?? { [single]: unknown });
  const named = Object.entries(known).map(([key, number]) => ({
    [resultWords[key] ?? key]: number,
  }));
  return sumOf([...named, settled]);
}

/** Adds up counts, without those of zero. */
function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const [result, count] of all.flatMap((counts) => Object.entries(counts)))
    if (count > 0) sum[result] = (sum[result] ?? 0) + count;
  return sum;
}

/** Formats `228 done, 14 failed`. */
export const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count} ${result}`)
    .join(', ') || 'nothing';

function rowOf(entry: HistoryEntry): readonly string[] {
  const { startedAt, exitCode, note, user = '?', host = '?', by, count } = entry;
  const isPlain = count === undefined && entry.verdict === undefined;
  const result = isPlain ? markdownText(resultOf(entry)) : inWords(countsOf(entry));
  const next = nextOf(entry);
  return [
    startedAt.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' '),
    `${markdownText(user)} on ${markdownText(host)}${by === 'agent' ? ' (an agent)' : ''}`,
    markdownCode(lineOf(entry)),
    note === undefined ? result : `${result} (note: ${markdownCode(note)})`,
    exitCode === undefined ? 'killed, or running' : String(exitCode),
    next === undefined ? '' : markdownCode(next),
  ];
}

/** Returns the command line, so that it can be run again; without a recorded one it is made of the words and IDs. */
function lineOf({ line, command, ids, ...entry }: HistoryEntry): string {
  const recorded = line === undefined ? undefined : splitShellWords(line);
  return lineIn(entry, recorded?.map(asTyped) ?? commandWords({ words: command.split(' '), ids }));
}

/** A recorded line has … in place of a typed text. */
const asTyped = (word: string): Word => (word.endsWith('…') ? { gap: '…' } : word);

const lineIn = ({ context }: Pick<HistoryEntry, 'context'>, words: readonly Word[]): string =>
  shellLine(['social', ...(context === null ? [] : ['-C', context]), ...words]) ?? NOT_SHOWN;

/** Returns the command that settles what is still unknown. */
function nextOf(entry: HistoryEntry): string | undefined {
  const { unknown = 0, 'cannot tell': cannotTell = 0 } = countsOf(entry);
  return unknown + cannotTell > 0 ? lineIn(entry, ['history', 'settle', entry.id]) : undefined;
}

/** Formats a text from outside: plain words as they are, anything else as code. */
const markdownText = (text: string): string =>
  /^[a-z\d]+(?: [a-z\d]+)*$/i.test(text) ? text : markdownCode(text);

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
