// What is going on while a command waits, where no view can be drawn in place.

import type { Progress, Sink, Standing } from '../world.ts';

/** Silences after which it is said how things stand: 10, 30 and 60 seconds after the last line, then every 30. */
const GAPS_MS = [10_000, 20_000, 30_000];

/** A line a change, and one now and then where nothing changes; for pipes, logs and screen readers. */
export function lineProgress(stderr: Sink, gapsMs: readonly number[] = GAPS_MS): Progress {
  let seen: Standing | undefined;
  let timer: NodeJS.Timeout | undefined;
  const listen = (silences: number) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        if (seen !== undefined) void stderr.write(`${seen.headline()}\n`);
        listen(silences + 1);
      },
      gapsMs[silences] ?? gapsMs.at(-1),
    );
    timer.unref();
  };
  return {
    show(standing) {
      const isFirst = seen === undefined;
      seen = standing;
      if (standing.changes.length > 0) void stderr.write(`${standing.changes.join('\n')}\n`);
      if (isFirst || standing.changes.length > 0) listen(0);
    },
    stop: () => clearTimeout(timer),
  };
}
