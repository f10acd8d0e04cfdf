// Sends the request of an operation until it has a response: which failures are retried, how often, after which pause
// and for how long, and what a lost response means. `docs/retries.md` explains it.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import { afterSending, Failure, internalFailure, isSignal } from '../base/errors.ts';
import { type HttpRequest, type HttpResponse, identified, type Send } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { isIdempotent, type Result } from './read-response.ts';

export interface RetryPolicy extends Pick<Runtime, 'monotonic' | 'random' | 'sleep'> {
  /** The maximum number of retries. */
  readonly retries: number;
  /** Milliseconds for all attempts and the pauses between them, by the monotonic clock. */
  readonly totalMs: number;
  /** The longest pause that the service may ask for, in milliseconds; one minute by default. */
  readonly mostAskedMs?: number;
  /**
   * Runs the `tries`th attempt: in a batch it waits for its turn first. An attempt that does not start is not counted.
   */
  run<T>(attempt: () => Promise<T>, tries: number): Promise<T>;
  /** True if another attempt is allowed: a batch has a retry budget for all of its calls. */
  mayRetry?(): boolean;
}

/** Receives the progress of the attempts. */
export interface RetryObserver {
  /** Attempt number `attempt` failed; there may be another. */
  failed(failure: Failure, attempt: number): void;
  /** The next attempt starts after `ms` milliseconds. */
  pausing(ms: number): void;
  /** The next attempt starts now. */
  resumed(): void;
}

const atOnce = <T>(attempt: () => Promise<T>): Promise<T> => attempt();

/** Makes the retry policy of a call. */
export function retryPolicyFor(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: Runtime,
  retries: number,
): RetryPolicy {
  return { retries, totalMs: timeoutMs * (retries + 1), monotonic, random, sleep, run: atOnce };
}

interface Sending {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** Turns a response into a result, or throws. */
  read(response: HttpResponse): Result;
  /** Receives attempts and pauses. */
  readonly observer: RetryObserver;
  /** Called before each retry. */
  onRetry(): void;
}

/**
 * Sends the request of an operation and reads the response, retrying where that is safe. Throws a `Failure`; if a
 * change may have been applied it is `outcome_unknown`.
 */
export function sendWithRetry(
  operation: Operation,
  request: HttpRequest,
  retryPolicy: RetryPolicy,
  { send, signal, read, observer, onRetry }: Sending,
): Promise<Result> {
  let mayBeDeleted = false;
  const attempt = async (tries: number): Promise<Result> => {
    if (tries > 1) onRetry();
    try {
      const response = await send(request, signal).catch((error: unknown) => {
        throw classifyNoResponse(operation, error);
      });
      return readSafely(operation, response, read);
    } catch (error) {
      // A 404 after a DELETE whose response was lost: that attempt deleted the resource.
      if (mayBeDeleted && (error as Failure).kind === 'not_found') return GONE;
      mayBeDeleted ||=
        operation.method === 'DELETE' && (error as Failure).kind === 'outcome_unknown';
      throw error;
    }
  };
  return withRetries(attempt, retryPolicy, signal, observer);
}

const GONE: Result = {
  data: undefined,
  warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
};

/** Reads a response. A bug while reading it does not mean that nothing was done. */
function readSafely(operation: Operation, response: HttpResponse, read: Sending['read']): Result {
  try {
    return read(response);
  } catch (error) {
    if (error instanceof Failure) throw identified(error, response.headers);
    const { facts } = internalFailure(error);
    const change = isChange(operation);
    const failure = new Failure('internal', {
      ...facts,
      why: change ? ['the service responded; the change may have been applied'] : undefined,
      sent: true,
      outcome: change ? 'unknown' : 'none',
      retryable: false,
    });
    throw identified(failure, response.headers);
  }
}

/**
 * Classifies an attempt without a response: after it was sent, a change is `outcome_unknown`, and a read may be
 * retried.
 */
