// What is going on while a command waits: a live view on a terminal, a line a change elsewhere. On stderr, all of it.

import ora from 'ora';
import type { Progress, Sink } from '../world.ts';

/** A line a change; for pipes, logs and screen readers. */
export function lineProgress(stderr: Sink): Progress {
  return {
    show: ({ changes }) => void (changes.length > 0 && stderr.write(`${changes.join('\n')}\n`)),
    stop: () => undefined,
  };
}

/**
 * A view that is drawn again in place, once a second. `stream` must be a terminal with a known width:
 * ora spins for ever on one without.
 */
export function liveProgress(stream: NodeJS.WritableStream, ascii: boolean): Progress {
  const spinner = ora({
    stream,
    // A second a frame: waiting ten minutes must cost no more than waiting.
    spinner: { interval: 1000, frames: ascii ? ['|', '/', '-', '\\'] : ['◐', '◓', '◑', '◒'] },
    // Ctrl-C must stay Ctrl-C.
    discardStdin: false,
  });
  return {
    show({ live }) {
      spinner.text = live;
      if (!spinner.isSpinning) spinner.start();
    },
    stop: () => void spinner.stop(),
  };
}
