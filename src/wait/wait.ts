// The wait after a call: polls until the targets of a post, or a Telegram pairing, are done, and makes the failure of a
// wait that ends otherwise. Shared by a single call, which shows it on stderr, and each record of a batch.

import {
  type WaitSubject,
  type Input,
  isChange,
  type Operation,
  pollInput,
  type PollTime,
  polledId,
  type WaitVerdict,
} from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { onAbort, startTimeout } from '../base/abort.ts';
import { formatDuration } from '../base/durations.ts';
import { afterAccepted, asFailure, Failure, isSignal } from '../base/errors.ts';
import { idsOf } from '../base/http.ts';
import { statusTone } from '../api/schema/rules.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { type CommandLine, labelledLine, type SocialCommand, socialLine } from '../base/shell.ts';
import type { Session, CallOutcome, WaitOptions } from '../client/session.ts';
import { callOperation } from '../client/call-operation.ts';
import { hostOf } from '../client/open-client.ts';
import { type Result, subjectOf } from '../client/read-response.ts';
import { type Colors, colorsFor } from '../output/color.ts';
import { showProgress } from '../output/progress.ts';
import { clockOf } from '../output/write-result.ts';

export interface WaitRequest extends WaitSubject {
  readonly input: Input;
  readonly waiting: WaitOptions;
  /** The response of the call, used as the first poll. */
  readonly first?: Result | undefined;
  /** True if the service has accepted the change that is waited for. */
  readonly isAccepted?: boolean;
  /** The start of the wait by the monotonic clock, if its first poll was made before. */
  readonly startedAt?: number | undefined;
}

const SECOND_MS = 1000;

/**
 * Waits until the result is final, the timeout, or Ctrl-C; returns the last state. Shows the state on stderr: a progress
 * line, and above it a line for each change.
 */
export async function watchWait(session: Session, request: WaitRequest): Promise<CallOutcome> {
  const { operation, settings, runtime, service } = session;
  const { stderr, monotonic, signal } = runtime;
  const { quiet, accessible } = settings;
  const { timeoutMs } = request.waiting;
  const start = monotonic();
  let standingNow = `waiting for ${hostOf(service)}`;
  const progress = showProgress(
    { parts: () => waitParts(standingNow, monotonic() - start, timeoutMs) },
    settings,
    runtime,
  );
  const colors = colorsFor(stderr, settings, runtime);
  const changesIn = changeLines(operation, request.wanted, { accessible, colors });
  const onPoll: PollOptions['onPoll'] = ({ data }, { standing }) => {
    standingNow = standing;
    const changes = changesIn(data, monotonic() - start);
    if (!quiet && changes.length > 0) void stderr.write(`${changes.join('\n')}\n`);
    progress.redraw();
  };
  try {
    return await waitForEnd(session, request, { signal, onPoll });
  } finally {
    progress.stop();
  }
}

/** Formats `1 of 2 targets finished; timeout in 9m 57s; 3s elapsed` in parts. */
function waitParts(standing: string, elapsedMs: number, timeoutMs: number): readonly string[] {
  const elapsed = Math.floor(elapsedMs / SECOND_MS) * SECOND_MS;
  const left = formatDuration(Math.max(0, timeoutMs - elapsed));
  return [`${standing}; timeout in ${left}`, `; ${formatDuration(elapsed)} elapsed`];
}

/** Makes a function that returns a line for each wanted status that changed since its last call, in columns. */
function changeLines(
  { wait }: Operation,
  wanted: readonly string[] | undefined,
  { accessible, colors }: { readonly accessible: boolean; readonly colors: Colors },
) {
  const isWanted = (name: string) => wanted?.includes(name.split(' ').at(-1)!) ?? true;
  // Screen readers do not read an arrow.
  const arrow = accessible ? ', now ' : ' → ';
  let before: ReadonlyMap<string, string> = new Map();
  return (data: unknown, elapsedMs: number): readonly string[] => {
    const states = new Map([...wait!.statesOf(data)].filter(([name]) => isWanted(name)));
    const width = accessible ? 0 : Math.max(...[...states.keys()].map(({ length }) => length));
    const changed = [...states].filter(([name, status]) => before.get(name) !== status);
    const lines = changed.map(([name, status]) => {
      const was = before.has(name) ? `${before.get(name)!}${arrow}` : '';
      const start = `+${Math.round(elapsedMs / SECOND_MS)}s ${name.padEnd(width)} ${was}`;
      return sanitizeLine(start) + colors[statusTone(status)](sanitizeLine(status));
    });
    before = states;
    return lines;
  };
}

