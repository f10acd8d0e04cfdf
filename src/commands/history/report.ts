// `history report`: an account of the changes made from this machine, as Markdown or as data.

import { usageFailure } from '../../base/errors.ts';
import { parseAge } from '../../base/durations.ts';
import { quote } from '../../base/sanitize.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm } from '../../config/choices.ts';
import { readHistory } from '../../history/entries.ts';
import { printRows } from '../../output/write-result.ts';
import { reportOf } from './report-data.ts';
import { formatReport } from './report-markdown.ts';

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
