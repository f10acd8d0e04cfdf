// The wait after a call, and the meaning of its end: shared by a single call and each record of a batch. It prints no
// result.

import {
  type Awaited,
  type Input,
  isChange,
  type Operation,
  pollInput,
  polledId,
  type WaitVerdict,
} from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { formatDuration } from '../base/durations.ts';
import { Failure, isSignal } from '../base/errors.ts';
import { idsOf } from '../base/http.ts';
import { shellQuote, suggestCommand } from '../base/shell.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { callOperation } from '../client/call-operation.ts';
import { type Result, subjectOf } from '../client/read-response.ts';
import { asFailure } from '../output/error-report.ts';
import { clockOf } from '../output/write-result.ts';
import type { WaitOptions } from './options.ts';
import { type PollResult, pollUntilSettled } from './poll.ts';

export interface WaitRequest extends Pick<Awaited, 'wanted' | 'before'> {
  readonly input: Input;
  readonly waiting: WaitOptions;
  /** The response of the call, used as the first poll. */
  readonly first?: Result | undefined;
}

interface WaitWays {
  poll(signal: AbortSignal): Promise<Result>;
  /** Called after each poll with a response. */
  onPoll(result: Result, verdict: WaitVerdict): void;
  readonly signal: AbortSignal;
  /** True if the service has accepted the change that is waited for. */
  readonly isAccepted: boolean;
}

/**
 * Waits until the result is final or the timeout: resolves with the last state and the failure, if there is one.
 * Rejects with a `Failure` after a permanent failure of a poll, or if the wait was stopped.
 */
export async function waitUntilSettled(
  callContext: CallContext,
  request: WaitRequest,
  { poll, onPoll, signal, isAccepted }: WaitWays,
): Promise<CallOutcome> {
  const { operation, runtime } = callContext;
  const { waiting, first } = request;
  let standing: string | undefined;
  try {
    const polled = await pollUntilSettled(
      {
        ...waiting,
        poll,
        judge: (result, elapsedMs) => judgePoll(result, callContext, request, elapsedMs),
        onPoll(result, verdict) {
          if (result === first) sayIfTooLate(result, verdict, callContext, request);
          ({ standing } = verdict);
          for (const remark of verdict.remarks ?? []) runtime.note(remark);
          onPoll(result, verdict);
        },
      },
      first,
      runtime,
      signal,
    );
    const { last, lost } = polled;
    if (lost !== undefined && !isChange(operation)) throw gaveUp(lost, callContext, request);
    return { ...last, ...waitFailure(polled, callContext, request) };
  } catch (error) {
    if (signal.aborted) throw stoppedWaiting(stopOf(signal), standing, callContext, request);
    if (!isAccepted || !(error instanceof Failure)) throw error;
    throw failureAfterAcceptedChange(error, callContext, request);
  }
}

/** Returns why a wait was stopped: by a signal, or because its batch was stopped. */
function stopOf(signal: AbortSignal): Failure {
  const why = asFailure(signal.reason);
  if (isSignal(why.kind)) return why;
  return new Failure('still_pending', { what: why.facts.what, retryable: false });
}

const awaitedIn = ({ wanted, before }: WaitRequest): Awaited => ({ wanted, before });

/** Makes one poll without retries: the wait polls again anyway. */
export function pollOnce(
  callContext: CallContext,
  input: Input,
  signal: AbortSignal,
): Promise<Result> {
  const { operation } = callContext;
  const { poll = operation } = operation.wait!;
  return callOperation(callContext, poll, pollInput(poll, input), { retries: 0, signal });
}

/** Judges the state `elapsedMs` after the start of the wait. */
function judgePoll(
  { data, serverTime, ageMs }: Result,
  { operation, runtime }: CallContext,
  request: WaitRequest,
  elapsedMs: number,
): WaitVerdict {
  const time = { elapsedMs, now: serverTime ?? runtime.now() };
  const verdict = operation.wait!.judge(data, awaitedIn(request), time);
  // A cached response may show the targets as they failed before the retry, so it cannot end the wait with a failure.
  const isStale = ageMs !== undefined && verdict.state === 'ended_badly';
  return isStale ? { ...verdict, state: 'pending' } : verdict;
}

