// The filters of list and report: `--note`, and `--since`, an age, or a date or a date-time of ISO 8601, which is local
// time unless it has a zone.

import { isTimestamp } from '../../api/schema/rules.ts';
import { parseAge, relativeTime } from '../../base/durations.ts';
import { usageFailure } from '../../base/errors.ts';
import { typeBy } from '../../config/flag-types.ts';
import { type FlagSpec, isJsonForm } from '../../config/flags.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import type { HistoryEntry } from '../../history/entries.ts';

type Since = { readonly ageMs: number } | { readonly time: number; readonly isLocal: boolean };

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

export const sinceFlag: FlagSpec = {
  flags: '--since <time>',
  description:
    'Only changes since 3h, 7d … ago, or since a date or time of ISO 8601: 2026-03-02, 2026-03-02T21:30Z. Without Z or an offset (+01:00) it is local time',
  type: typeBy(
    'needs an age such as 3h or 7d, or an existing date or time of ISO 8601 such as 2026-03-02, 2026-03-02T21:30 (local time) or 2026-03-02T21:30Z',
    (text): Since | undefined => {
      const ageMs = parseAge(text);
      return ageMs === undefined ? dateTimeIn(text) : { ageMs };
    },
  ),
};

export const noteFlag: FlagSpec = {
  flags: '--note <text>',
  description: 'Only changes whose note contains this',
};

export const hasNote =
  (text: string | undefined) =>
  ({ note }: HistoryEntry): boolean =>
    text === undefined || note?.includes(text) === true;

function dateTimeIn(text: string): Since | undefined {
  const [, date, clock = '00:00', zone = ''] = DATE_TIME.exec(text) ?? [];
  // `Date.parse` reads 30 February as 2 March, and a date alone as UTC.
  if (date === undefined || !isTimestamp(`${date}T${clock}Z`)) return undefined;
  const time = Date.parse(`${date}T${clock}${zone}`);
  return Number.isNaN(time) ? undefined : { time, isLocal: zone === '' };
}

/** Returns the time of `--since`, if it is given. Tells people how a date was read. */
export function startOf({ flags, runtime, form }: Invocation): number | undefined {
  const { since } = flags as { readonly since?: Since };
  const now = runtime.now();
  if (since === undefined) return undefined;
  if ('ageMs' in since) return now - since.ageMs;
  const shown = new Date(since.time).toISOString().replace('.000Z', 'Z');
  const how = since.isLocal ? '; local time, because no time zone was given' : '';
  if (since.time > now)
    throw usageFailure({
      field: '--since',
      problem: `must not be in the future, got ${shown}${how}`,
      fix: `the time is now ${new Date(now).toISOString()}`,
    });
  if (!isJsonForm(form)) runtime.note(`since ${shown} (${relativeTime(since.time - now)}${how})`);
  return since.time;
}
