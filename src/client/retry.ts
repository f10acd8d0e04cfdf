// The retry policy: what is tried again, how often, after what pause and for how long. `docs/retries.md` is its page.

import type { Operation } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import { afterSending, Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';

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

/** Whatever a gateway in between calls its trouble (520 to 527, 599); above that a number is no status. */
const isTransient = (status: number): boolean =>
  status === 408 || status === 425 || (status >= 500 && status < 600);

/** Whether asking again can help and cannot do the thing twice. */
export function mayRepeat(operation: Operation, status: number): boolean {
  if (status === 429) return true;
  return isIdempotent(operation) && isTransient(status);
}

/** Whether doing it twice is doing it once, by its method. */
export const isIdempotent = ({ method }: Operation): boolean =>
  ['GET', 'PUT', 'DELETE'].includes(method);

const SECONDS = /^\d+$/;
const LONGEST_MS = 1e12;
const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Milliseconds that `Retry-After` asks to wait, never negative; `undefined` where it is absent or in neither of its
 * forms. A date is judged by the server's own clock where the answer carries it.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now = Date.now(),
): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, LONGEST_MS);
  if (!IMF_DATE.test(value)) return undefined;
  const sent = Date.parse(String(headers['date']));
  return Math.max(0, Date.parse(value) - (Number.isNaN(sent) ? now : sent));
}
