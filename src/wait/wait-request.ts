// What is waited for after a call, the wait itself, and what its end means: the same for a single call and for each
// record of a batch. Shows nothing.

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
import { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { idsOf } from '../base/request-id.ts';
import { shellQuote } from '../base/shell.ts';
import type { CallContext, CallOutcome } from '../client/call-context.ts';
import { callOperation } from '../client/call-operation.ts';
import { type Result, subjectOf } from '../client/read-response.ts';
import { suggestCommand } from '../config/flags.ts';
import { asFailure } from '../output/error-report.ts';
import { clockOf } from '../output/write-result.ts';
import type { WaitOptions } from './options.ts';
import { type PollResult, pollUntilSettled } from './poll.ts';

export interface WaitRequest extends Pick<Awaited, 'wanted' | 'before'> {
  readonly input: Input;
  readonly waiting: WaitOptions;
  /** What the call answered: a first poll that need not be made again. */
  readonly first?: Result | undefined;
}

interface WaitWays {
  /** Makes one poll. */
  poll(signal: AbortSignal): Promise<Result>;
  /** Told after each poll that was answered. */
  onPoll(seen: Result, verdict: WaitVerdict): void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Whether the service has accepted the change whose result is waited for. */
  readonly isAccepted: boolean;
}

/**
 * Waits until it has settled, or time is up: resolves to the last state, with the failure that it ends with. Rejects
 * with a `Failure` where a poll failed for good, and where the wait was stopped.
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
        judge: (seen, elapsedMs) => judgePoll(seen, callContext, request, elapsedMs),
        onPoll(seen, verdict) {
          if (seen === first) sayIfTooLate(seen, verdict, callContext, request);
          ({ standing } = verdict);
          for (const remark of verdict.remarks ?? []) runtime.note(remark);
          onPoll(seen, verdict);
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

/** Why a wait was stopped: by a signal, or because its batch starts nothing more. */
function stopOf(signal: AbortSignal): Failure {
  const why = asFailure(signal.reason);
  if (isSignal(why.kind)) return why;
  return new Failure('still_pending', { what: why.facts.what, retryable: false });
}

const awaitedIn = ({ wanted, before }: WaitRequest): Awaited => ({ wanted, before });

/** One poll of what is waited for. A wait has its own way to try again. */
export function pollOnce(
  callContext: CallContext,
  input: Input,
  signal: AbortSignal,
): Promise<Result> {
  const { operation } = callContext;
  const { poll = operation } = operation.wait!;
  return callOperation(callContext, poll, pollInput(poll, input), { retries: 0, signal });
}

/** How things stand, `elapsedMs` after the wait began. */
function judgePoll(
  { data, serverTime, ageMs }: Result,
  { operation, runtime }: CallContext,
  request: WaitRequest,
  elapsedMs: number,
): WaitVerdict {
  const time = { elapsedMs, now: serverTime ?? runtime.now() };
  const verdict = operation.wait!.judge(data, awaitedIn(request), time);
  // A cache may show how the targets failed before the retry: only the service itself can end a wait badly.
  const isStale = ageMs !== undefined && verdict.state === 'ended_badly';
  return isStale ? { ...verdict, state: 'pending' } : verdict;
}

/** What cannot be done before the wait ends is said at once, not after ten minutes of it. */
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

/** The failure that a wait ends with; nothing after a good end. */
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
    ...hooks.advise?.({ data, input: request.input, bad }, callContext),
    sent: true,
    retryable: false,
  };
  return { failure: new Failure('ended_badly', facts), bad };
}

/** A read that was given up changes nothing: it ends as its last poll did. */
function gaveUp(lost: Failure, callContext: CallContext, request: WaitRequest): Failure {
  return new Failure(lost.kind, {
    ...lost.facts,
    ...resumption(callContext, request, lost.facts.hint),
  });
}

/** The failure of a wait that was stopped before its end. */
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
 * How a wait ends for a change that was accepted, where a poll fails for good. One that says nothing leaves it pending;
 * what is refused is said to be the poll alone, so that nobody makes the change again.
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

/** The command that resumes the wait. */
function resumeWaitLine(callContext: CallContext, request: WaitRequest): string {
  const { operation } = callContext;
  const ids = [shellQuote(polledId(operation, request.input))];
  return suggestCommand(resumeWords(operation, ids, awaitedIn(request)), callContext);
}

/**
 * The command that waits for these ids again, as words: a read, because a change would be made again. A placeholder
 * stands for an ID that is a credential.
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

/** What the ID of an operation is called, where it is a credential: `session-id`. */
const credentialOf = (operation: Operation): string | undefined =>
  fieldsOf(operation).find(({ argument, sensitive }) => argument !== undefined && sensitive)
    ?.placeholder;

/** The command that resumes the wait, and why it has a placeholder in it. */
function resumption(callContext: CallContext, request: WaitRequest, hint?: string) {
  const credential = credentialOf(callContext.operation);
  const why = credential && `<${credential}> is a credential and is not shown here`;
  const hints = [hint, why].filter(Boolean);
  return {
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
    next: resumeWaitLine(callContext, request),
  };
}