/** Warns at the start if the result cannot be final before the timeout, such as a post that is scheduled for later. */
export function sayIfTooLate(
  { serverTime }: Pick<Result, 'serverTime'>,
  { dueAt }: Pick<WaitVerdict, 'dueAt'>,
  { operation, runtime }: CallContext,
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

/** Makes the failure of a wait; `undefined` after a success. */
export function waitFailure(
  {
    last: { data },
    verdict,
    lost,
  }: Pick<PollResult, 'verdict' | 'lost'> & {
    readonly last: Pick<Result, 'data'>;
  },
  callContext: CallContext,
  request: WaitRequest,
): Pick<CallOutcome, 'failure' | 'bad'> {
  const { state, standing, hint, bad = [] } = verdict;
  if (state === 'done') return {};
  if (state === 'pending') {
    const after = formatDuration(request.waiting.timeoutMs);
    const what = lost === undefined ? `wait timed out after ${after}` : 'stopped polling';
    const facts = {
      what: `${what}: ${standing}`,
      ...(lost === undefined
        ? {}
        : { why: [`last poll: ${lost.facts.what}`, ...(lost.facts.why ?? [])], ...idsOf(lost) }),
      ...resumption(callContext, request),
      sent: true,
      retryable: false,
    };
    return { failure: new Failure('still_pending', facts) };
  }
  const { hooks } = callContext;
  const facts = {
    what: standing,
    ...(hint === undefined ? {} : { hint }),
    ...hooks.advise?.afterWait({ data, input: request.input, bad }, callContext),
    sent: true,
    retryable: false,
  };
  return { failure: new Failure('ended_badly', facts), bad };
}

/**
 * Makes the failure of a wait whose polls failed. A wait for a read ends as its last poll did, because it changes
 * nothing.
 */
function gaveUp(lost: Failure, callContext: CallContext, request: WaitRequest): Failure {
  return new Failure(lost.kind, {
    ...lost.facts,
    ...resumption(callContext, request, lost.facts.hint),
  });
}

/** Makes the failure of a wait that was stopped before its end. */
export function stoppedWaiting(
  failure: Failure,
  standing: string | undefined,
  callContext: CallContext,
  request: WaitRequest,
): Failure {
  return new Failure(failure.kind, {
    ...failure.facts,
    what: standing === undefined ? 'stopped waiting' : `stopped waiting: ${standing}`,
    sent: true,
    isWaiting: true,
    ...resumption(callContext, request, failure.facts.hint),
  });
}

/**
 * Makes the failure of a wait for an accepted change after a permanent failure of a poll. Without a response the wait
 * becomes `still_pending`; otherwise the failure says that only the poll was refused, so that the change is not sent
 * again.
 */
function failureAfterAcceptedChange(
  failure: Failure,
  callContext: CallContext,
  request: WaitRequest,
): Failure {
  const { kind, facts } = failure;
  if (['internal', 'local_io'].includes(kind)) return failure;
  const next = resumeWaitLine(callContext, request);
  if (kind === 'no_answer')
    return new Failure('still_pending', { ...facts, what: `stopped polling: ${facts.what}`, next });
  const why = [...(facts.why ?? []), ONLY_THE_WAIT];
  if (kind !== 'unauthorized') return new Failure(kind, { ...facts, why });
  const hint = [...(facts.hint === undefined ? [] : [facts.hint]), `then resume: ${next}`];
  return new Failure(kind, { ...facts, why, hint: hint.join('\n') });
}

const ONLY_THE_WAIT = 'the change was accepted; only the wait for it failed';

function resumeWaitLine(callContext: CallContext, request: WaitRequest): string {
  const { operation } = callContext;
  const ids = [shellQuote(polledId(operation, request.input))];
  return suggestCommand(resumeWords(operation, ids, awaitedIn(request)), callContext);
}

/**
 * Makes the words of the command that waits for these IDs again: a read, because a change would be sent again. An ID
 * that is a credential becomes a placeholder.
 */
export function resumeWords(
  operation: Operation,
  ids: readonly string[],
  awaited: Awaited,
): string {
  const { resume, poll = operation } = operation.wait!;
  if (resume !== undefined) return resume(ids, awaited);
  const credential = credentialOf(poll);
  const named = credential === undefined ? ids.join(' ') : `<${credential}>`;
  return `${poll.command} ${named}${poll.wait === undefined ? '' : ' --wait'}`;
}

/** Returns the placeholder for the ID of an operation if that ID is a credential: `session-id`. */
const credentialOf = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ argument, sensitive }) => argument !== undefined && sensitive)
    ?.placeholder;

/** Makes the command that resumes the wait, with a hint that explains its placeholder. */
function resumption(callContext: CallContext, request: WaitRequest, hint?: string) {
  const credential = credentialOf(callContext.operation);
  const why = credential && `<${credential}> is a credential and is not shown here`;
  const hints = [hint, why].filter(Boolean);
  return {
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
    next: resumeWaitLine(callContext, request),
  };
}
