// The progress line on stderr for a call, a wait or a batch. It is redrawn in place on a terminal; elsewhere it is
// printed after a silence, when a long pause begins, and every 30 seconds.

import stringWidth from 'fast-string-width';
import type { Progress, Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Settings } from '../config/settings.ts';

export interface ProgressView {
  /** The parts of the current line, each with its separator. On a narrow terminal the last ones are dropped. */
  parts(): readonly string[];
  /** Milliseconds left of a pause that the service asked for; 0 without one. */
  pausedMs?(): number;
  /** The time of the last change, by the monotonic clock; absent if silence needs no message. */
  lastChange?(): number;
  /** The lines of a board of at most this size, which is shown in place of the line if there is one. */
  lines?(columns: number, rows: number): readonly string[];
}

export interface ShownProgress {
  /** Redraws the line at once after a change. */
  redraw(): void;
  stop(): void;
}

/** The program takes about 100 ms to start, so the line is first drawn about 300 ms after Enter. */
export const FIRST_DRAW_MS = 200;
const SECOND_MS = 1000;
/** Where the line cannot be redrawn, it is printed at this interval, after these silences, and in a pause this long. */
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
  { quiet, accessible, debug }: Pick<Settings, 'quiet' | 'accessible' | 'debug'>,
  { stderr, monotonic, liveProgress }: Pick<Runtime, 'stderr' | 'monotonic' | 'liveProgress'>,
): ShownProgress {
  let shown: ShownProgress | undefined;
  let isStopped = quiet;
  const startedAt = monotonic();
  const start = async () => {
    const live = accessible || debug ? undefined : await liveProgress().catch(() => undefined);
    if (isStopped) return;
    const line = () => fittedLine(view.parts(), (stderr.columns ?? 80) - RESERVED);
    shown =
      live === undefined
        ? printedProgress(view, startedAt, { stderr, monotonic })
        : { redraw: () => live.show(line), stop: () => live.stop() };
    shown.redraw();
  };
  // The timers of a view do not keep the program alive.
  const starting = setTimeout(() => void start(), FIRST_DRAW_MS).unref();
  return {
    redraw: () => shown?.redraw(),
    stop() {
      isStopped = true;
      clearTimeout(starting);
      shown?.stop();
      shown = undefined;
    },
  };
}

/** A board needs this many columns; in fewer, its place has the line. */
const BOARD_COLUMNS = 60;
/** A board is redrawn at most this often after changes. */
const REDRAW_MS = 250;

/** Returns the place for a board, if the settings and the terminal allow one, and nothing else draws over it. */
export async function openBoard(
  { quiet, accessible, debug }: Pick<Settings, 'quiet' | 'accessible' | 'debug'>,
  { stdout, stderr, liveProgress }: Pick<Runtime, 'stdout' | 'stderr' | 'liveProgress'>,
): Promise<Progress | undefined> {
  const { isTTY, columns = 0 } = stderr;
  const hasPlace = isTTY && columns >= BOARD_COLUMNS && stdout.isPipe !== true;
  if (quiet || accessible || debug || !hasPlace) return undefined;
  return liveProgress('block').catch(() => undefined);
}

/** Shows the board of a view until it is stopped; the last state stays on the screen. */
export function showBoard(
  view: ProgressView & Required<Pick<ProgressView, 'lines'>>,
  board: Progress,
  { stderr }: Pick<Runtime, 'stderr'>,
): ShownProgress {
  const text = () => {
    const { columns = BOARD_COLUMNS, rows = 24 } = stderr;
    if (columns < BOARD_COLUMNS) return fittedLine(view.parts(), columns - RESERVED);
    return view.lines(columns - 1, rows - 2).join('\n');
  };
  const draw = () => board.show(text);
  const starting = setTimeout(draw, FIRST_DRAW_MS).unref();
  const ticking = setInterval(draw, SECOND_MS).unref();
  let due: NodeJS.Timeout | undefined;
  let isStopped = false;
  const drawDue = () => {
    due = undefined;
    draw();
  };
  return {
    redraw: () => void (isStopped || (due ??= setTimeout(drawDue, REDRAW_MS).unref())),
    stop() {
      if (isStopped) return;
      isStopped = true;
      [starting, ticking, due].forEach(clearTimeout);
      draw();
      board.stop();
    },
  };
}

