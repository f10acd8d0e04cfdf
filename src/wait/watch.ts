// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import { isChange, pollInput, polledId, type Input } from '../api/operations/define-operation.ts';
import type { Awaited } from '../api/operations/wait.ts';
import { formatDuration, formatRoughDuration } from '../base/durations.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { Progress, OutputStream, ProgressView } from '../base/runtime.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { callOperation } from '../client/call-operation.ts';
import type { Result } from '../client/read-response.ts';
import { retryPolicyFor } from '../client/retry.ts';
import { suggestCommand } from '../config/flags.ts';
import { oncePerLine } from '../output/notes.ts';
import { clockOf } from '../output/write-result.ts';
import { createWaitView } from './live-view.ts';
import type { WaitOptions } from './options.ts';
import { pollUntilSettled, type PollResult } from './poll.ts';

/** Silences after which it is said how things stand: 10, 30 and 60 seconds after the last line, then every 30. */
const GAPS_MS = [10_000, 20_000, 30_000];

/** A line a change, and one now and then where nothing changes; for pipes, logs and screen readers. */
export function lineProgress(stderr: OutputStream, gapsMs: readonly number[] = GAPS_MS): Progress {
  let seen: ProgressView | undefined;
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

export interface WaitRequest extends Pick<Awaited, 'wanted' | 'before'> {
  readonly input: Input;
  readonly waiting: WaitOptions;
  /** What the call answered; a first look that need not be had again. */
  readonly first?: Result;
}

/** Waits until it has settled, time is up, or the user stops it; returns the last state. */
export async function watchWait(
  callContext: CallContext,
  request: WaitRequest,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { waiting, input, first } = request;
  const { poll = operation, remarks, ...wait } = operation.wait!;
  const awaited = awaitedIn(request);
  if (first !== undefined) sayIfTooLate(first, callContext, request);
  const live = await liveProgressFor(callContext);
  const progress = live ?? linesFor(callContext);
  const looks = createWaitView(callContext, waiting, poll, live !== undefined);
  const note = oncePerLine(runtime.note);
  const start = runtime.monotonic();
  let shown = Promise.resolve();
  let resumeActivity: (() => void) | undefined;
  let now: ProgressView | undefined;
  let standingNow: string | undefined;
  let isStopped = false;
  const unask = runtime.onQuestion(() => now?.headline() ?? 'waiting');
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll: (signal) =>
          callOperation(
            { ...callContext, runtime: { ...runtime, note, signal } },
            poll,
            pollInput(poll, input),
            { retries: 0 },
          ),
        judge: ({ data, serverTime }, elapsedMs) =>
          wait.judge(data, awaited, { elapsedMs, now: serverTime ?? runtime.now() }),
        onLook(seen, { standing }) {
          standingNow = standing;
          if (live === undefined) for (const each of remarks?.(seen.data) ?? []) note(each);
          const view = looks(seen, standing, runtime.monotonic() - start);
          if (live !== undefined) resumeActivity ??= callContext.activity?.suspend();
          shown = shown.then(async () => progress.show((now = await view)));
        },
      },
      first,
      retryPolicyFor(settings, runtime, 0),
      runtime.signal,
    );
    const { last, lost } = polled;
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, callContext, request);
    return { ...last, ...failureOf(polled, callContext, request) };
  } catch (error) {
    isStopped = error instanceof Failure && isSignal(error.kind);
    throw isStopped ? stopped(error as Failure, standingNow, callContext, request) : error;
  } finally {
    unask();
    // What is shown after the end would be drawn for ever.
    await shown;
    progress.stop();
    resumeActivity?.();
    // The last state stays on the screen.
    if (isStopped && live !== undefined && now !== undefined && now.body !== '')
      await runtime.stderr.write(`${now.body}\n\n`);
  }
}

const awaitedIn = ({ waiting: { goals }, wanted, before }: WaitRequest): Awaited => ({
  goals,
  wanted,
  before,
});

/** What cannot be done before the wait ends is said at once, not after ten minutes of it. */
function sayIfTooLate(
  { data, serverTime }: Result,
  { operation, runtime }: CallContext,
  request: WaitRequest,
): void {
  const { timeoutMs } = request.waiting;
  const id = polledId(operation, request.input);
  const due = operation.wait!.notBefore?.(data, awaitedIn(request), id);
  if (due === undefined) return;
  const left = Date.parse(due.at) - clockOf(runtime, serverTime);
  if (left <= timeoutMs) return;
  const lasts = formatDuration(timeoutMs);
  runtime.note(
    `${due.clause} (in ${formatRoughDuration(left)}), but this wait ends after ${lasts}`,
  );
}

/** A view that is drawn in place, where that can be done and somebody looks at it. */
async function liveProgressFor({ settings, runtime }: CallContext): Promise<Progress | undefined> {
  return settings.quiet || settings.accessible ? undefined : runtime.liveProgress();
}

function linesFor({ settings, runtime }: CallContext): Progress {
  const silent = { show: () => undefined, stop: () => undefined };
  return settings.quiet ? silent : lineProgress(runtime.stderr);
}

function failureOf(
  { last: { data }, verdict, lost }: PollResult,
  callContext: CallContext,
  request: WaitRequest,
): { failure?: Failure } {
  const { state, standing, bad = [] } = verdict;
  if (state === 'done') return {};
  if (state === 'pending') {
    const after = formatDuration(request.waiting.timeoutMs);
    const what = lost === undefined ? `wait timed out after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      ...(lost === undefined
        ? {}
        : { why: [`last poll: ${lost.facts.what}`, ...(lost.facts.why ?? [])] }),
      next: resumeLine(callContext, request),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { hooks, operation } = callContext;
  const { subject, hint } = operation.wait!;
  const facts = {
    what: subject === undefined ? standing : `${subject} ${standing}`,
    ...(hint === undefined ? {} : { hint }),
    ...hooks.advise?.({ data, input: request.input, bad }, callContext),
    sent: true,
    retryable: false,
  };
  return { failure: new Failure('ended_badly', facts) };
}

/** A read that was given up changes nothing: it ends as its last look did. */
function gaveUp(lost: Failure, callContext: CallContext, request: WaitRequest): Failure {
  const next = resumeLine(callContext, request);
  return new Failure(lost.kind, { ...lost.facts, next });
}

function stopped(
  failure: Failure,
  standing: string | undefined,
  callContext: CallContext,
  request: WaitRequest,
): Failure {
  return new Failure(failure.kind, {
    ...failure.facts,
    what: standing === undefined ? 'stopped waiting' : `stopped waiting: ${standing}`,
    sent: true,
    next: resumeLine(callContext, request),
  });
}

/** The command that resumes the wait. */
function resumeLine(callContext: CallContext, request: WaitRequest): string {
  const { operation } = callContext;
  const id = polledId(operation, request.input);
  const words = operation.wait!.resume?.([id], awaitedIn(request)) ?? `${operation.command} --wait`;
  return suggestCommand(words, callContext);
}
