// Timestamps: ISO 8601 in UTC, `Z` required, seconds and fraction optional, real calendar dates ("Conventions").

import { ruled } from './text.ts';

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z$/;

/** Tells whether a text is a timestamp of the API: form, ranges and calendar, leap years included. */
export function isTimestamp(text: string): boolean {
  const match = FORM.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
  return (
    month! >= 1 &&
    month! <= 12 &&
    day! >= 1 &&
    day! <= daysIn(year!, month!) &&
    hour! <= 23 &&
    minute! <= 59 &&
    second! <= 59
  );
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
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
