// How far the service's clock is from this machine's, from the `Date` of its answers. They count whole seconds, so each
// answer gives a span; several together give a narrower one.

import type { TimeSpan } from '../api/operations/settle.ts';
import type { Host } from '../base/runtime.ts';

/** An answer with a date: when the request was sent and the answer was there, by this machine's clock. */
export interface DatedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Its `Date`, in milliseconds since 1970. */
  readonly serverTime: number;
}

const SECOND = 1000;
/** Narrow enough: clocks that are set over a network differ by as much. */
const NARROW_MS = 20;

/** Milliseconds to add to a time of this machine for the service's; `undefined` without an answer. */
export function clockOffset(answers: readonly DatedAnswer[]): TimeSpan | undefined {
  if (answers.length === 0) return undefined;
  const spans = answers.map(({ sentAt, receivedAt, serverTime }) => ({
    earliest: serverTime - receivedAt,
    latest: serverTime + SECOND - sentAt,
  }));
  const starts = spans.map(({ earliest }) => earliest);
  const ends = spans.map(({ latest }) => latest);
  const [earliest, latest] = [Math.max(...starts), Math.min(...ends)];
  // One of the clocks was set meanwhile.
  if (earliest > latest) return { earliest: Math.min(...starts), latest: Math.max(...ends) };
  return { earliest, latest };
}

/** Waits for the moment at which one more read halves the span. Resolves to `false` where it is narrow already. */
export async function untilTelling(
  answers: readonly DatedAnswer[],
  { now, sleep, signal }: Pick<Host, 'now' | 'sleep' | 'signal'>,
): Promise<boolean> {
  const offset = clockOffset(answers);
  const last = answers.at(-1);
  if (offset === undefined || last === undefined) return false;
  const trip = last.receivedAt - last.sentAt;
  if (offset.latest - offset.earliest <= Math.max(NARROW_MS, 2 * trip)) return false;
  const middle = (offset.earliest + offset.latest) / 2;
  // The answer is made when the service's second begins, if its clock is the middle of what it may be.
  const phase = (now() + middle + trip / 2) % SECOND;
  await sleep(SECOND - phase, signal);
  return true;
}