function classifyNoResponse(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { facts, kind } = error;
  if (kind !== 'no_answer' || facts.sent !== true) return error;
  const retryable = isIdempotent(operation);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  // An unreadable response allows a read only one retry; a lost change may use all of its attempts.
  const { mostRetries: _, ...lost } = facts;
  return new Failure('outcome_unknown', { ...lost, retryable });
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
const MAX_ASKED_MS = 60_000;

/**
 * Makes attempts until one succeeds, one fails permanently, or the policy allows no other. Throws the last failure;
 * other errors are thrown at once.
 */
export async function withRetries<Outcome>(
  attempt: (tries: number) => Promise<Outcome>,
  retryPolicy: RetryPolicy,
  signal: AbortSignal,
  observer?: RetryObserver,
): Promise<Outcome> {
  const start = retryPolicy.monotonic();
  /** The failure of an attempt that may have applied the change: no later attempt can rule that out. */
  let unsure: Failure | undefined;
  let last: Failure | undefined;
  for (let tries = 1; ; tries++) {
    let hasBegun = false;
    try {
      return await retryPolicy.run(() => {
        hasBegun = true;
        return attempt(tries);
      }, tries);
    } catch (error) {
      if (!hasBegun) throw last === undefined ? error : afterAttempts(error, unsure ?? last);
      if (!(error instanceof Failure)) throw error;
      last = error;
      observer?.failed(last, tries);
      if (last.kind === 'outcome_unknown') unsure = last;
      const wait = delayMs(last, tries, retryPolicy);
      const left = start + retryPolicy.totalMs - retryPolicy.monotonic();
      const isLast = tries > Math.min(retryPolicy.retries, last.facts.mostRetries ?? Infinity);
      const isAllowed = !isLast && (retryPolicy.mayRetry?.() ?? true);
      if (!isAllowed || wait === undefined || wait >= left)
        throw stillUnsure(withAttempts(last, tries, isLast ? Infinity : left), unsure);
      try {
        observer?.pausing(wait);
        await retryPolicy.sleep(wait, signal);
        observer?.resumed();
      } catch (reason) {
        throw afterAttempts(reason, unsure ?? last, tries);
      }
    }
  }
}

/**
 * Makes the failure after an attempt that may have applied the change: the outcome stays unknown, whatever this failure
 * says.
 */
function stillUnsure(last: Failure, unsure: Failure | undefined): Failure {
  if (unsure === undefined || last.kind === 'outcome_unknown') return last;
  if (isSignal(last.kind)) return afterAttempts(last, unsure, last.facts.attempts) as Failure;
  const { attempts, why = [], what, requestId } = last.facts;
  return new Failure('outcome_unknown', {
    ...unsure.facts,
    requestId: unsure.facts.requestId ?? requestId,
    attempts: attempts ?? unsure.facts.attempts,
    why: [...(unsure.facts.why ?? []), `last attempt: ${what}`, ...why],
    retryable: false,
  });
}

/**
 * Makes the failure of an interrupt between two attempts: a request was sent, and the outcome of a lost change is
 * unknown.
 */
function afterAttempts(reason: unknown, { kind, facts }: Failure, attempts = 1): unknown {
  if (facts.sent !== true) return reason;
  const outcome = kind === 'outcome_unknown' ? 'unknown' : 'none';
  return afterSending(reason, { outcome, attempts });
}

/**
 * Returns a pause with full jitter over a growing range, never shorter than the service asked for; `undefined` if no
 * pause is allowed.
 */
function delayMs(
  failure: Failure,
  tries: number,
  { random, mostAskedMs = MAX_ASKED_MS }: RetryPolicy,
): number | undefined {
  const { retryable, retryAfterMs: asked = 0 } = failure.facts;
  if (retryable !== true || asked > mostAskedMs) return undefined;
  return asked + random() * Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
}

/** Adds the number of attempts, and what the service asks for; `leftMs` were left for attempts. */
function withAttempts(failure: Failure, tries: number, leftMs: number): Failure {
  const { facts, kind } = failure;
  // A signal before anything was sent ended no attempt.
  if (isSignal(kind) && facts.sent !== true) return failure;
  const attempts = tries;
  if (kind !== 'rate_limited') return new Failure(kind, { ...facts, attempts });
  const why = [...(facts.why ?? []), rateLimitReason(failure, tries, leftMs)];
  return new Failure(kind, { ...facts, attempts, why });
}

function rateLimitReason({ facts }: Failure, tries: number, leftMs: number): string {
  const { status, retryAfterMs: asked = 0 } = facts;
  const limit = status === 503 ? 'service unavailable' : 'rate limited';
  const state = tries === 1 ? limit : `${limit}; gave up after ${tries} attempts`;
  if (asked === 0) return state;
  if (leftMs < Infinity && (asked > MAX_ASKED_MS || asked >= leftMs))
    return `${state}; the service asks to wait ${formatDuration(asked)}, which is too long`;
  return `${state}, next possible in ${formatDuration(asked)}`;
}
