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
import { fieldsOf, isCredential } from '../api/operations/fields.ts';
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
import { subjectOf } from '../client/check-response.ts';
import type { Result } from '../client/read-response.ts';
import { type Colors, colorsFor } from '../output/color.ts';
import { showProgress } from '../output/progress.ts';
import { showsTypedCredential } from '../output/redact.ts';
import { clockOf } from '../output/write-result.ts';
import { retypedWait, USUAL_TIMEOUT_MS } from './options.ts';
import { asSentence, failureWords, leftWords, showPairing, wordsOfStage } from './pairing-view.ts';

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

/** Waits until the result is final, the timeout, or Ctrl-C; returns the last state. Shows the state on stderr. */
export async function watchWait(session: Session, request: WaitRequest): Promise<CallOutcome> {
  const { operation, runtime } = session;
  const id = polledId(operation, request.input);
  const block = operation.wait!.stagesOf && (await showPairing(session, id));
  const view = block ?? showLines(session, request);
  try {
    return await waitForEnd(session, request, { signal: runtime.signal, ...view });
  } finally {
    view.stop();
  }
}

/** Shows a progress line, and above it a line for each change; of a pairing, which has its block, only lines. */
function showLines(
  { operation, settings, runtime, service }: Session,
  { wanted, waiting: { timeoutMs } }: WaitRequest,
) {
  const { stderr, monotonic } = runtime;
  const { quiet, accessible } = settings;
  const isPairing = operation.wait!.stagesOf !== undefined;
  const start = monotonic();
  let standingNow = `waiting for ${hostOf(service)}`;
  let endsOn = Infinity;
  let lastFailure = '';
  let answeredAt = start;
  const left = () => endsOn - monotonic();
  const parts = (): readonly string[] => {
    const usual = waitParts(standingNow, monotonic() - start, timeoutMs);
    if (lastFailure !== '') {
      const since = formatDuration(Math.floor((monotonic() - answeredAt) / SECOND_MS) * SECOND_MS);
      const clause = `no answer for ${since}: ${lastFailure}`;
      return [accessible ? asSentence(clause) : clause];
    }
    if (endsOn === Infinity) return usual;
    const valid = leftWords(left(), accessible);
    return accessible ? [valid] : [standingNow, valid, usual[1]!];
  };
  const how = isPairing ? { ...settings, accessible: true } : settings;
  const progress = showProgress({ parts }, how, runtime);
  const colors = colorsFor(stderr, settings, runtime);
  const changesIn = changeLines(operation, wanted, { accessible, colors });
  const onFailedPoll = (failure: Failure) => {
    const why = failureWords(failure);
    if (why !== lastFailure) say(`no answer: ${why}; trying again`);
    lastFailure = why;
  };
  const say = (text: string) => {
    const line = accessible ? asSentence(text) : `${elapsedSign(monotonic() - start)} ${text}`;
    if (!quiet) void stderr.write(`${line}\n`);
  };
  return {
    onPoll({ data }: Result, { standing, state }: WaitVerdict, ends = Infinity) {
      const isNew = endsOn === Infinity && ends !== Infinity && state === 'pending';
      if (lastFailure !== '') say('the service answers again');
      [standingNow, endsOn, lastFailure, answeredAt] = [standing, ends, '', monotonic()];
      const changes = changesIn(data, monotonic() - start).join('\n');
      // The error says how a pairing has ended.
      let text = isPairing && state === 'ended_badly' ? '' : changes;
      if (isNew) text += (accessible ? '\n' : '') + leftWords(left(), accessible);
      if (!quiet && text !== '') void stderr.write(`${text}\n`);
      progress.redraw();
    },
    onFailedPoll: isPairing ? onFailedPoll : undefined,
    stop: () => progress.stop(),
  };
}

