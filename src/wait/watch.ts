// Waits for what a single call set going, and shows on stderr how it stands: live on a terminal, a line a change
// elsewhere.

import ora from 'ora';
import type { Operation } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import type { OutputStream, Progress } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { oncePerLine } from '../output/notes.ts';
import { type WaitRequest, pollOnce, waitUntilSettled } from './wait-request.ts';

const silent: Progress = { show: () => undefined, stop: () => undefined };

/**
 * Waits until it has settled, time is up, or the user stops it; returns the last state. `isAccepted` where a change was
 * made for it.
 */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
  isAccepted = false,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { stderr, monotonic, signal } = runtime;
  const { quiet, accessible } = settings;
  // The line is drawn in place where that can be done and is wanted.
  const live = quiet || accessible ? undefined : await runtime.liveProgress();
  const progress = live ?? (quiet ? silent : lineProgress(stderr));
  const changesIn = changeLines(operation, accessible);
  // A remark about a post is as true at the next poll.
  const noting = { ...callContext, runtime: { ...runtime, note: oncePerLine(runtime.note) } };
  const start = monotonic();
  let resumeActivity: (() => void) | undefined;
  let standingNow = 'waiting';
  const line = () =>
    standingLine(standingNow, monotonic() - start, request.waiting.timeoutMs, stderr.columns);
  try {
    return await waitUntilSettled(noting, request, {
      signal,
      isAccepted,
      poll: (own) => pollOnce(noting, request.input, own),
      onPoll({ data }, { standing }) {
        standingNow = standing;
        const changes = changesIn(data, monotonic() - start);
        if (!quiet && changes.length > 0) void stderr.write(`${changes.join('\n')}\n`);
        if (live !== undefined) resumeActivity ??= callContext.activity?.suspend();
        progress.show(line);
      },
    });
  } finally {
    progress.stop();
    resumeActivity?.();
  }
}

const SECOND_MS = 1000;
/** How often the line is written where nothing can be drawn in place. */
const LINE_EVERY_MS = 30_000;
/** The width of the sign before the line. */
const SIGN = 2;

/** Gives a line for each status that is new since the call before. */
export function changeLines({ wait }: Operation, accessible: boolean) {
  // An arrow is not read aloud.
  const arrow = accessible ? ', now ' : ' → ';
  let before: ReadonlyMap<string, string> = new Map();
  return (data: unknown, elapsedMs: number): readonly string[] => {
    const states = wait!.statesOf(data);
    const changed = [...states].filter(([name, status]) => before.get(name) !== status);
    const lines = changed.map(([name, status]) => {
      const was = before.has(name) ? `${before.get(name)!}${arrow}` : '';
      return sanitizeLine(`+${Math.round(elapsedMs / SECOND_MS)}s ${name} ${was}${status}`);
    });
    before = states;
    return lines;
  };
}

/** `1 of 2 targets finished; timeout in 9m 57s; 3s elapsed`; the last of it only where it does not make the line wrap. */
export function standingLine(
  standing: string,
  elapsedMs: number,
  timeoutMs: number,
  columns = Infinity,
): string {
  const short = sanitizeLine(
    `${standing}; timeout in ${formatDuration(Math.ceil(Math.max(0, timeoutMs - elapsedMs) / SECOND_MS) * SECOND_MS)}`,
  );
  const elapsed = formatDuration(Math.floor(elapsedMs / SECOND_MS) * SECOND_MS);
  const whole = `${short}; ${elapsed} elapsed`;
  return whole.length + SIGN < columns ? whole : short;
}

/** Writes the line now and then; for pipes, logs and screen readers. */
export function lineProgress(stderr: OutputStream, everyMs = LINE_EVERY_MS): Progress {
  let line: (() => string) | undefined;
  const timer = setInterval(() => {
    if (line !== undefined) void stderr.write(`${line()}\n`);
  }, everyMs);
  timer.unref();
  return { show: (next) => void (line = next), stop: () => clearInterval(timer) };
}

/**
 * Draws the line again in place, once a second, below whatever else is written. `stream` must be a terminal with a
 * known width: ora spins for ever on one without.
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
