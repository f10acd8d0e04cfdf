// Timestamps: ISO 8601 in UTC, `Z` required, seconds and fraction optional, real calendar dates ("Conventions").

import { ruled } from './text.ts';

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;
const ZERO = '0'.charCodeAt(0);

/** Tells whether a text is a timestamp of the API: form, ranges and calendar, leap years included. */
export function isTimestamp(text: string): boolean {
  if (!FORM.test(text)) return false;
  // A post has eight of them: the places are known, so nothing needs to be taken apart.
  const two = (at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * ZERO;
  const month = two(5);
  const day = two(8);
  const second = text[16] === ':' ? two(17) : 0;
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(two(0) * 100 + two(2), month) &&
    two(11) <= 23 &&
    two(14) <= 59 &&
    second <= 59
  );
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2
    ? leap
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31;
}

export const Timestamp = ruled(
  (value) => (isTimestamp(value) ? undefined : 'must be a UTC date-time such as 2026-03-01T09:30Z'),
  {
    id: 'Timestamp',
    // Not `format: date-time`, which is RFC 3339's and wants seconds.
    description: 'UTC date-time of ISO 8601 with Z; seconds and their fraction may be missing',
    pattern: FORM.source,
  },
);
