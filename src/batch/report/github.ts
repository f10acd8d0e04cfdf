// `--report github`: annotations as workflow commands on stderr, and a summary of the step. Text from outside can be
// neither a command nor a part of the summary's structure.

import { headlineOf } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { appendShared } from '../../fs/append-log.ts';
import { markdownCode, markdownTable, markdownText } from '../../output/markdown.ts';
import type { ReportCase, ReportTotals, ReportWriter } from './report-case.ts';

/** GitHub shows so many of a step. */
const MAX_ANNOTATIONS = 10;
/** GitHub refuses a step's summary that is larger. */
const MAX_SUMMARY_BYTES = 1024 * 1024;
const MAX_ROWS = 100;

/** Collects the first records that failed, and writes at the end. */
export function githubWriter(command: string, { env, stderr, note }: Runtime): ReportWriter {
  const bad: ReportCase[] = [];
  let count = 0;
  return {
    add(each) {
      if (each.failure === undefined || ['skipped', 'not started'].includes(each.state)) return;
      count++;
      if (bad.length < MAX_ROWS) bad.push(each);
    },
    finish(totals) {
      const shown = bad.slice(0, MAX_ANNOTATIONS);
      const lines = shown.map((each) =>
        annotation('error', `${command}: ${each.name}`, textOf(each)),
      );
      const more = `${count - shown.length} more failed; GitHub shows ${MAX_ANNOTATIONS} of a step`;
      if (count > shown.length) lines.push(annotation('warning', command, more));
      void stderr.write(lines.join(''));
      const path = env['GITHUB_STEP_SUMMARY'] ?? '';
      if (path === '') return note('GITHUB_STEP_SUMMARY is not set; no step summary was written');
      const summary = summaryOf(command, totals, bad, count);
      if (!appendShared(path, summary, MAX_SUMMARY_BYTES))
        note('the step summary is full; nothing was added');
    },
  };
}

const encodings: Readonly<Record<string, string>> = {
  '%': '%25',
  '\r': '%0D',
  '\n': '%0A',
  ':': '%3A',
  ',': '%2C',
};

/** A workflow command, on a line of its own. */
function annotation(level: 'error' | 'warning', title: string, message: string): string {
  const property = title.replace(/[%\r\n:,]/g, (found) => encodings[found]!);
  const data = message.replace(/[%\r\n]/g, (found) => encodings[found]!);
  return `::${level} title=${property}::${data}\n`;
}

const textOf = ({ failure, errors }: ReportCase): string =>
  [...(failure === undefined ? [] : [headlineOf(failure), ...(failure.facts.why ?? [])]), ...errors]
    .map(sanitizeLine)
    .join('\n');

const countRow = ([word, count]: readonly [string, number]) => [word, String(count)];

/** What the step's page shows: the counts, the causes, and the first records that failed. */
function summaryOf(
  command: string,
  { counts, causes, failure }: ReportTotals,
  bad: readonly ReportCase[],
  count: number,
): string {
  const rows = bad.map((each) => [
    markdownCode(each.name),
    each.state,
    markdownText(each.failure === undefined ? '' : headlineOf(each.failure)),
    markdownText(each.errors.join('; ')),
  ]);
  const next = failure?.facts.next;
  const sections = [
    `### ${markdownCode(command)}`,
    ...(failure === undefined ? [] : [markdownText(headlineOf(failure))]),
    markdownTable(['Result', 'Records'], [...counts].map(countRow)),
    ...(causes.size === 0
      ? []
      : [
          markdownTable(
            ['Cause', 'Records'],
            [...causes].toSorted(([, a], [, b]) => b - a).map(countRow),
          ),
        ]),
    ...(rows.length === 0 ? [] : [markdownTable(['Record', 'Result', 'Error', 'Platforms'], rows)]),
    ...(count > rows.length ? [`${count - rows.length} more failed.`] : []),
    ...(next === undefined ? [] : [`Next: ${markdownCode(next)}`]),
  ];
  return `${sections.join('\n\n')}\n\n`;
}
