// Sends the request of an operation until it has an answer: what is tried again, how often, after what pause and for how
// long, and what a lost answer means. `docs/retries.md` is its page.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import { afterSending, Failure, internalFailure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import type { HttpRequest, HttpResponse, Send } from '../base/http.ts';
import { identified } from '../base/request-id.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { isIdempotent, type ResponseReader, readResponse, type Result } from './read-response.ts';

export interface RetryPolicy {
  /** Further attempts after the first. */
  readonly retries: number;
  /** Milliseconds for all attempts and the waits between them, by the monotonic clock. */
  readonly totalMs: number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The longest wait that the service may ask for, in milliseconds; a minute by default. */
  readonly mostAskedMs?: number;
  /** Runs the `tries`th attempt: a batch waits for its turn first. Where it does not begin it, there is none. */
  run<T>(attempt: () => Promise<T>, tries: number): Promise<T>;
  /** Whether there may be another attempt: a batch has a budget for all of its calls. */
  mayRetry?(): boolean;
}

/** Is told how the attempts go. */
export interface RetryObserver {
  /** Attempt number `attempt` failed; there may be another. */
  failed(failure: Failure, attempt: number): void;
  /** The next attempt is made after `ms` milliseconds. */
  pausing(ms: number): void;
  /** The next attempt is being made. */
  resumed(): void;
}

const atOnce = <T>(attempt: () => Promise<T>): Promise<T> => attempt();

/** How often and how long a call is tried. */
export function retryPolicyFor(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: Runtime,
  retries: number,
): RetryPolicy {
  return { retries, totalMs: timeoutMs * (retries + 1), monotonic, random, sleep, run: atOnce };
}

type Attempt = (tries: number) => Promise<Result>;

interface Sending {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** How an answer becomes a result; `readResponse` where nothing is said. */
  readonly read?: ResponseReader | undefined;
  /** Throws for a result that cannot be used. */
  readonly check?: ((result: Result) => void) | undefined;
  /** Is told of attempts and pauses. */
  readonly activity?: RetryObserver | undefined;
  /** Called before each attempt after the first. */
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Sends the request of an operation and reads the answer, repeating where that is safe.
 * Throws a `Failure`; when a change may have happened that is `outcome_unknown`.
 */
export function sendWithRetry(
  operation: Operation,
  request: HttpRequest,
  retryPolicy: RetryPolicy,
  { send, signal, read = readResponse, check, activity, onRetry }: Sending,
): Promise<Result> {
  const attempt = async (tries: number): Promise<Result> => {
    if (tries > 1) onRetry?.();
    let response: HttpResponse;
    try {
      response = await send(request, signal);
    } catch (error) {
      throw classifyNoResponse(operation, error);
    }
    return readSafely(operation, response, read, check);
  };
  const tried = operation.method === 'DELETE' ? treat404AsDeleted(attempt) : attempt;
  return withRetries(tried, retryPolicy, signal, activity);
}

/** An answer has come: a fault of our own in reading it does not mean that nothing was done. */
function readSafely(
  operation: Operation,
  response: HttpResponse,
  read: ResponseReader,
  check: Sending['check'],
): Result {
  try {
    const result = read(operation, response);
    check?.(result);
    return result;
  } catch (error) {
    if (error instanceof Failure) throw identified(error, response.headers);
    const { facts } = internalFailure(error);
    const change = isChange(operation);
    const failure = new Failure('internal', {
      ...facts,
      ...(change ? { why: ['the service responded; the change may have been applied'] } : {}),
      sent: true,
      outcome: change ? 'unknown' : 'none',
      retryable: false,
    });
    throw identified(failure, response.headers);
  }
}

/** A 404 after a DELETE whose response was lost means that it deleted. */
function treat404AsDeleted(attempt: Attempt): Attempt {
  let mayBeDone = false;
  return async (tries) => {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (mayBeDone && error.kind === 'not_found') return gone;
      mayBeDone ||= error.kind === 'outcome_unknown';
      throw error;
    }
  };
}

const gone: Result = {
  data: undefined,
  warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
};

/** After it was sent, a change without a response is `outcome_unknown`, and a read may be retried. */
function classifyNoResponse(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { facts, kind } = error;
  if (kind !== 'no_answer' || facts.sent !== true) return error;
  const retryable = isIdempotent(operation);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  // A read of what cannot be read is asked for once more; a change is worth every attempt.
  const { mostRetries: _, ...lost } = facts;
  return new Failure('outcome_unknown', { ...lost, retryable });
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
const MAX_ASKED_MS = 60_000;

/**
 * Makes attempts until one succeeds, one fails for good, or the policy allows no other. Throws the last failure; what
 * is no `Failure` is thrown on at once.
 */
export async function withRetries<Outcome>(
  attempt: (tries: number) => Promise<Outcome>,
  retryPolicy: RetryPolicy,
  signal: AbortSignal,
  observer?: RetryObserver,
): Promise<Outcome> {
  const start = retryPolicy.monotonic();
  /** An attempt that may have done it: whatever a later one says, that stays. */
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

/** A failure after an attempt that may have done it: the outcome stays unknown, whatever this one says. */
function stillUnsure(last: Failure, unsure: Failure | undefined): Failure {
  if (unsure === undefined || last.kind === 'outcome_unknown') return last;
  if (isSignal(last.kind)) return afterAttempts(last, unsure, last.facts.attempts) as Failure;
  const { attempts, why = [], what, requestId } = last.facts;
  return new Failure('outcome_unknown', {
    ...(requestId === undefined ? {} : { requestId }),
    ...unsure.facts,
    ...(attempts === undefined ? {} : { attempts }),
    why: [...(unsure.facts.why ?? []), `last attempt: ${what}`, ...why],
    retryable: false,
  });
}

/** An interrupt between two attempts: something was sent, and the outcome of a lost change is unknown. */
function afterAttempts(reason: unknown, { kind, facts }: Failure, attempts = 1): unknown {
  if (facts.sent !== true) return reason;
  const outcome = kind === 'outcome_unknown' ? 'unknown' : 'none';
  return afterSending(reason, { outcome, attempts });
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

/** The same failure, with how often it was tried, and what the service asks for; `leftMs` were left for attempts. */
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
  const waited = tries === 1 ? '' : `; waited ${tries - 1} time${tries === 2 ? '' : 's'}`;
  const state = `${status === 503 ? 'service unavailable' : 'rate limited'}${waited}`;
  if (asked === 0) return state;
  if (leftMs < Infinity && (asked > MAX_ASKED_MS || asked >= leftMs))
    return `${state}; the service asks to wait ${formatDuration(asked)}; giving up`;
  return `${state}, next possible in ${formatDuration(asked)}`;
}
