// The report of `history report` as Markdown. Text that came from outside cannot become a part of its structure, nor
// act on a terminal.

import type { HistoryEntry } from '../../history/entries.ts';
import { markdownCode, markdownTable, markdownText } from '../../output/markdown.ts';
import {
  causesOf,
  countsOf,
  lineOf,
  type RecordCounts,
  type ReportData,
  whoOf,
} from './report-data.ts';

/** The whole report, with its last newline. */
export function formatReport(data: ReportData): string {
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

const words = { done: 'done', failed: 'failed', unknown: 'unknown', notStarted: 'not started' };

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
    .map(({ command, failed, notStarted, file, journal }) => {
      const counts = inWords({ failed, notStarted });
      const where =
        file !== undefined
          ? `the records are in ${markdownCode(file)}`
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