/** Prints a line when it is due, where nothing can be drawn. */
function printedProgress(
  view: ProgressView,
  startedAt: number,
  { stderr, monotonic }: Pick<Runtime, 'stderr' | 'monotonic'>,
): ShownProgress {
  let lastLineAt = startedAt;
  let isPauseShown = false;
  const redraw = () => {
    const at = monotonic();
    const pausedMs = view.pausedMs?.() ?? 0;
    // Pauses are checked once a second, so a part of one may have passed.
    const isLong = pausedMs >= LONG_PAUSE_MS - SECOND_MS;
    const isDue =
      (isLong && !isPauseShown) || isLineDue({ at, lastLineAt, lastChange: view.lastChange?.() });
    isPauseShown = pausedMs > 0 && (isPauseShown || isLong);
    if (!isDue) return;
    lastLineAt = at;
    void stderr.write(`${fittedLine(view.parts())}\n`);
  };
  const timer = setInterval(redraw, SECOND_MS).unref();
  return { redraw, stop: () => clearInterval(timer) };
}

/** One frame a second, so that a long wait uses almost no CPU. */
const framesOf = (...frames: string[]) => ({ interval: SECOND_MS, frames });

/**
 * Makes a line, or a block of lines, that ora draws in place, once a second, below whatever else is written. `stream` must be a terminal with
 * a known width: on one without, ora loops without end.
 */
export async function liveLine(stream: NodeJS.WritableStream): Promise<Progress> {
  const { default: ora } = await import('ora');
  const spinner = ora({
    stream,
    spinner: framesOf('◐', '◓', '◑', '◒'),
    // Colour is ours to decide, and ora does not ask NO_COLOR.
    color: false,
    // Ctrl-C must still send SIGINT, and the cursor must be visible after a stop.
    discardStdin: false,
    hideCursor: false,
  });
  let line: (() => string) | undefined;
  const draw = () => {
    const text = line?.() ?? '';
    const isBlock = text.includes('\n');
    // A block has its own signs, and no spinner before it.
    if (isBlock) spinner.spinner = framesOf('');
    [spinner.prefixText, spinner.text] = isBlock ? [text, ''] : ['', text];
  };
  let tick: NodeJS.Timeout | undefined;
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

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/**
 * Makes a block of lines that is drawn in place on `stream`, each time with one write. Whatever is written to it or to
 * the `other` stream, if that is a terminal too, goes above the block.
 */
export function liveBlock(stream: Terminal, other: Terminal): Progress {
  let drawn: readonly string[] = [];
  /** True while another writer has left a line open: the block would be drawn into it. */
  let isLineOpen = false;
  const hooked = [...new Set([stream, other])].filter(({ isTTY }) => isTTY);
  const writes = hooked.map(({ write }) => write);
  // A window that got narrower has wrapped the lines.
  const rowsOf = (line: string) => Math.max(1, Math.ceil(stringWidth(line) / stream.columns));
  /** Moves to the first line of the block. */
  const toTop = () => {
    const rows = drawn.reduce((sum, line) => sum + rowsOf(line), 0);
    return rows === 0 ? '\r' : `\r\u001b[${rows}A`;
  };
  const block = () => `${drawn.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`;
  for (const [i, target] of hooked.entries())
    target.write = (chunk: string | Uint8Array, ...rest: []) => {
      const above = drawn.length === 0 && isLineOpen ? '' : `${toTop()}\u001b[J`;
      const said = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      isLineOpen = !said.endsWith('\n');
      if (isLineOpen) drawn = [];
      return writes[i]!.call(target, `${above}${said}${drawn.length > 0 ? block() : ''}`, ...rest);
    };
  return {
    show(text) {
      const lines = text().split('\n');
      if (isLineOpen || lines.join('\n') === drawn.join('\n')) return;
      const top = toTop();
      drawn = lines;
      writes[0]!.call(stream, top + block());
    },
    stop() {
      for (const [i, target] of hooked.entries()) target.write = writes[i]!;
    },
  };
}

/** Joins the parts in at most `width` characters; the first one always stays. */
export function fittedLine(parts: readonly string[], width = Infinity): string {
  const texts = parts.map(sanitizeLine);
  while (texts.length > 1 && texts.join('').length > width) texts.pop();
  return texts.join('');
}

/** True if a line has to be printed now: 30 s after the last one, and once for each silence since the last change. */
export function isLineDue(times: {
  readonly at: number;
  readonly lastLineAt: number;
  readonly lastChange: number | undefined;
}): boolean {
  const { at, lastLineAt, lastChange = at } = times;
  const isSilent = (ms: number) => at - lastChange >= ms && lastLineAt - lastChange < ms;
  return at - lastLineAt >= LINE_MS || SILENCES_MS.some(isSilent);
}
