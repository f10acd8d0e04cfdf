// Whether the service answers the polls of a batch at all. Where it does not, looking at one post after the other only
// adds to its trouble: then one of them is looked at now and again, until there is an answer.

import type { Failure } from '../../base/errors.ts';
import { backoff, MOST_FAILURES } from '../../wait/poll.ts';

/** Polls without an answer in a row, and none with one, that are no accident. */
const MOST_IN_A_ROW = 8;

export type Outage = ReturnType<typeof createOutage>;

/** No outage yet. */
export function createOutage({ monotonic, random }: { monotonic(): number; random(): number }) {
  let inARow = 0;
  let probes = 0;
  let heldUntil = 0;
  const isOn = () => inARow >= MOST_IN_A_ROW;
  return {
    isOn,
    /** When to look at one post again. */
    heldUntil: () => heldUntil,
    /** Takes up a look that failed; `wasProbe` where it was made to find out about the outage. */
    failed({ kind }: Failure, wasProbe: boolean): void {
      if (kind !== 'no_answer') return;
      inARow++;
      if (wasProbe) heldUntil = monotonic() + backoff(++probes, random);
    },
    answered(): void {
      [inARow, probes, heldUntil] = [0, 0, 0];
    },
    /** Whether as many looks in a row have failed as end a wait. */
    isFinal: () => probes >= MOST_FAILURES,
  };
}
