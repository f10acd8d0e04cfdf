// How many changes the agent may send while this server runs. Calls in flight count: at once they cannot pass the
// limit.

import { unsentFailure } from '../../base/errors.ts';

/** The range of `--max-writes`. */
export const MAX_WRITES = { minimum: 1, maximum: 1_000_000 } as const;

export type WriteLimit = ReturnType<typeof createWriteLimit>;

/** At most `max` changes in all; without a limit where it is undefined. */
export function createWriteLimit(max: number | undefined) {
  let taken = 0;
  return {
    max,
    /** Throws `usage` when no further change may be sent; `next` is the command that raises the limit. */
    check(next: (higher: number) => string): void {
      if (max === undefined || taken < max) return;
      throw unsentFailure('usage', {
        code: 'write_limit',
        what: `write limit reached: ${taken} of ${changes(max)} sent`,
        hint: 'nothing was sent; a person can restart the server with a higher --max-writes, or without it for no limit',
        next: next(Math.min(max * 2, MAX_WRITES.maximum)),
      });
    },
    /** Counts a change about to be sent. The returned function takes it back where nothing left this machine. */
    take(): () => void {
      taken++;
      return () => void taken--;
    },
  };
}

/** `1 change`, `3 changes`. */
export const changes = (count: number): string => `${count} change${count === 1 ? '' : 's'}`;
