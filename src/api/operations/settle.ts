// What became of a change whose answer was lost, as a part of its operation: how an answer to a read is judged. It
// neither sends nor prints: `commands/history/verdicts.ts` reads, `conclude.ts` shows.

/** `cannot tell` where a read cannot show it, or where what it shows may have another reason. */
export const verdicts = ['done', 'not done', 'cannot tell'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Settlement {
  readonly verdict: Verdict;
  /** A clause. */
  readonly why: string;
  /** Milliseconds after which another read may tell more. */
  readonly againMs?: number;
  /** The two times were closer than the clocks are known. */
  readonly isClose?: true;
  /** What was done has not come to its end yet. */
  readonly isMoving?: true;
}

/** Milliseconds since 1970 by the service's clock: a moment that lies between the two, both included. */
export interface TimeSpan {
  readonly earliest: number;
  readonly latest: number;
}

/** The change in question. */
export interface SentChange {
  /** The parts that its request named; none where that is not known, or where it named none. */
  readonly parts: readonly string[] | undefined;
  /** When it was sent. */
  readonly sent: TimeSpan;
  /** Milliseconds from then to the read. */
  readonly ageMs: number;
}
