// What is shown of a wait after each poll: what is new since the one before, and on a terminal a view drawn in place.

import ora from 'ora';
import type { Operation } from '../api/operations/define-operation.ts';
import { isTimestamp } from '../api/schema/rules.ts';
import { statusTone, type Tone } from '../api/schema/status-tones.ts';
import { formatCountdown, formatTwoUnits } from '../base/durations.ts';
import type { Progress, ProgressView } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { withCauses } from '../client/causes.ts';
import type { Result } from '../client/read-response.ts';
import { toTableView, type TableView } from '../output/columns.ts';
import { MIN_TABLE_WIDTH, toTable } from '../output/format.ts';
import { clockOf, cellContextFor } from '../output/write-result.ts';
import type { WaitOptions } from './options.ts';
import type { CallContext } from '../client/call-context.ts';

const SECOND_MS = 1000;
/** How much of a result is worth watching; a view that does not fit the screen cannot be drawn in place. */
const LIVE_HEADER = 3;
const LIVE_COLUMNS = 4;
const FEW_COLUMNS = 3;
/** Lines of the screen that are not the table's: the headline, which may wrap, and the empty ones around the table. */
const OTHER_LINES = 5;
const DEFAULT_ROWS = 24;
/** The width of the sign before the headline. */
const SIGN = 2;

/** What to show after each look: the whole of it for a live view, and what is new since the look before. */
export function createWaitView(
  { runtime, settings, operation }: CallContext,
  { timeoutMs }: Pick<WaitOptions, 'timeoutMs'>,
  poll: Operation,
  live: boolean,
) {
  let shown: ReadonlyMap<string, string> = new Map();
  return async (seen: Result, standing: string, elapsedMs: number): Promise<ProgressView> => {
    const states = operation.wait!.statesOf(seen.data);
    const at = `+${Math.round(elapsedMs / 1000)}s`;
    const changes = [...states]
      .filter(([name, status]) => shown.get(name) !== status)
      .map(([name, status]) => {
        const was = shown.get(name);
        // An arrow is not read aloud.
        const arrow = settings.accessible ? ', now ' : ' → ';
        return sanitizeLine(`${at} ${name} ${was === undefined ? '' : `${was}${arrow}`}${status}`);
      });
    shown = states;
    const { stderr, monotonic } = runtime;
    const drawn = async () => {
      const reading = await cellContextFor(settings, runtime, seen.serverTime, stderr);
      const width = (stderr.columns ?? 80) - 1;
      const columns = poll.columns.slice(0, width < MIN_TABLE_WIDTH ? FEW_COLUMNS : LIVE_COLUMNS);
      const header = poll.header.slice(0, LIVE_HEADER);
      const layOut = async (view: TableView) =>
        (await toTable(view, width, { ...reading, live: true })).trimEnd();
      const room = Math.max(1, (stderr.rows ?? DEFAULT_ROWS) - OTHER_LINES);
      return fitRows(
        toTableView({ ...poll, header, columns }, withCauses(seen.data)),
        room,
        layOut,
      );
    };
    const body = live ? await drawn() : '';
    const ends = monotonic() + timeoutMs - elapsedMs;
    const clockIsOff = clockOf(runtime, seen.serverTime) - runtime.now();
    const headline = () => {
      const left = expiryOf(operation, seen.data, runtime.now() + clockIsOff);
      const expires = left === undefined ? [] : [`expires in ${formatCountdown(left)}`];
      const parts = [standing, ...expires, `timeout in ${formatCountdown(ends - monotonic())}`];
      const short = sanitizeLine(parts.join('; '));
      const whole = `${short}; ${elapsed(monotonic() - ends + timeoutMs)} elapsed`;
      // A headline that wraps is worth less than one without the time that has passed.
      return whole.length + SIGN < (stderr.columns ?? Infinity) ? whole : short;
    };
    return { headline, body, changes };
  };
}

const elapsed = (ms: number) => formatTwoUnits(Math.floor(ms / SECOND_MS));

/** Milliseconds until it expires; nothing for what does not. */
function expiryOf({ wait }: Operation, data: unknown, now: number): number | undefined {
  const expiresAt = wait!.expiresAt?.(data);
  return typeof expiresAt === 'string' && isTimestamp(expiresAt)
    ? Date.parse(expiresAt) - now
    : undefined;
}

/** What is of interest while it is waited for, first. */
const ORDER: readonly Tone[] = ['bad', 'moving', 'still', 'good'];

/**
 * The table in at most `room` lines. Where it has more, what failed and what moves comes first, and the rest is
 * counted.
 */
export async function fitRows(
  view: TableView,
  room: number,
  layOut: (view: TableView) => Promise<string>,
): Promise<string> {
  let text = await layOut(view);
  const at = view.columns.findIndex(({ path }) => path === 'status');
  if (at < 0 || linesIn(text) <= room) return text;
  const toneOf = (row: readonly unknown[]) => statusTone(String(row[at]), view.columns[at]!.tones);
  const rows = ORDER.flatMap((tone) => view.rows.filter((row) => toneOf(row) === tone));
  let shown = rows.length;
  while (shown > 1 && linesIn(text) > room) {
    const linesOfARow = linesIn(text) / shown;
    shown = Math.max(1, shown - Math.ceil((linesIn(text) - room) / linesOfARow));
    const hidden = rows.slice(shown).map((row) => String(row[at]));
    text = `${await layOut({ ...view, rows: rows.slice(0, shown) })}\n${moreLine(hidden)}`;
  }
  return text;
}

const linesIn = (text: string): number => text.split('\n').length;

/** `… 12 more: 10 published, 2 scheduled`. */
function moreLine(statuses: readonly string[]): string {
  const counts = [...new Set(statuses)].map(
    (status) => `${statuses.filter((each) => each === status).length} ${status}`,
  );
  return sanitizeLine(`… ${statuses.length} more: ${counts.join(', ')}`);
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
  let seen: ProgressView | undefined;
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