const elapsedSign = (elapsedMs: number): string => `+${Math.round(elapsedMs / SECOND_MS)}s`;

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
    const stages = wait!.stagesOf?.(data);
    const lines = changed.map(([name, status]) => {
      if (stages !== undefined)
        return accessible
          ? asSentence(wordsOfStage(stages))
          : `${elapsedSign(elapsedMs)} ${wordsOfStage(stages)}`;
      const was = before.has(name) ? `${before.get(name)!}${arrow}` : '';
      const start = `${elapsedSign(elapsedMs)} ${name.padEnd(width)} ${was}`;
      return sanitizeLine(start) + colors[statusTone(status)](sanitizeLine(status));
    });
    before = states;
    return lines;
  };
}

interface PollOptions {
  /** Ends the wait when it aborts. */
  readonly signal: AbortSignal;
  /** Called after each poll with a response; `endsOn` is when it ends by itself, by the monotonic clock. */
  onPoll?(result: Result, verdict: WaitVerdict, endsOn?: number): void;
  /** Called after each poll that failed and is repeated. */
  readonly onFailedPoll?: ((failure: Failure, pauseMs: number) => void) | undefined;
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
  const {
    signal,
    onFailedPoll,
    poll = (ending) => pollOnce(session, request.input, ending),
  } = options;
  /** The verdict on the last state; `undefined` before the first response. */
  let latest: WaitVerdict | undefined;
  const onPoll = (result: Result, verdict: WaitVerdict, endsOn?: number) => {
    if (result === first) warnIfDueAfterTimeout(result, verdict, session, request);
    latest = verdict;
    for (const remark of verdict.remarks ?? []) runtime.note(remark);
    options.onPoll?.(result, verdict, endsOn);
  };
  try {
    const end = await pollUntilDone(session, request, { signal, onPoll, onFailedPoll, poll });
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
      ? stoppedWaiting(signal.reason, latest, session, request)
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

/** The longest interval between polls, unless the user sets a longer one. */
const LONGEST_INTERVAL_MS = 15_000;
/**
 * The factor by which each interval is longer than the one before, the longest pause after a failed poll unless the
 * service asks for a longer one, and the number of consecutive failed polls that ends a wait.
 */
const usualPace = { growth: 1.25, longestBackoffMs: 60_000, mostFailures: 10 };
/** These are for a wait beside which a person stands. */
const personPace = { growth: 1, longestBackoffMs: 5000, mostFailures: 60 };
/** So many failed polls end a wait that has not reached the service yet. */
const FEW_FAILURES = 3;
/** Each poll gets at least this time, also right before the timeout. */
const LEAST_POLL_MS = 1000;

/**
 * Polls until the verdict is no longer `pending`, or until the timeout; a temporary failure of a poll does not end the
 * wait. Rejects with the failure of a poll if it is permanent or if there is no state to show, and with the reason of
 * the signal.
 */
async function pollUntilDone(
  session: Session,
  request: WaitRequest,
  { signal, onPoll, onFailedPoll, poll }: PollOptions & Required<Pick<PollOptions, 'poll'>>,
): Promise<WaitEnd> {
  const { everyMs, endsAt } = session.operation.wait!;
  const { mostFailures, longestBackoffMs, growth } = everyMs === undefined ? usualPace : personPace;
  const { monotonic, random, sleep } = session.runtime;
  const { intervalMs, timeoutMs } = request.waiting;
  const { startedAt = monotonic() } = request;
  const newest = new Map<string, number>();
  const longestMs = Math.max(intervalMs, LONGEST_INTERVAL_MS);
  let latest: WaitEnd | undefined;
  /** The number of failed polls since the last response. */
  let failures = 0;
  let interval = intervalMs;
  /**
   * The service's clock minus the monotonic one, which continues it between responses. A `Date` has whole seconds, so the one
   * that is furthest ahead is the best. Without any, this machine's clock stands for it.
   */
  let ahead: number | undefined;
  const serviceNow = () => (ahead === undefined ? session.runtime.now() : ahead + monotonic());
  const endsInMs = () => ((latest && endsAt?.(latest.last.data)) ?? Infinity) - serviceNow();
  const judged = (last: Result): WaitEnd => {
    const time = { elapsedMs: monotonic() - startedAt, newest, now: serviceNow() };
    return { last, verdict: judgePoll(last, session, request, time) };
  };
  /** Judges the last state again, because its time has passed since. */
  const over = () => judged({ ...latest!.last, serverTime: serviceNow() });
  for (let next = request.first; ; next = undefined) {
    const polled: Result | Failure =
      next ??
      (await pollInTime(poll, signal, {
        leftMs: Math.min(startedAt + timeoutMs - monotonic(), endsInMs()),
        // The clock of the service may be up to a second further.
        isOver: () => endsInMs() <= SECOND_MS,
      }));
    const elapsedMs = monotonic() - startedAt;
    const leftMs = timeoutMs - elapsedMs;
    let pauseMs = interval;
    if (polled instanceof Failure) {
      failures++;
      if (endsInMs() <= 0) return over();
      const retryAfterMs = polled.facts.retryAfterMs ?? 0;
      const backoffMs = 1000 * 2 ** failures * (0.5 + random() / 2);
      pauseMs = Math.max(retryAfterMs, Math.min(backoffMs, longestBackoffMs));
      onFailedPoll?.(polled, pauseMs);
      const most = latest === undefined && isElsewhere(polled) ? FEW_FAILURES : mostFailures;
      const givesUp = failures >= most || retryAfterMs >= leftMs;
      // Without a state to show, the failed poll ends the wait; so `latest` is set wherever it is returned below.
      if (givesUp && latest === undefined)
        throw polled.with(resumption(session, request, polled.facts.hint));
      // After the timeout, the wait ends because of that, and not because of the failed poll.
      if (givesUp && leftMs > 0) {
        const reason =
          failures >= mostFailures
            ? `${failures} polls failed in a row`
            : 'the service asks to wait longer than the wait timeout';
        const why = [...(polled.facts.why ?? []), reason];
        return { ...latest!, pollFailure: polled.with({ why }) };
      }
      if (leftMs > 0 && onFailedPoll === undefined) session.runtime.note(pollFailed(polled));
    } else {
      failures = 0;
      const { serverTime } = polled;
      if (serverTime !== undefined) ahead = Math.max(ahead ?? -Infinity, serverTime - monotonic());
      latest = judged(polled);
      onPoll?.(polled, latest.verdict, monotonic() + endsInMs());
      if (latest.verdict.state !== 'pending') return latest;
    }
    if (leftMs <= 0) return latest!;
    await sleep(Math.max(1, Math.min(pauseMs, leftMs, endsInMs())), signal);
    // The end is looked at once more, unless the service has asked for a pause.
    if (failures > 0 && endsInMs() <= 0) return over();
    interval = Math.min(interval * growth, longestMs);
  }
}

/** True if the service was not reached: the address is probably wrong, which no wait mends. */
const isElsewhere = ({ facts: { sent, status = 0 } }: Failure): boolean =>
  sent === false || (status >= 200 && status < 400);

/** Says why a poll gave no state. */
const pollFailed = ({ facts: { status, what } }: Failure): string =>
  `a poll failed (${status === undefined ? what : `HTTP ${status}`}); polling again`;

/** Judges the state `elapsedMs` after the start of the wait. */
function judgePoll(
  { data, serverTime, ageMs }: Result,
  { operation }: Session,
  request: WaitRequest,
  time: Pick<PollTime, 'elapsedMs' | 'newest' | 'now'>,
): WaitVerdict {
  const isCached = ageMs !== undefined;
  return operation.wait!.judge(data, request, { ...time, serverTime, isCached });
}

/** Makes one poll, limited by the rest of the wait. Resolves with a failure if the next poll may succeed. */
async function pollInTime(
  poll: NonNullable<PollOptions['poll']>,
  signal: AbortSignal,
  { leftMs, isOver }: { readonly leftMs: number; isOver(): boolean },
): Promise<Result | Failure> {
  try {
    return await inTime(leftMs, signal, poll);
  } catch (error) {
    const isTemporary =
      error instanceof Failure && (error.facts.retryable === true || error.kind === 'no_answer');
    // A service may forget what has ended.
    const isForgotten = error instanceof Failure && error.kind === 'not_found' && isOver();
    if (!isTemporary && !isForgotten) throw error;
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

const dueInMs = (
  dueAt: string,
  { serverTime }: Pick<Result, 'serverTime'>,
  { runtime }: Session,
): number => Date.parse(dueAt) - clockOf(runtime, serverTime);

/** Warns at the start if the result cannot be final before the timeout, such as a post that is scheduled for later. */
function warnIfDueAfterTimeout(
  last: Pick<Result, 'serverTime'>,
  { dueAt }: Pick<WaitVerdict, 'dueAt'>,
  session: Session,
  { input, waiting: { timeoutMs } }: WaitRequest,
): void {
  const { operation, runtime } = session;
  if (dueAt === undefined) return;
  const left = dueInMs(dueAt, last, session);
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
  const { state, standing, hint, bad = [], result, dueAt } = verdict;
  if (state === 'done') return {};
  if (state === 'pending') {
    const isLater = dueAt !== undefined && dueInMs(dueAt, last, session) > USUAL_TIMEOUT_MS;
    const isOver = pollFailure === undefined;
    const after = formatDuration(request.waiting.timeoutMs);
    const what = isOver ? `wait timed out after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      why: pollFailure && [
        `last poll: ${pollFailure.facts.what}`,
        ...(pollFailure.facts.why ?? []),
      ],
      ...idsOf(pollFailure),
      // A line that waits as long as usual would end like this one.
      ...(isLater
        ? { hint: `wait again from ${dueAt} on` }
        : resumption(session, request, hint, isOver)),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { adviseAfterWait } = session.hooks;
  const advice = adviseAfterWait?.(last, bad, request.input, session);
  const facts = { what: standing, result, hint, ...advice, sent: true, retryable: false };
  return { failure: new Failure('ended_badly', facts), bad };
}

/** Makes the failure of a wait that was stopped before its end: by a signal, or because its batch was stopped. */
function stoppedWaiting(
  reason: unknown,
  latest: WaitVerdict | undefined,
  session: Session,
  request: WaitRequest,
): Failure {
  const why = asFailure(reason);
  const what = latest === undefined ? 'stopped waiting' : `stopped waiting: ${latest.standing}`;
  const failure = isSignal(why.kind) ? why : new Failure('still_pending', { what });
  return failure.with({
    what,
    nothingWas: undefined,
    sent: true,
    retryable: false,
    waitStopped: true,
    ...resumption(session, request, failure.facts.hint ?? latest?.hint),
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
  const hint = [facts.hint, next && labelledLine('then resume', next)].filter(Boolean).join('\n');
  return failure.with({ why, hint });
}

/**
 * Makes the command that waits for these IDs again: a read, because a change would be sent again. Returns `undefined` if
 * the IDs are credentials and may not be shown.
 */
export function resumingCommand(
  operation: Operation,
  ids: CommandLine,
  awaited: WaitSubject,
  showsCredentials = false,
): SocialCommand | undefined {
  const { resume, poll = operation } = operation.wait!;
  if (resume !== undefined) return resume(ids, awaited);
  if (ids.length > 0 && fieldsOf(poll).some(isCredential) && !showsCredentials) return undefined;
  return {
    words: poll.command.split(' '),
    ids,
    flags: poll.wait === undefined ? [] : ['--wait'],
  };
}

/** The sentence in place of a command whose IDs may not be shown. */
export const HIDDEN_IDS =
  'to resume, run the same command again: an ID in it is a credential and is not shown here';

/**
 * Makes the command that resumes the wait; a sentence if it has a credential that may not be shown. After a timeout it has
 * the usual one: the typed one was too short.
 */
export function resumption(
  session: Session,
  request: WaitRequest,
  hint?: string,
  isTimedOut = false,
) {
  const { operation, settings, runtime } = session;
  const ids = [polledId(operation, request.input)];
  const shows = session.isBatch !== true && showsTypedCredential(settings, runtime);
  const command = resumingCommand(operation, ids, request, shows);
  const flags = [...(command?.flags ?? []), ...retypedWait(session.typedFlags ?? {}, isTimedOut)];
  if (command !== undefined) return { hint, next: socialLine({ ...command, flags }, session) };
  return { hint: [hint, HIDDEN_IDS].filter(Boolean).join('\n'), next: undefined };
}
