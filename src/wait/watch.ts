// Waits for what a call set going, and shows on stderr how it stands: live on a terminal, a line a change elsewhere.

import {
  isChange,
  type Operation,
  placesOf,
  type Input,
} from '../api/operations/define-operation.ts';
import { isTimestamp } from '../api/schema/rules.ts';
import { showDuration } from '../base/durations.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { Progress, Sink, Standing } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { call, patienceOf } from '../client/call-operation.ts';
import type { Result } from '../client/read-response.ts';
import { span } from '../client/retry.ts';
import { again } from '../config/flags.ts';
import { valueAt } from '../output/columns.ts';
import { eachOnce } from '../output/notes.ts';
import { clockOf } from '../output/write-result.ts';
import { viewOf } from './live-view.ts';
import { defaultWaiting, pairingName, type Waiting } from './options.ts';
import { judgePairing, judgeTargets, type Verdict, waitUntilSettled } from './poll.ts';
import { retryAdvice } from './target-advice.ts';
import { targetsOf, type TargetState, unknownStatuses } from '../api/schema/target-states.ts';
import type { Calling, Ended } from '../client/call-context.ts';

// What is going on while a command waits, where no view can be drawn in place.

/** Silences after which it is said how things stand: 10, 30 and 60 seconds after the last line, then every 30. */
const GAPS_MS = [10_000, 20_000, 30_000];

