// What is going on while a command waits, as a view on the terminal that stderr is.

import ora from 'ora';
import type { Progress, Standing } from '../world.ts';

const SECOND_MS = 1000;

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
  let seen: Standing | undefined;
  let tick: NodeJS.Timeout | undefined;
  const draw = () => {
    if (seen === undefined) return;
    spinner.text = seen.body === '' ? seen.headline() : `${seen.headline()}\n\n${seen.body}\n`;
  };
  return {
    show(standing) {
      seen = standing;
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
