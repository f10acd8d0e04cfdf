// A line that is drawn in place by ora, once a second, below whatever else is written.

import ora from 'ora';
import type { Progress } from '../base/runtime.ts';

const SECOND_MS = 1000;

/** `stream` must be a terminal with a known width: ora spins for ever on one without. */
export function liveLine(stream: NodeJS.WritableStream, ascii: boolean): Progress {
  const spinner = ora({
    stream,
    // One frame a second, so that a long wait uses almost no CPU.
    spinner: { interval: SECOND_MS, frames: ascii ? ['|', '/', '-', '\\'] : ['◐', '◓', '◑', '◒'] },
    // Colour is ours to decide, and ora does not ask NO_COLOR.
    color: false,
    // Ctrl-C must still send SIGINT, and the cursor must be visible after a stop.
    discardStdin: false,
    hideCursor: false,
  });
  let line: (() => string) | undefined;
  let tick: NodeJS.Timeout | undefined;
  const draw = () => void (line !== undefined && (spinner.text = line()));
  return {
    show(next) {
      line = next;
      draw();
      // Ticks before ora's own timer does, so that each of its frames finds a fresh text.
      tick ??= setInterval(draw, SECOND_MS);
      if (spinner.isSpinning) spinner.render();
      else spinner.start();
    },
    stop() {
      clearInterval(tick);
      spinner.stop();
    },
  };
}
