// Durations: parsed as users type them, a whole number and a unit (a bare number is refused, its unit is anybody's
// guess), and printed in each way that an output needs.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DAY_MS = 24 * 3_600_000;

/** Each with the number of it that the next unit takes over. */
const UNITS = [
  ['second', 1000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', DAY_MS, Infinity],
] as const;

/** The form of a duration, as JSON Schema takes it. */
export const DURATION_PATTERN = '^\\d{1,9}(?:ms|s|m|h)$';

/** Milliseconds of `500ms`, `30s`, `5m`, `1h`; above nothing and up to 24 hours. `undefined` for all else. */
export function parseDuration(text: string): number | undefined {
  if (!new RegExp(DURATION_PATTERN).test(text)) return undefined;
  const ms = Number.parseInt(text, 10) * UNIT_MS[text.replace(/^\d+/, '')]!;
  return ms > 0 && ms <= DAY_MS ? ms : undefined;
}

export const durationRule =
  'needs a whole number above 0 and a unit, e.g. 500ms, 30s, 5m; limit 24h';

/** Milliseconds of a time that has passed: as above, and also `7d`, `2w`. `undefined` for all else. */
export function parseAge(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (number === undefined) return parseDuration(text);
  return Number(number) * (unit === 'w' ? 7 : 1) * DAY_MS || undefined;
}

export const ageRule = 'needs a whole number above 0 and a unit, e.g. 30m, 12h, 7d, 2w';

/** A duration in the largest unit that shows it whole: 90000 → `90s`. */
export function formatDuration(ms: number): string {
  const [unit, size] = Object.entries(UNIT_MS)
    .toReversed()
    .find(([, each]) => ms % each === 0)!;
  return `${ms / size}${unit}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** The time that is left: `9:42`, `1:00:05`; `0:00` when it is over. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const short = `${hours > 0 ? two(minutes) : minutes}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${short}` : short;
}

/** `30 s`, `5 minutes`, `3 days`: the largest unit of which there are two. */
export function formatRoughDuration(ms: number): string {
  const [unit, size] = UNITS.findLast(([, each]) => ms >= 2 * each) ?? UNITS[0];
  return `${Math.ceil(ms / size)} ${unit === 'second' ? 's' : `${unit}s`}`;
}

/** Seconds in the two largest units: `42s`, `3m 20s`, `2h 5m`. */
export function formatTwoUnits(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/** `3 minutes ago`, `in 2 days`; within half a second `now`. */
export function relativeTime(ms: number): string {
  const countOf = (size: number) => Math.round(Math.abs(ms) / size);
  const [unit, size] = UNITS.find(([, each, limit]) => countOf(each) < limit)!;
  const count = countOf(size);
  if (count === 0) return 'now';
  const span = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return ms < 0 ? `${span} ago` : `in ${span}`;
}
