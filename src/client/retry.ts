// Repeats an attempt where that can help and cannot do the thing twice. Whether it may is decided where
// the failure is made (`retryable`); here is only how often, and how long to wait in between.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { formatRoughDuration } from '../base/durations.ts';
import { afterSending, Failure, internalFailure, isSignal } from '../base/errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../base/http.ts';
import { type ResponseReader, readResponse, type Result } from './read-response.ts';

export interface RetryPolicy {
  /** Further attempts after the first. */
  readonly retries: number;
  /** Milliseconds for all attempts and the waits between them, by the monotonic clock. */
  readonly totalMs: number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The longest wait that the service may ask for, in milliseconds; a minute unless told. */
  readonly mostAskedMs?: number;
  /** Waited for before each attempt; where it rejects there is none. */
  turn?(): Promise<void> | undefined;
  /** Told once for each turn how the attempt ended; `false` when there must not be another. */
  ended?(failure: Failure | undefined, tries: number): boolean;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
const MAX_ASKED_MS = 60_000;

/** One thing to try, in parts, so that an attempt that succeeds takes one promise. */
export interface RetryState<Answer, Outcome> {
  send(): Promise<Answer>;
  /** What an answer means. May throw a `Failure`. */
  read(answer: Answer): Outcome;
  /** What it means that there is no answer. */
  lost(error: unknown): unknown;
}

/** Makes an attempt until it succeeds, fails for good, or patience ends. The last failure is thrown. */
export function nextAttempt<Answer, Outcome>(
  attempt: RetryState<Answer, Outcome>,
  retryPolicy: RetryPolicy,
  signal: AbortSignal,
): Promise<Outcome> {
  const start = retryPolicy.monotonic();
  /** An attempt that may have done it: whatever a later one says, that stays. */
  let unsure: Failure | undefined;
  const from = (tries: number, last: Failure | undefined): Promise<Outcome> => {
    const turn = retryPolicy.turn?.();
    if (turn === undefined) return attempted(tries);
    return turn.then(
      () => attempted(tries),
      (reason: unknown) => {
        throw last === undefined ? reason : afterAttempts(reason, unsure ?? last);
      },
    );
  };
  const attempted = (tries: number): Promise<Outcome> =>
    attempt.send().then(
      (answer) => {
        let outcome: Outcome;
        try {
          outcome = attempt.read(answer);
        } catch (error) {
          return again(error, tries);
        }
        retryPolicy.ended?.(undefined, tries);
        return outcome;
      },
      (error: unknown) => again(attempt.lost(error), tries),
    );
  const again = async (error: unknown, tries: number): Promise<Outcome> => {
    const last = error instanceof Failure ? error : undefined;
    const allowed = retryPolicy.ended?.(last, tries) ?? true;
    if (last === undefined) throw error;
    if (last.kind === 'outcome_unknown') unsure = last;
    const wait = delayMs(last, tries, retryPolicy);
    const left = start + retryPolicy.totalMs - retryPolicy.monotonic();
    const isLast = tries > Math.min(retryPolicy.retries, last.facts.mostRetries ?? Infinity);
    if (!allowed || isLast || wait === undefined || wait >= left)
      throw stillUnsure(told(last, tries, isLast ? Infinity : left), unsure);
    try {
      await retryPolicy.sleep(wait, signal);
    } catch (reason) {
      throw afterAttempts(reason, unsure ?? last);
    }
    return from(tries + 1, last);
  };
  return from(1, undefined);
}

/** A failure after an attempt that may have done it: nobody knows the outcome, whatever this one says. */
function stillUnsure(last: Failure, unsure: Failure | undefined): Failure {
  if (unsure === undefined || last.kind === 'outcome_unknown') return last;
  if (isSignal(last.kind)) return afterAttempts(last, unsure) as Failure;
  const { attempts, why = [], what } = last.facts;
  return new Failure('outcome_unknown', {
    ...unsure.facts,
    ...(attempts === undefined ? {} : { attempts }),
    why: [...(unsure.facts.why ?? []), `then: ${what}`, ...why],
    retryable: false,
  });
}

/** Who is interrupted between two attempts may have sent something; what a lost change has done nobody knows. */
function afterAttempts(reason: unknown, { kind, facts }: Failure): unknown {
  if (facts.sent !== true) return reason;
  return afterSending(reason, { outcome: kind === 'outcome_unknown' ? 'unknown' : 'none' });
}

/** Full jitter over a growing span, never under what the service asked for; nothing when it must not be. */
function delayMs(
  failure: Failure,
  tries: number,
  { random, mostAskedMs = MAX_ASKED_MS }: RetryPolicy,
): number | undefined {
  const { retryable, retryAfterMs: asked = 0 } = failure.facts;
  if (retryable !== true || asked > mostAskedMs) return undefined;
  return asked + random() * Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
}

/** The same failure, with how often it was tried, and what the service asks for; `leftMs` of patience were left. */
function told(failure: Failure, tries: number, leftMs: number): Failure {
  const { facts, kind } = failure;
  if (isSignal(kind)) return failure;
  const attempts = tries;
  if (tries === 1 && kind !== 'rate_limited') return new Failure(kind, { ...facts, attempts });
  const more = kind === 'rate_limited' ? pressed(failure, tries, leftMs) : `tried ${tries} times`;
  return new Failure(kind, { ...facts, attempts, why: [...(facts.why ?? []), more] });
}

function pressed({ facts }: Failure, tries: number, leftMs: number): string {
  const { status, retryAfterMs: asked = 0 } = facts;
  const waited = tries === 1 ? '' : `; waited ${tries - 1} time${tries === 2 ? '' : 's'}`;
  const state = `${status === 503 ? 'service unavailable' : 'rate limited'}${waited}`;
  if (asked === 0) return state;
  if (leftMs < Infinity && (asked > MAX_ASKED_MS || asked >= leftMs))
    return `${state}; the service asks to wait ${formatRoughDuration(asked)}; giving up now`;
  return `${state}, next possible in ${formatRoughDuration(asked)}`;
}

interface Sending {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** How an answer becomes a result; `readResponse` where nothing is said. */
  readonly read?: ResponseReader | undefined;
}

// The atom: one operation, called once. Everything that repeats or maps it is built on this.

/**
 * Sends the request of an operation and reads the answer, repeating where that is safe.
 * Throws a `Failure`; when a change may have happened that is `outcome_unknown`.
 */
export function sendWithRetry(
  operation: Operation,
  request: HttpRequest,
  retryPolicy: RetryPolicy,
  { send, signal, read = readResponse }: Sending,
): Promise<Result> {
  const attempt: Calls = {
    send: () => send(request, signal),
    read: (response) => readSafely(operation, response, read),
    lost: (error) => weighed(operation, error),
  };
  return nextAttempt(
    operation.method === 'DELETE' ? takingAway(attempt) : attempt,
    retryPolicy,
    signal,
  );
}

/** An answer has come: a fault of our own in reading it does not mean that nothing was done. */
function readSafely(operation: Operation, response: HttpResponse, read: ResponseReader): Result {
  try {
    return read(operation, response);
  } catch (error) {
    if (error instanceof Failure) throw identified(error, response);
    const { facts } = internalFailure(error);
    const change = isChange(operation);
    throw new Failure('internal', {
      ...facts,
      ...(change ? { why: ['the service answered; the change may have been applied'] } : {}),
      sent: true,
      outcome: change ? 'unknown' : 'none',
      retryable: false,
    });
  }
}

/** Headers in which services name a request, the most usual first. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid'];

/** The same failure with the service's own name for the request. */
function identified(error: Failure, { headers }: HttpResponse): Failure {
  const name = REQUEST_ID_HEADERS.find((each) => headers[each]);
  if (name === undefined) return error;
  return new Failure(error.kind, { ...error.facts, requestId: headers[name]! });
}

type Calls = RetryState<HttpResponse, Result>;

/** What was to be taken away is not there: after an attempt whose answer was lost, that attempt did it. */
function takingAway({ send, read, lost }: Calls): Calls {
  let mayBeDone = false;
  const noted = (error: unknown): unknown => {
    mayBeDone ||= error instanceof Failure && error.kind === 'outcome_unknown';
    return error;
  };
  return {
    send,
    read(response) {
      try {
        return read(response);
      } catch (error) {
        if (mayBeDone && error instanceof Failure && error.kind === 'not_found') return gone;
        throw noted(error);
      }
    },
    lost: (error) => noted(lost(error)),
  };
}

const gone: Result = {
  data: undefined,
  warnings: ['already gone: an earlier attempt, whose answer was lost, must have done it'],
};

/** A lost answer means more for a change than for a read, and more when the request had left. */
function weighed(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { facts, kind } = error;
  if (kind !== 'no_answer' || facts.sent !== true) return error;
  const retryable = ['GET', 'PUT', 'DELETE'].includes(operation.method);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  // A read of what cannot be read is asked for once more; a change is worth every attempt.
  const { mostRetries: _, ...lost } = facts;
  return new Failure('outcome_unknown', { ...lost, retryable });
}
