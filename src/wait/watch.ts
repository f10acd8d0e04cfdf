// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import {
  isChange,
  type Operation,
  fieldLocations,
  type Input,
} from '../api/operations/define-operation.ts';
import { isTimestamp } from '../api/schema/rules.ts';
import { formatDuration } from '../base/durations.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { Progress, OutputStream, ProgressView, Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { callOperation } from '../client/call-operation.ts';
import type { Result } from '../client/read-response.ts';
import { retryPolicyFor, retrySpanMs } from '../client/retry.ts';
import { suggestCommand } from '../config/flags.ts';
import { valueAt } from '../output/columns.ts';
import { oncePerLine } from '../output/notes.ts';
import { clockOf } from '../output/write-result.ts';
import { createWaitView } from './live-view.ts';
import { defaultWaitOptions, pairingName, type WaitOptions } from './options.ts';
import {
  judgePairing,
  judgeTargets,
  type WaitVerdict,
  pollUntilSettled,
  type PollResult,
} from './poll.ts';
import { retryAdvice } from './target-advice.ts';
import { targetsOf, type TargetState, unknownStatuses } from '../api/schema/target-states.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';

// What is going on while a command waits, where no view can be drawn in place.

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

export interface WaitRequest {
  readonly input: Input;
  readonly waiting: WaitOptions;
  /** What the call answered; a first look that need not be had again. */
  readonly first?: Result;
  /** The targets as they were before the call. */
  readonly before?: readonly TargetState[] | undefined;
  /** The targets that count; all without it. */
  readonly wanted?: readonly string[] | undefined;
}

/** Stays until it has settled, time is up, or the user has had enough; then the last state of it. */
export async function watchWait(
  callContext: CallContext,
  awaited: WaitRequest,
): Promise<CallOutcome> {
  const { operation, settings, runtime } = callContext;
  const { waiting, input, first } = awaited;
  const poll = operation.wait!.poll ?? operation;
  if (first !== undefined) sayIfTooLate(first, callContext, awaited);
  const live = await liveProgressFor(callContext);
  const progress = live ?? linesFor(callContext);
  const looks = createWaitView(callContext, waiting, poll, live !== undefined);
  const note = oncePerLine(runtime.note);
  const start = runtime.monotonic();
  let shown = Promise.resolve();
  let resumeActivity: (() => void) | undefined;
  let now: ProgressView | undefined;
  const unask = runtime.onQuestion(() => now?.headline() ?? 'waiting');
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll: (signal) =>
          callOperation(
            { ...callContext, runtime: { ...runtime, note, signal } },
            poll,
            only(poll, input),
            { retries: 0 },
          ),
        judge: (seen, elapsedMs) => judge(awaited, callContext, seen, elapsedMs),
        onLook(seen, { standing }) {
          if (live === undefined) sayUnknown(operation, seen.data, note);
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
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, callContext, awaited);
    return { ...last, ...failureOf(polled, callContext, awaited) };
  } catch (error) {
    throw error instanceof Failure && isSignal(error.kind)
      ? stopped(error, callContext, awaited)
      : error;
  } finally {
    unask();
    // What is shown after the end would be drawn for ever.
    await shown;
    progress.stop();
    resumeActivity?.();
  }
}

/** A post that is not due before the wait ends is said at once, not after ten minutes of it. */
function sayIfTooLate(
  { data, serverTime }: Result,
  { operation, runtime }: CallContext,
  { waiting, wanted, input }: WaitRequest,
): void {
  const due = valueAt(data, 'scheduledFor');
  if (operation.wait!.kind !== 'targets' || typeof due !== 'string' || !isTimestamp(due)) return;
  const isCounted = ({ id, status }: TargetState) =>
    status === 'scheduled' && (wanted === undefined || wanted.includes(id));
  const left = Date.parse(due) - clockOf(runtime, serverTime);
  if (left <= waiting.timeoutMs || !targetsOf(data).some(isCounted)) return;
  const lasts = formatDuration(waiting.timeoutMs);
  runtime.note(
    `post ${String(input['postId'])} is scheduled for ${due} (in ${retrySpanMs(left)}), but this wait ends after ${lasts}`,
  );
}

/** The API document shows no other statuses: whoever waits should know why. */
function sayUnknown({ wait }: Operation, data: unknown, note: Runtime['note']): void {
  if (wait!.kind !== 'targets') return;
  for (const status of unknownStatuses(data))
    note(`unknown status ${quote(status)}: waiting on, in case it changes`);
}

/** The fields of an input that a read takes in its path. */
function only(poll: Operation, input: Input): Input {
  return Object.fromEntries(fieldLocations(poll).path.map((name) => [name, input[name]]));
}

function judge(
  { waiting, before, wanted }: WaitRequest,
  { operation: { wait }, runtime }: CallContext,
  seen: Result,
  elapsedMs: number,
): WaitVerdict {
  if (wait!.kind === 'pairing') return judgePairing(seen.data, seen.serverTime ?? runtime.now());
  return judgeTargets(
    seen.data,
    { wanted, goals: waiting.goals, ...(before === undefined ? {} : { before }) },
    elapsedMs,
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
  awaited: WaitRequest,
): { failure?: Failure } {
  const { state, standing, bad = [] } = verdict;
  if (state === 'done') return {};
  if (state === 'pending') {
    const after = formatDuration(awaited.waiting.timeoutMs);
    const what = lost === undefined ? `still waiting after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      ...(lost === undefined
        ? {}
        : { why: [`last poll: ${lost.facts.what}`, ...(lost.facts.why ?? [])] }),
      next: resumeLine(callContext, awaited),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { operation } = callContext;
  const ends = { sent: true, retryable: false } as const;
  if (operation.wait!.kind === 'pairing') {
    const hint = 'what has ended does not come back: start a new pairing at the service';
    return {
      failure: new Failure('ended_badly', {
        what: `${pairingName(operation)} ${standing}`,
        hint,
        ...ends,
      }),
    };
  }
  const advice = retryAdvice(String(awaited.input['postId']), targetsOf(data), bad, callContext);
  return { failure: new Failure('ended_badly', { what: standing, ...advice, ...ends }) };
}

/** A read that was given up changes nothing: it ends as its last look did. */
function gaveUp(lost: Failure, callContext: CallContext, awaited: WaitRequest): Failure {
  const next = resumeLine(callContext, awaited);
  return new Failure(lost.kind, { ...lost.facts, next });
}

function stopped(failure: Failure, callContext: CallContext, awaited: WaitRequest): Failure {
  return new Failure(failure.kind, {
    ...failure.facts,
    what: 'stopped waiting',
    sent: true,
    next: resumeLine(callContext, awaited),
  });
}

/** The command that takes the wait up again. */
function resumeLine(callContext: CallContext, { input, wanted, waiting }: WaitRequest): string {
  const { operation } = callContext;
  // A pairing's id lets in whoever reads it. The command asks for it.
  if (operation.wait!.kind === 'pairing')
    return suggestCommand(`${operation.command} --wait`, callContext);
  const targets = (wanted ?? []).map((id) => ` --target ${id}`).join('');
  const extra = waiting.goals.filter((goal) => !defaultWaitOptions.goals.includes(goal));
  const goals = extra.map((goal) => ` --for ${goal}`).join('');
  return suggestCommand(`posts wait ${String(input['postId'])}${targets}${goals}`, callContext);
}