interface PollOptions {
  /** Ends the wait when it aborts. */
  readonly signal: AbortSignal;
  /** Called after each poll with a response. */
  onPoll?(result: Result, verdict: WaitVerdict): void;
  /** Makes one poll, which the signal aborts: in a batch after a wait for its turn, by default at once. */
  poll?(signal: AbortSignal): Promise<Result>;
}

/**
 * Waits until the result is final or the timeout: resolves with the last state and the failure, if there is one.
 * Rejects with a `Failure` after a permanent failure of a poll, or if the wait was stopped.
 */
export async function waitForEnd(
  session: Session,
  request: WaitRequest,
  options: PollOptions,
): Promise<CallOutcome> {
  const { operation, runtime } = session;
  const { first, isAccepted = false } = request;
  const { signal, poll = (ending) => pollOnce(session, request.input, ending) } = options;
  /** The last state as a clause, such as `1 of 2 targets finished`; `undefined` before the first response. */
  let standing: string | undefined;
  const onPoll = (result: Result, verdict: WaitVerdict) => {
    if (result === first) warnIfDueAfterTimeout(result, verdict, session, request);
    ({ standing } = verdict);
    for (const remark of verdict.remarks ?? []) runtime.note(remark);
    options.onPoll?.(result, verdict);
  };
  try {
    const end = await pollUntilDone(session, request, { signal, onPoll, poll });
    const { last, pollFailure } = end;
    // A wait that follows no change ends with the failure of its last poll: there is no accepted change to report.
    if (pollFailure !== undefined && !isChange(operation))
      throw pollFailure.with(resumption(session, request, pollFailure.facts.hint));
    const { failure, bad } = waitFailure(end, session, request);
    return { ...last, bad, failure: failure && isAccepted ? afterAccepted(failure) : failure };
  } catch (error) {
    // If the wait was stopped, or is for an accepted change, the failure also says how to resume the wait.
    if (!signal.aborted && (!isAccepted || !(error instanceof Failure))) throw error;
    const failure = signal.aborted
      ? stoppedWaiting(signal.reason, standing, session, request)
      : failureAfterAcceptedChange(error as Failure, session, request);
    throw isAccepted ? afterAccepted(failure) : failure;
  }
}

/** The state with which the polls ended. */
interface WaitEnd {
  /** The last response. */
  readonly last: Result;
  /** The verdict on the last response; its state is still `pending` after the timeout, or if the polls failed. */
  readonly verdict: WaitVerdict;
  /** The failure of the last poll, if the wait gave up before its timeout because of failed polls. */
  readonly pollFailure?: Failure | undefined;
}

/** The factor by which each interval between polls is longer than the one before. */
const GROWTH = 1.25;
/** The longest interval between polls, unless the user sets a longer one. */
const LONGEST_INTERVAL_MS = 15_000;
/** The longest pause after a failed poll, unless the service asks for a longer one. */
const LONGEST_BACKOFF_MS = 60_000;
/** The number of consecutive failed polls that ends a wait. */
const MOST_FAILURES = 10;
/** Each poll gets at least this time, also right before the timeout. */
const LEAST_POLL_MS = 1000;

/**
 * Polls until the verdict is no longer `pending`, or until the timeout; a temporary failure of a poll does not end the
 * wait. Rejects with the failure of a poll if it is permanent or if there is no state to show, and with the reason of
 * the signal.
 */
