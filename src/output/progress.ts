// What is going on while a command waits: a live view on a terminal, a line a change elsewhere. On stderr, all of it.

import ora from 'ora';
import type { Progress, Sink } from '../world.ts';

const SECOND_MS = 1000;

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
    spinner: { interval: SECOND_MS, frames: ascii ? ['|', '/', '-', '\\'] : ['◐', '◓', '◑', '◒'] },
    // Colour is ours to decide, and ora does not ask NO_COLOR.
    color: false,
    // Ctrl-C must stay Ctrl-C, and whoever stops the program must find the cursor.
    discardStdin: false,
    hideCursor: false,
  });
  let text = () => '';
  let tick: NodeJS.Timeout | undefined;
  const draw = () => void (spinner.text = text());
  return {
    show({ headline, body }) {
      text = () => `${headline()}\n\n${body}\n`;
      draw();
      if (tick !== undefined) return void spinner.render();
      // Started before ora's own timer, so that each of its frames finds a fresh text.
      tick = setInterval(draw, SECOND_MS);
      spinner.start();
    },
    stop() {
      clearInterval(tick);
      spinner.stop();
    },
  };
}
