// `history report`: the changes made from this machine as a Markdown table, or as data. Text from outside is escaped,
// for Markdown and for the terminal.

import { existsSync } from 'node:fs';
import { sanitizeLine } from '../../base/sanitize.ts';
import { shellQuote } from '../../base/shell.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { type HistoryEntry, checkUndamaged, readHistory, resultOf } from '../../history/entries.ts';
import { printValue } from '../../output/write-result.ts';

const DAY_MS = 24 * 3_600_000;

export async function report(call: Call): Promise<void> {
  const { runtime, flags, form } = call;
  const { since, note } = flags as {
    readonly since?: (now: number) => number;
    readonly note?: string;
  };
  const now = runtime.now();
  const start = since?.(now) ?? (note === undefined ? now - DAY_MS : 0);
  const history = readHistory(runtime);
  const changes = history.changes
    .filter(({ startedAt }) => Date.parse(startedAt) >= start)
    .filter((entry) => note === undefined || entry.note?.includes(note) === true);
  const totals: Record<string, number> = {};
  for (const entry of changes) addCounts(totals, countsOf(entry));
  if (isJsonForm(form)) {
    const rows = changes.map((entry) => ({ ...entry, next: nextOf(entry) ?? null }));
    const data = { to: new Date(now).toISOString(), note: note ?? null, totals, changes: rows };
    await printValue(call, [], data);
  } else {
    const head = ['Time (UTC)', 'Who', 'Command', 'Result', 'Exit', 'Next'];
    const lines = [head, head.map(() => '---'), ...changes.map(rowOf)].map(
      (cells) => `| ${cells.join(' | ')} |\n`,
    );
    const remark = changes.length > 1 ? ' (a record that was tried again counts each time)' : '';
    const total =
      changes.length === 0 ? 'No change is on record.' : `Total: ${inWords(totals)}${remark}`;
    await runtime.stdout.write(`${lines.join('')}\n${total}\n`);
  }
  checkUndamaged(history);
}

/** The words for results whose key says something else to a reader; the others stay. */
const resultWords: Readonly<Record<string, string>> = {
  ok: 'done',
  pending: 'accepted',
  refused: 'failed',
  unsent: 'not started',
  notStarted: 'not started',
};

/** Counts the records of a change by result; the result of `history settle` replaces `unknown`. */
function countsOf({ outcome, counts, verdict, verdicts, isMoving }: HistoryEntry): Counts {
  const result = isMoving === true ? 'accepted' : verdict;
  // A batch has its verdicts by count; the verdict `settled` only sums up several.
  const hasVerdict = result !== undefined && result !== 'settled';
  const settledCounts: Counts | undefined = verdicts ?? (hasVerdict ? { [result]: 1 } : undefined);
  const totals: Record<string, number> = {};
  for (const [key, count] of Object.entries(counts ?? { [outcome]: 1 }))
    if (key === 'unknown' && count > 0 && settledCounts !== undefined)
      addCounts(totals, settledCounts);
    else addCounts(totals, { [resultWords[key] ?? key]: count });
  return totals;
}

type Counts = Readonly<Record<string, number>>;

function addCounts(totals: Record<string, number>, counts: Counts): void {
  for (const [result, count] of Object.entries(counts))
    if (count > 0) totals[result] = (totals[result] ?? 0) + count;
}

/** Formats `228 done, 14 failed`. */
const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .map(([result, count]) => `${count} ${result}`)
    .join(', ') || 'nothing';

function rowOf(entry: HistoryEntry): readonly string[] {
  const { startedAt, exitCode, note, user = '?', host = '?', by, causes = {}, count } = entry;
  const isPlain = count === undefined && entry.verdict === undefined;
  const result = isPlain ? resultOf(entry) : inWords(countsOf(entry));
  const remarks = Object.entries(causes)
    .filter(([cause]) => cause !== 'unknown')
    .map(([cause, failed]) => `${failed} ${cause}`);
  if (note !== undefined) remarks.push(`note: ${note}`);
  const next = nextOf(entry);
  return [
    startedAt.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' '),
    markdownText(`${user} on ${host}${by === 'agent' ? ' (an agent)' : ''}`),
    markdownCode(lineOf(entry)),
    markdownText(remarks.length === 0 ? result : `${result} (${remarks.join('; ')})`),
    exitCode === undefined ? 'killed, or running' : String(exitCode),
    next === undefined ? '' : markdownCode(next),
  ];
}

/** Returns the command line, so that it can be run again; without a recorded one it is made of the words and IDs. */
const lineOf = ({ line, command, ids, ...entry }: HistoryEntry): string =>
  `${programIn(entry)} ${line ?? [command, ...ids.map(shellQuote)].join(' ')}`;

const programIn = ({ context }: Pick<HistoryEntry, 'context'>): string =>
  context === null ? 'social' : `social -C ${shellQuote(context)}`;

/** Returns the command that settles unknown outcomes, or the file with the failed records. */
function nextOf(entry: HistoryEntry): string | undefined {
  const { id, failuresTo } = entry;
  const { unknown = 0, 'cannot tell': cannotTell = 0, failed = 0, ...rest } = countsOf(entry);
  if (unknown + cannotTell > 0) return `${programIn(entry)} history settle ${id}`;
  const left = failed + (rest['not started'] ?? 0) + (rest['not done'] ?? 0);
  return left > 0 && failuresTo !== undefined && existsSync(failuresTo)
    ? `--from ${shellQuote(failuresTo)}`
    : undefined;
}

/** Escapes Markdown, HTML and links in a text. */
const markdownText = (text: string): string =>
  sanitizeLine(text).replace(
    /[\\`*_[\]<>|~#&!]|:(?=\/\/)|(?<=www)\.|(?<=^\d+)[.)]|^[-+=]/g,
    String.raw`\$&`,
  );

/** Formats a text as code; a bar would end the table cell even there. */
function markdownCode(text: string): string {
  const code = sanitizeLine(text).replaceAll('|', String.raw`\|`);
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${code}${fence}` : `${fence} ${code} ${fence}`;
}