export async function pollUntilDone(
  session: Session,
  request: WaitRequest,
  { signal, onPoll, poll }: Required<PollOptions>,
): Promise<WaitEnd> {
  const { monotonic, random, sleep } = session.runtime;
  const { intervalMs, timeoutMs } = request.waiting;
  const { startedAt = monotonic() } = request;
  const newest = new Map<string, number>();
  const longestMs = Math.max(intervalMs, LONGEST_INTERVAL_MS);
  let latest: WaitEnd | undefined;
  /** The number of failed polls since the last response. */
  let failures = 0;
  let interval = intervalMs;
  for (let next = request.first; ; next = undefined) {
    const polled: Result | Failure =
      next ?? (await pollInTime(poll, startedAt + timeoutMs - monotonic(), signal));
    const elapsedMs = monotonic() - startedAt;
    const leftMs = timeoutMs - elapsedMs;
    let pauseMs = interval;
    if (polled instanceof Failure) {
      failures++;
      const retryAfterMs = polled.facts.retryAfterMs ?? 0;
      const backoffMs = 1000 * 2 ** failures * (0.5 + random() / 2);
      pauseMs = Math.max(retryAfterMs, Math.min(backoffMs, LONGEST_BACKOFF_MS));
      const givesUp = failures >= MOST_FAILURES || retryAfterMs >= leftMs;
      // Without a state to show, the failed poll ends the wait; so `latest` is set wherever it is returned below.
      if (givesUp && latest === undefined) throw polled;
      // After the timeout, the wait ends because of that, and not because of the failed poll.
      if (givesUp && leftMs > 0) {
        const reason =
          failures >= MOST_FAILURES
            ? `${failures} polls failed in a row`
            : 'the service asks to wait longer than the wait timeout';
        const why = [...(polled.facts.why ?? []), reason];
        return { ...latest!, pollFailure: polled.with({ why }) };
      }
      if (leftMs > 0) session.runtime.note(pollFailed(polled));
    } else {
      failures = 0;
      latest = {
        last: polled,
        verdict: judgePoll(polled, session, request, { elapsedMs, newest }),
      };
      onPoll(polled, latest.verdict);
      if (latest.verdict.state !== 'pending') return latest;
    }
    if (leftMs <= 0) return latest!;
    await sleep(Math.max(1, Math.min(pauseMs, leftMs)), signal);
    interval = Math.min(interval * GROWTH, longestMs);
  }
}

/** Says why a poll gave no state. */
const pollFailed = ({ facts: { status, what } }: Failure): string =>
  `a poll failed (${status === undefined ? what : `HTTP ${status}`}); polling again`;

/** Judges the state `elapsedMs` after the start of the wait. */
function judgePoll(
  { data, serverTime, ageMs }: Result,
  { operation, runtime }: Session,
  request: WaitRequest,
  time: Pick<PollTime, 'elapsedMs' | 'newest'>,
): WaitVerdict {
  const now = serverTime ?? runtime.now();
  const isCached = ageMs !== undefined;
  return operation.wait!.judge(data, request, { ...time, now, serverTime, isCached });
}

/** Makes one poll, limited by the rest of the wait. Resolves with a failure if the next poll may succeed. */
async function pollInTime(
  poll: Required<PollOptions>['poll'],
  leftMs: number,
  signal: AbortSignal,
): Promise<Result | Failure> {
  try {
    return await inTime(leftMs, signal, poll);
  } catch (error) {
    const isTemporary =
      error instanceof Failure && (error.facts.retryable === true || error.kind === 'no_answer');
    if (!isTemporary) throw error;
    return error;
  }
}

/**
 * Runs `work` with a signal that also aborts when the wait is over: a request, a pause and a queue all end with it.
 */
export async function inTime<T>(
  leftMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const ending = new AbortController();
  const forget = onAbort(signal, () => ending.abort(signal.reason));
  const timedOut = new Failure('no_answer', {
    what: 'the wait ended before the service responded',
    sent: true,
    retryable: true,
    timedOut: true,
  });
  const cancel = startTimeout(Math.max(leftMs, LEAST_POLL_MS), () => ending.abort(timedOut));
  try {
    return await work(ending.signal);
  } finally {
    cancel();
    forget();
  }
}

/** Makes one poll without retries: the wait polls again anyway. */
export function pollOnce(session: Session, input: Input, signal: AbortSignal): Promise<Result> {
  const { operation } = session;
  const { poll = operation } = operation.wait!;
  const options = { retries: 0, signal, showsProgress: false } as const;
  return callOperation(session, poll, pollInput(poll, input), options);
}

