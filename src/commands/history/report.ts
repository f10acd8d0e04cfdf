// `history report`: an account of the changes made from this machine, as Markdown or as data. Text that came from
// outside cannot become a part of the structure of the Markdown, nor act on a terminal.

import { usageFailure } from '../../base/errors.ts';
import { parseAge } from '../../base/durations.ts';
import { quote } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm } from '../../config/choices.ts';
import { type HistoryEntry, readHistory } from '../../history/entries.ts';
import { markdownCode, markdownTable, markdownText } from '../../output/markdown.ts';
import { printRows } from '../../output/write-result.ts';
import {
  causesOf,
  countsOf,
  lineOf,
  type RecordCounts,
  type ReportData,
  reportOf,
  whoOf,
} from './report-data.ts';

const DAY_MS = 24 * 3_600_000;

export async function report(call: LocalCall): Promise<void> {
  const { runtime, flags, form } = call;
  const { since, note } = flags as Partial<Record<'since' | 'note', string>>;
  const now = runtime.now();
  const start = since === undefined ? (note === undefined ? now - DAY_MS : 0) : timeOf(since, now);
  if (start === undefined)
    throw usageFailure({
      field: '--since',
      problem: `needs an age such as 3h or 7d, or a date and time such as 2026-03-02T21:30Z, got ${quote(since!)}`,
    });
  const changes = readHistory(runtime)
    .filter(({ startedAt }) => Date.parse(startedAt) >= start)
    .filter((entry) => note === undefined || entry.note?.includes(note) === true);
  const data = reportOf(changes, { start, now, note });
  if (isJsonForm(form)) return printRows(call, [], [data], data);
  await runtime.stdout.write(formatReport(data));
}

/** The time that `--since` names: an age, or a date and time of ISO 8601. */
function timeOf(text: string, now: number): number | undefined {
  const age = parseAge(text);
  if (age !== undefined) return now - age;
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text))
    return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** The whole report, with its last newline. */
function formatReport(data: ReportData): string {
  const { note, changes, from, to } = data;
  const title =
    note === null ? 'Changes made with social' : `Changes made for ${markdownText(note)}`;
  const period = `From ${minute(from)} to ${minute(to)} (UTC), as far as they are on record on this machine.`;
  if (changes.length === 0)
    return `# ${title}\n\n${period}\n\nNo change is on record for this period${note === null ? '' : ' with this note'}.\n`;
  const sections = [
    `# ${title}`,
    period,
    summary(data),
    ...causeTable(data),
    '## What was run',
    markdownTable(['Time (UTC)', 'Who', 'Command', 'Result', 'Exit'], changes.map(row)),
    '## What is left',
    left(data),
    '## What is unknown',
    unknown(data),
  ];
  return `${sections.join('\n\n')}\n`;
}

function summary({ totals, who }: ReportData): string {
  const commands = `${totals.changes} ${totals.changes === 1 ? 'command' : 'commands'}`;
  return [
    `- ${commands}, ${totals.records} ${totals.records === 1 ? 'record' : 'records'}: ${inWords(totals)}`,
    `- by ${who.map(markdownText).join(', ')}`,
    ...(totals.changes > 1 ? ['- a record that was tried again counts each time'] : []),
  ].join('\n');
}

const words = {
  done: 'done',
  failed: 'failed',
  unknown: 'unknown',
  pending: 'still pending',
  notStarted: 'not started',
};

/** `228 done, 14 failed` */
function inWords(counts: Partial<RecordCounts>): string {
  const shown = Object.entries(words).flatMap(([key, word]) => {
    const count = counts[key as keyof typeof words] ?? 0;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  return shown.join(', ') || 'nothing';
}

function causeTable({ causes }: ReportData): readonly string[] {
  const rows = Object.entries(causes).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return [];
  return [
    '## Why it failed',
    markdownTable(
      ['Cause', 'Records'],
      rows.map(([cause, count]) => [markdownText(cause), String(count)]),
    ),
  ];
}

function row(entry: HistoryEntry): readonly string[] {
  const { startedAt, exitCode, note } = entry;
  const why = causesOf(entry).map(([cause, count]) => `${count} ${cause}`);
  const result = `${inWords(countsOf(entry))}${why.length === 0 ? '' : ` (${why.join(', ')})`}`;
  const noted = note === undefined ? '' : `; note: ${note}`;
  return [
    second(startedAt),
    markdownText(whoOf(entry)),
    markdownCode(lineOf(entry)),
    markdownText(result + noted),
    exitCode === undefined ? 'killed, or running' : String(exitCode),
  ];
}

function left({ left: all }: ReportData): string {
  if (all.length === 0) return 'Nothing that failed is left.';
  return all
    .map(({ command, failed, pending, notStarted, file, journal }) => {
      const counts = inWords({ failed, pending, notStarted });
      const records = pending === 0 ? 'the records' : 'those that were not accepted';
      const where =
        file !== undefined
          ? `${records} are in ${markdownCode(file)}`
          : journal !== undefined
            ? `the same command goes on with ${markdownCode(journal)}`
            : 'its records are not on file';
      return `- ${counts} of ${markdownCode(command)}: ${where}`;
    })
    .join('\n');
}

function unknown({ unknown: all }: ReportData): string {
  if (all.length === 0) return 'No outcome is unknown.';
  return all
    .map(({ command, count, verdict, why, settle }) => {
      const found = verdict === null ? 'not settled yet' : markdownText(verdict);
      const reason = why === undefined || why === verdict ? '' : ` (${markdownText(why)})`;
      const how = settle === undefined ? '' : `; to settle it: ${markdownCode(settle)}`;
      return `- ${count} of ${markdownCode(command)}: ${found}${reason}${how}`;
    })
    .join('\n');
}

const minute = (time: string): string => time.slice(0, 16).replace('T', ' ');
const second = (time: string): string => time.slice(0, 19).replace('T', ' ');
