// `history report`: the changes made from this machine as a Markdown table, or as data. Text from outside is escaped,
// for Markdown and for the terminal.

import { existsSync } from 'node:fs';
import { sanitizeLine } from '../../base/sanitize.ts';
import { shellQuote } from '../../base/shell.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { type HistoryEntry, checkUndamaged, readHistory, resultOf } from '../../history/entries.ts';
import { printObject } from '../../output/write-result.ts';

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
  for (const entry of changes)
    for (const [result, count] of Object.entries(countsOf(entry)))
      totals[result] = (totals[result] ?? 0) + count;
  if (isJsonForm(form)) {
    const rows = changes.map((entry) => ({ ...entry, next: nextOf(entry) ?? null }));
    const data = { to: new Date(now).toISOString(), note: note ?? null, totals, changes: rows };
    await printObject(call, [], data);
  } else {
    const rows = changes.map(rowOf);
    const head = ['Time (UTC)', 'Who', 'Command', 'Result', 'Exit', 'Next'];
    const again = changes.length > 1 ? ' (a record that was tried again counts each time)' : '';
    const total =
      changes.length === 0 ? 'No change is on record.' : `Total: ${inWords(totals)}${again}`;
    await runtime.stdout.write(`${markdownTable(head, rows)}\n\n${total}\n`);
  }
  checkUndamaged(history);
}

const words: Readonly<Record<string, string>> = {
  ok: 'done',
  pending: 'accepted',
  refused: 'failed',
  unsent: 'not started',
  notStarted: 'not started',
};

/** Counts records by result; the result of `history settle` replaces `unknown`. */
function countsOf({ outcome, counts, verdict, verdicts, isMoving }: HistoryEntry): Counts {
  const settled = isMoving === true ? 'accepted' : verdict;
  const found =
    verdicts ?? (settled === undefined || settled === 'settled' ? {} : { [settled]: 1 });
  const totals: Record<string, number> = {};
  for (const [key, count] of Object.entries(counts ?? { [outcome]: 1 })) {
    const settledCounts = key === 'unknown' && count > 0 ? Object.entries(found) : [];
    for (const [result, n] of settledCounts.length > 0
      ? settledCounts
      : [[words[key] ?? key, count] as const])
      if (n > 0) totals[result] = (totals[result] ?? 0) + n;
  }
  return totals;
}

type Counts = Readonly<Record<string, number>>;

/** Formats `228 done, 14 failed`. */
const inWords = (counts: Counts): string =>
  Object.entries(counts)
    .map(([result, count]) => `${count} ${result}`)
    .join(', ') || 'nothing';

function rowOf(entry: HistoryEntry): readonly string[] {
  const { startedAt, exitCode, note, user = '?', host = '?', by, causes = {}, count } = entry;
  const why = Object.entries(causes)
    .filter(([cause]) => cause !== 'unknown')
    .map(([cause, failed]) => `${failed} ${cause}`);
  const plain = count === undefined && entry.verdict === undefined;
  const result = plain ? resultOf(entry) : inWords(countsOf(entry));
  const remarks = [...why, ...(note === undefined ? [] : [`note: ${note}`])].join('; ');
  const next = nextOf(entry);
  return [
    startedAt.slice(0, 19).replace('T', ' '),
    markdownText(`${user} on ${host}${by === 'agent' ? ' (an agent)' : ''}`),
    markdownCode(lineOf(entry)),
    markdownText(remarks === '' ? result : `${result} (${remarks})`),
    exitCode === undefined ? 'killed, or running' : String(exitCode),
    next === undefined ? '' : markdownCode(next),
  ];
}

/** Returns the command as it is in the history of the shell. */
const lineOf = ({ line, command, ids, ...entry }: HistoryEntry): string =>
  `${programIn(entry)} ${line ?? [command, ...ids.map(shellQuote)].join(' ')}`;

const programIn = ({ context }: Pick<HistoryEntry, 'context'>): string =>
  context === null ? 'social' : `social -C ${shellQuote(context)}`;

/** Returns the command that settles unknown outcomes, or the file with the failed records. */
function nextOf(entry: HistoryEntry): string | undefined {
  const { id, failuresTo } = entry;
  const { unknown = 0, 'cannot tell': unclear = 0, failed = 0, ...rest } = countsOf(entry);
  if (unknown + unclear > 0) return `${programIn(entry)} history settle ${id}`;
  const left = failed + (rest['not started'] ?? 0) + (rest['not done'] ?? 0);
  return left > 0 && failuresTo !== undefined && existsSync(failuresTo)
    ? `--from ${shellQuote(failuresTo)}`
    : undefined;
}

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Escapes Markdown, HTML and links in a text. */
export const markdownText = (text: string): string =>
  sanitizeLine(text).replace(
    /[\\`*_[\]<>|~#&!]|:(?=\/\/)|(?<=www)\.|(?<=^\d+)[.)]|^[-+=]/g,
    String.raw`\$&`,
  );

/** Formats a text as code; a bar would end the table cell even there. */
export function markdownCode(text: string): string {
  const code = sanitizeLine(text).replaceAll('|', String.raw`\|`);
  const runs = (code.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(runs.length === 0 ? 1 : Math.max(...runs) + 1);
  const gap = runs.length === 0 ? '' : ' ';
  return `${fence}${gap}${code}${gap}${fence}`;
}
