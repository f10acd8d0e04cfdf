// Durations: parsed from what users type, a whole number and a unit (a number without a unit is rejected as ambiguous),
// and printed in two ways: as a length, and as a time from now.

const DAY_MS = 24 * 3_600_000;

/** The units that are typed. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** Units with the number of each at which the next larger unit is used. */
const UNITS = [
  ['second', 1000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', DAY_MS, Infinity],
] as const;

/**
 * Parses `500ms`, `30s`, `5m`, `1h` to milliseconds, above 0 and up to 24 hours. Returns `undefined` for other text.
 */
export function parseDuration(text: string): number | undefined {
  const ms = read(text, /^(\d{1,9})(ms|s|m|h)$/);
  return ms !== undefined && ms <= DAY_MS ? ms : undefined;
}

export const durationRule =
  'needs a whole number above 0 and a unit, e.g. 500ms, 30s, 5m; limit 24h';

/** Parses an age to milliseconds: `90s`, `36h`, `7d`, `2w`. Returns `undefined` for other text. */
export const parseAge = (text: string): number | undefined =>
  read(text, /^(\d{1,9})(ms|s|m|h)$/) ?? read(text, /^(\d{1,4})([dw])$/);

/** Returns the milliseconds of a number and a unit, the groups of the pattern; `undefined` for zero. */
function read(text: string, pattern: RegExp): number | undefined {
  const [, number, unit = ''] = pattern.exec(text) ?? [];
  // Text that does not match gives NaN, which is falsy like zero.
  return Number(number) * UNIT_MS[unit]! || undefined;
}

/**
 * Formats a duration in its two largest units: `500ms`, `42s`, `3m 20s`, `2h`, `3d 4h`. A fraction of a second is
 * rounded up.
 */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const parts = [`${days}d`, `${hours}h`, `${Math.floor(seconds / 60) % 60}m`, `${seconds % 60}s`];
  const first = parts.findIndex((part) => !part.startsWith('0'));
  const largest = parts.slice(first).slice(0, 2);
  return first < 0 ? '0s' : largest.filter((part, i) => i === 0 || !part.startsWith('0')).join(' ');
}

/** Two clocks that differ by less than this are treated as equal. */
export const SAME_CLOCK_MS = 5000;

/**
 * Formats a time from now: `3 minutes ago`, `in 2 days`. Says `now` within half a second, and for a time so little
 * ahead that another clock may explain it.
 */
export function relativeTime(ms: number): string {
  if (ms > 0 && ms < SAME_CLOCK_MS) return 'now';
  const countOf = (size: number) => Math.round(Math.abs(ms) / size);
  const [unit, size] = UNITS.find(([, unitMs, limit]) => countOf(unitMs) < limit)!;
  const count = countOf(size);
  if (count === 0) return 'now';
  const span = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return ms < 0 ? `${span} ago` : `in ${span}`;
}

/** Formats a moment: `14:22:05`, with the date if that is not the one of now: `2026-03-01 14:22:05`; in UTC with a `Z`. */
export function momentText(time: number, now: number, utc: boolean): string {
  const [text, today] = [time, now].map((ms) => {
    const shiftMs = utc ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
    return new Date(ms - shiftMs).toISOString();
  }) as [string, string];
  const [day, clock] = [text.slice(0, 10), text.slice(11, 19)];
  return `${today.startsWith(day) ? '' : `${day} `}${clock}${utc ? 'Z' : ''}`;
}

/** Formats the timestamps in a text like `momentText`. */
export const withMoments = (text: string, now: number, utc: boolean): string =>
  text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) =>
    momentText(Date.parse(at), now, utc),
  );

const two = (value: number) => String(value).padStart(2, '0');

/** Formats `0:48`, `12:05`, `1:02:03`. */
export function clockTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const start = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${start}:${two(seconds % 60)}`;
}
