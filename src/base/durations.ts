// Durations as users write them: a whole number and a unit. Bare numbers are refused: nobody agrees on their unit.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LIMIT_MS = 24 * 3_600_000;

/** Milliseconds of `500ms`, `30s`, `5m`, `1h`; above nothing and up to 24 hours. `undefined` for all else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
  if (match === null) return undefined;
  const ms = Number(match[1]) * UNIT_MS[match[2]!]!;
  return ms > 0 && ms <= LIMIT_MS ? ms : undefined;
}

export const durationRule = 'needs a number and a unit, e.g. 500ms, 30s, 5m; limit 24h';

const DAY_MS = 24 * 3_600_000;

/** Milliseconds of a time that has passed: as above, and also `7d`, `2w`. `undefined` for all else. */
export function parseAge(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (number === undefined) return parseDuration(text);
  return Number(number) * (unit === 'w' ? 7 : 1) * DAY_MS || undefined;
}

export const ageRule = 'needs a number and a unit, e.g. 30m, 12h, 7d, 2w';

/** A duration in the largest unit that shows it whole: 90000 → `90s`. */
export function formatDuration(ms: number): string {
  const [unit, size] = Object.entries(UNIT_MS)
    .toReversed()
    .find(([, each]) => ms % each === 0)!;
  return `${ms / size}${unit}`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** What is left of a time, for watching: `9:42`, `1:00:05`; `0:00` when it is over. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const short = `${hours > 0 ? two(minutes) : minutes}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${short}` : short;
}