/** Warns at the start if the result cannot be final before the timeout, such as a post that is scheduled for later. */
function warnIfDueAfterTimeout(
  { serverTime }: Pick<Result, 'serverTime'>,
  { dueAt }: Pick<WaitVerdict, 'dueAt'>,
  { operation, runtime }: Session,
  { input, waiting: { timeoutMs } }: WaitRequest,
): void {
  if (dueAt === undefined) return;
  const left = Date.parse(dueAt) - clockOf(runtime, serverTime);
  if (left <= timeoutMs) return;
  const subject = subjectOf(operation.wait!.poll ?? operation, input);
  const lasts = formatDuration(timeoutMs);
  runtime.note(
    `${subject} is scheduled for ${dueAt} (in ${formatDuration(left)}), but this wait ends after ${lasts}`,
  );
}

/** Makes the failure of a wait, with the failed parts; nothing after a success. */
function waitFailure(
  { last, verdict, pollFailure }: WaitEnd,
  session: Session,
  request: WaitRequest,
): Pick<CallOutcome, 'failure' | 'bad'> {
  const { state, standing, hint, bad = [], result } = verdict;
  if (state === 'done') return {};
  if (state === 'pending') {
    const after = formatDuration(request.waiting.timeoutMs);
    const what = pollFailure === undefined ? `wait timed out after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      why: pollFailure && [
        `last poll: ${pollFailure.facts.what}`,
        ...(pollFailure.facts.why ?? []),
      ],
      ...idsOf(pollFailure),
      ...resumption(session, request),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { adviseAfterWait } = session.hooks;
  const advice = adviseAfterWait?.(last.data, bad, request.input, session);
  const facts = { what: standing, result, hint, ...advice, sent: true, retryable: false };
  return { failure: new Failure('ended_badly', facts), bad };
}

/** Makes the failure of a wait that was stopped before its end: by a signal, or because its batch was stopped. */
function stoppedWaiting(
  reason: unknown,
  standing: string | undefined,
  session: Session,
  request: WaitRequest,
): Failure {
  const why = asFailure(reason);
  const what = standing === undefined ? 'stopped waiting' : `stopped waiting: ${standing}`;
  const failure = isSignal(why.kind) ? why : new Failure('still_pending', { what });
  return failure.with({
    what,
    nothingWas: undefined,
    sent: true,
    retryable: false,
    waitStopped: true,
    ...resumption(session, request, failure.facts.hint),
  });
}

/**
 * Makes the failure of a wait for an accepted change after a permanent failure of a poll. If the poll had no response,
 * the change is `still_pending`; otherwise the failure says that only the wait has failed, so that the user does not
 * send the change again.
 */
function failureAfterAcceptedChange(
  failure: Failure,
  session: Session,
  request: WaitRequest,
): Failure {
  const { kind, facts } = failure;
  // These are faults of this program and this machine: the service has refused nothing.
  if (['internal', 'local_io'].includes(kind)) return failure;
  const { next } = resumption(session, request);
  if (kind === 'no_answer')
    return failure.with({ what: `stopped polling: ${facts.what}`, next }, 'still_pending');
  const why = [...(facts.why ?? []), 'the change was accepted; only the wait for it failed'];
  if (kind !== 'unauthorized') return failure.with({ why });
  const hint = [facts.hint, labelledLine('then resume', next)].filter(Boolean).join('\n');
  return failure.with({ why, hint });
}

/**
 * Makes the command that waits for these IDs again: a read, because a change would be sent again. An ID
 * that is a credential becomes a placeholder.
 */
export function resumingCommand(
  operation: Operation,
  ids: CommandLine,
  awaited: WaitSubject,
): SocialCommand {
  const { resume, poll = operation } = operation.wait!;
  if (resume !== undefined) return resume(ids, awaited);
  const credential = credentialOf(poll);
  return {
    words: poll.command.split(' '),
    ids: credential === undefined ? ids : [{ gap: `<${credential}>` }],
    flags: poll.wait === undefined ? [] : ['--wait'],
  };
}

/** Returns the placeholder for the ID of an operation if that ID is a credential: `session-id`. */
const credentialOf = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ argument, sensitive }) => argument !== undefined && sensitive)
    ?.placeholder;

/** Makes the command that resumes the wait, with a hint that explains its placeholder. */
function resumption(session: Session, request: WaitRequest, hint?: string) {
  const { operation } = session;
  const ids = [polledId(operation, request.input)];
  const credential = credentialOf(operation);
  const why = credential && `<${credential}> is a credential and is not shown here`;
  return {
    hint: [hint, why].filter(Boolean).join('\n') || undefined,
    next: socialLine(resumingCommand(operation, ids, request), session),
  };
}
