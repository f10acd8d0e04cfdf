// Retry-After in both its forms. Anything else is ignored: no number that a lenient parser would invent.

const SECONDS = /^\d+$/;
const LONGEST_MS = 1e12;
const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Milliseconds that an answer asks to wait, never negative; `undefined` where it does not ask.
 * A date is judged by the server's own clock where the answer carries it.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now = Date.now(),
): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, LONGEST_MS);
  if (!IMF_DATE.test(value)) return undefined;
  const sent = Date.parse(String(headers['date']));
  return Math.max(0, Date.parse(value) - (Number.isNaN(sent) ? now : sent));
}