/** A line a change, and one now and then where nothing changes; for pipes, logs and screen readers. */
export function lineProgress(stderr: Sink, gapsMs: readonly number[] = GAPS_MS): Progress {
  let seen: Standing | undefined;
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

export interface Awaited {
  readonly input: Input;
  readonly waiting: Waiting;
  /** What the call answered; a first look that need not be had again. */
  readonly first?: Result;
  /** The targets as they were before the call. */
  readonly before?: readonly TargetState[];
  /** The targets that count; all without it. */
  readonly wanted?: readonly string[];
}

/** Stays until it has settled, time is up, or the user has had enough; then the last state of it. */
export async function awaitSettled(calling: Calling, awaited: Awaited): Promise<Ended> {
  const { operation, settings, world } = calling;
  const { waiting, input, first } = awaited;
  const poll = operation.wait!.poll ?? operation;
  if (first !== undefined) sayIfTooLate(first, calling, awaited);
  const live = await liveProgressFor(calling);
  const progress = live ?? linesFor(calling);
  const looks = viewOf(calling, waiting, poll, live !== undefined);
  const looking = { ...calling, note: eachOnce(calling.note) };
  const start = world.monotonic();
  let shown = Promise.resolve();
  let resumeActivity: (() => void) | undefined;
  let now: Standing | undefined;
  const unask = world.onQuestion(() => now?.headline() ?? 'waiting');
  try {
    const { last, verdict, lost } = await waitUntilSettled(
      {
        ...waiting,
        poll: (signal) =>
          call({ ...looking, world: { ...world, signal } }, poll, only(poll, input), 0),
        judge: (seen, elapsedMs) => judge(awaited, operation, seen, elapsedMs, world.now()),
        onLook(seen, { standing }) {
          if (live === undefined) sayUnknown(operation, seen.data, looking.note);
          const view = looks(seen, standing, world.monotonic() - start);
          if (live !== undefined) resumeActivity ??= calling.activity?.suspend();
          shown = shown.then(async () => progress.show((now = await view)));
        },
      },
      first,
      patienceOf(settings, world, 0),
      world.signal,
    );
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, calling, awaited);
    return { ...last, ...failureOf(verdict, last.data, calling, awaited, lost) };
  } catch (error) {
    throw error instanceof Failure && isSignal(error.kind)
      ? stopped(error, calling, awaited)
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
  { operation, world, note }: Calling,
  { waiting, wanted, input }: Awaited,
): void {
  const due = valueAt(data, 'scheduledFor');
  if (operation.wait!.kind !== 'targets' || typeof due !== 'string' || !isTimestamp(due)) return;
  const isCounted = ({ id, status }: TargetState) =>
    status === 'scheduled' && (wanted === undefined || wanted.includes(id));
  const left = Date.parse(due) - clockOf(world, serverTime);
  if (left <= waiting.timeoutMs || !targetsOf(data).some(isCounted)) return;
  const lasts = showDuration(waiting.timeoutMs);
  note(
    `post ${String(input['postId'])} is scheduled for ${due} (in ${span(left)}), but this wait ends after ${lasts}`,
  );
}

/** The API document shows no other statuses: whoever waits should know why. */
function sayUnknown({ wait }: Operation, data: unknown, note: Calling['note']): void {
  if (wait!.kind !== 'targets') return;
  for (const status of unknownStatuses(data))
    note(`unknown status ${quote(status)}: waiting on, in case it changes`);
}

/** The fields of an input that a read takes in its path. */
function only(poll: Operation, input: Input): Input {
  return Object.fromEntries(placesOf(poll).path.map((name) => [name, input[name]]));
}

function judge(
  { waiting, before, wanted }: Awaited,
  { wait }: Operation,
  seen: Result,
  elapsedMs: number,
  now: number,
): Verdict {
  if (wait!.kind === 'pairing') return judgePairing(seen.data, seen.serverTime ?? now);
  return judgeTargets(
    seen.data,
    { wanted, goals: waiting.goals, ...(before === undefined ? {} : { before }) },
    elapsedMs,
  );
}

/** A view that is drawn in place, where that can be done and somebody looks at it. */
async function liveProgressFor({ settings, world }: Calling): Promise<Progress | undefined> {
  return settings.quiet || settings.accessible ? undefined : world.liveProgress();
}

function linesFor({ settings, world }: Calling): Progress {
  const silent = { show: () => undefined, stop: () => undefined };
  return settings.quiet ? silent : lineProgress(world.stderr);
}

function failureOf(
  { state, standing, bad = [] }: Verdict,
  data: unknown,
  calling: Calling,
  awaited: Awaited,
  lost: Failure | undefined,
): { failure?: Failure } {
  if (state === 'done') return {};
  if (state === 'pending') {
    const after = showDuration(awaited.waiting.timeoutMs);
    const what = lost === undefined ? `still waiting after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      ...(lost === undefined
        ? {}
        : { why: [`last poll: ${lost.facts.what}`, ...(lost.facts.why ?? [])] }),
      next: resumeLine(calling, awaited),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { operation } = calling;
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
  const advice = retryAdvice(String(awaited.input['postId']), targetsOf(data), bad, calling);
  return { failure: new Failure('ended_badly', { what: standing, ...advice, ...ends }) };
}

/** A read that was given up changes nothing: it ends as its last look did. */
function gaveUp(lost: Failure, calling: Calling, awaited: Awaited): Failure {
  const next = resumeLine(calling, awaited);
  return new Failure(lost.kind, { ...lost.facts, next });
}

function stopped(failure: Failure, calling: Calling, awaited: Awaited): Failure {
  return new Failure(failure.kind, {
    ...failure.facts,
    what: 'stopped waiting',
    sent: true,
    next: resumeLine(calling, awaited),
  });
}

/** The command that takes the wait up again. */
function resumeLine(calling: Calling, { input, wanted, waiting }: Awaited): string {
  const { operation } = calling;
  // A pairing's id lets in whoever reads it. The command asks for it.
  if (operation.wait!.kind === 'pairing') return again(`${operation.command} --wait`, calling);
  const targets = (wanted ?? []).map((id) => ` --target ${id}`).join('');
  const extra = waiting.goals.filter((goal) => !defaultWaiting.goals.includes(goal));
  const goals = extra.map((goal) => ` --for ${goal}`).join('');
  return again(`posts wait ${String(input['postId'])}${targets}${goals}`, calling);
}
