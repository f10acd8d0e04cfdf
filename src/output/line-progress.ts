// What is going on while a command waits, where no view can be drawn in place.

import type { Progress, Sink } from '../world.ts';

/** A line a change; for pipes, logs and screen readers. */
export function lineProgress(stderr: Sink): Progress {
  return {
    show: ({ changes }) => void (changes.length > 0 && stderr.write(`${changes.join('\n')}\n`)),
    stop: () => undefined,
  };
}
