// The progress line on stderr for a call, a wait or a batch. It is redrawn in place on a terminal; elsewhere it is
// printed after a silence, when a long pause begins, and every 30 seconds.

import type { Progress, Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';

/** The content of a progress line. */
export interface ProgressView {
  /** The parts of the current line. On a narrow terminal the last ones are dropped. */
  parts(): readonly string[];
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  pausedMs?(): number;
  /** The time of the last change, by the monotonic clock; absent if silence needs no message. */
  lastChange?(): number;
}

export interface ShownProgress {
  /** Redraws the line at once after a change. */
  redraw(): void;
  /** Removes the line. */
  stop(): void;
}

/** The line is first drawn after this time: together with the start of the program, 300 ms after Enter. */
const FIRST_DRAW_MS = 200;
const SECOND_MS = 1000;
/** Without redrawing, a line is printed at this interval, after these silences, and for a pause of this length. */
const LINE_MS = 30_000;
const SILENCES_MS = [10_000, 30_000, 60_000];
const LONG_PAUSE_MS = 5000;
/** Free columns for the sign before the line, and for the ^C of a Ctrl-C after it. */
const RESERVED = 5;

/**
 * Shows the view until it is stopped. Shows nothing with `--quiet`, and draws nothing between the lines of `--debug`.
 */
export function showProgress(
  view: ProgressView,
  settings: { readonly quiet: boolean; readonly accessible: boolean; readonly debug: boolean },
  { stderr, monotonic, liveProgress }: Pick<Runtime, 'stderr' | 'monotonic' | 'liveProgress'>,
): ShownProgress {
  if (settings.quiet) return { redraw: () => undefined, stop: () => undefined };
  const mayDraw = !settings.accessible && !settings.debug;
  let live: Progress | undefined;
  // Lines are printed only once it is known that nothing can be drawn.
  let writes = !mayDraw;
  let isStopped = false;
  let lastLine = monotonic();
  let isPauseSaid = false;

  const drawnLine = () => fittedLine(view.parts(), (stderr.columns ?? 80) - RESERVED);
  const draw = async () => {
    const opened = await liveProgress().catch(() => undefined);
    if (isStopped) return;
    live = opened;
    writes = live === undefined;
    live?.show(drawnLine);
    writeIfDue();
  };
  const writeIfDue = () => {
    if (!writes) return;
    const at = monotonic();
    const pausedMs = view.pausedMs?.() ?? 0;
    // Pauses are checked once a second, so a part of one may have passed.
    const isLong = pausedMs >= LONG_PAUSE_MS - SECOND_MS;
    const isDue =
      (isLong && !isPauseSaid) || isLineDue({ at, lastLine, lastChange: view.lastChange?.() });
    isPauseSaid = pausedMs > 0 && (isPauseSaid || isLong);
    if (!isDue) return;
    lastLine = at;
    void stderr.write(`${fittedLine(view.parts())}\n`);
  };

  const drawing = mayDraw ? setTimeout(() => void draw(), FIRST_DRAW_MS) : undefined;
  const writing = setInterval(writeIfDue, SECOND_MS);
  // A view does not keep the program from ending.
  drawing?.unref();
  writing.unref();
  return {
    redraw() {
      live?.show(drawnLine);
      writeIfDue();
    },
    stop() {
      isStopped = true;
      clearTimeout(drawing);
      clearInterval(writing);
      live?.stop();
    },
  };
}

/** Joins the parts in at most `width` columns; the first one always stays. */
export function fittedLine(parts: readonly string[], width = Infinity): string {
  const texts = parts.map(sanitizeLine);
  while (texts.length > 1 && texts.join('').length > width) texts.pop();
  return texts.join('');
}

/** True if a log gets a line now: 30 s after the last one, and once for each silence since the last change. */
export function isLineDue(times: {
  readonly at: number;
  readonly lastLine: number;
  readonly lastChange: number | undefined;
}): boolean {
  const { at, lastLine, lastChange = at } = times;
  const isSilent = (ms: number) => at - lastChange >= ms && lastLine - lastChange < ms;
  return at - lastLine >= LINE_MS || SILENCES_MS.some(isSilent);
}
