// Every way a command can fail: one class, whose kinds and exit codes are in `exit-codes.ts`.
// Nothing here prints; `output/error-report.ts` does.

import { failureKinds, type FailureKind, isSignal } from './exit-codes.ts';
import { withSuggestions } from './suggestions.ts';
import { bugs } from './version.ts';

/** One thing wrong with one input, in the user's own words for that input. */
export interface Fault {
  /** What the user would type or write: `post id`, `--text`, `SOCIAL_TIMEOUT`. */
  readonly field: string;
  /** The rule and the value seen, a clause that follows the field: `must be …, got …`. */
  readonly problem: string;
  /** How to correct it, when that is not plain from the rule. */
  readonly fix?: string | undefined;
  /** The word that was given where one of these was wanted: the nearest of them may be the fix. */
  readonly among?: Among | undefined;
}

interface Among {
  readonly typed: string;
  readonly choices: readonly string[];
  /** Words that may have been meant, but are never suggested. */
  readonly unsaid?: readonly string[];
  /** What to say besides the nearest. */
  readonly also?: string;
}

export interface FailureFacts {
  /** One line: what happened. */
  readonly what: string;
  /** How `what` begins, where the host is named after it: a batch says it once, a single call in its error. */
  readonly lead?: string | undefined;
  /** `what` without the host, where it names it: for a line of a batch, whose summary names it once. */
  readonly brief?: string | undefined;
  /** The service's own words, where the failure is its answer. */
  readonly message?: string | undefined;
  /** Further lines: why, and what it means. */
  readonly why?: readonly string[] | undefined;
  /** A remark that helps to correct it. */
  readonly hint?: string | undefined;
  /** The exact command to type next. */
  readonly next?: string | undefined;
  /** The service's own error code; our kind's name when there is none. */
  readonly code?: string | undefined;
  /** The service's own `details`, or our faults, as JSON. */
  readonly details?: unknown;
  readonly status?: number | undefined;
  /** Whether a byte of a request may have left this machine. */
  readonly sent?: boolean | undefined;
  /** Set where the kind does not tell: after a signal, and where a change was accepted before the failure. */
  readonly outcome?: 'unknown' | 'accepted' | 'none' | undefined;
  /** Set where the call was answered, and its wait was stopped. */
  readonly isWaiting?: boolean | undefined;
  readonly retryable?: boolean | undefined;
  /** Further attempts that make sense, where they are fewer than the user allows. */
  readonly mostRetries?: number | undefined;
  /** Milliseconds the service asked to wait before another attempt. */
  readonly retryAfterMs?: number | undefined;
  /** Whether time ran out, which says more of the service's state than a refused connection. */
  readonly timedOut?: boolean | undefined;
  /** How many attempts were made. */
  readonly attempts?: number | undefined;
  /** Host of the service, with its port where it is not the usual one. */
  readonly host?: string | undefined;
  /** The service's own name for this request, from a header of its answer. */
  readonly requestId?: string | undefined;
  /** The id that was sent with the request, the same for all attempts of a call. */
  readonly clientRequestId?: string | undefined;
  /** Set where the exit code says it all, and nothing is written. */
  readonly silent?: boolean | undefined;
  readonly cause?: unknown;
}

/** Facts of a failure about a response: its headline names the host after the first words. */
export const ofResponse = (problem: string) =>
  ({ what: `the response ${problem}`, lead: 'the response' }) satisfies FailureFacts;

/** The one error that a command throws on purpose. Text in it may come from outside: sanitise when showing. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly facts: FailureFacts;

  constructor(kind: FailureKind, facts: FailureFacts) {
    super(facts.what, { cause: facts.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.facts = facts;
  }

  get exitCode(): number {
    return failureKinds[this.kind].exitCode;
  }

  /**
   * `refused`: the service said no. `unknown`: a change may have happened. `accepted`: it was accepted, but its wait
   * did not end well or its result cannot be shown. `none`: nothing happened.
   */
  get outcome(): 'refused' | 'unknown' | 'accepted' | 'none' {
    if (this.facts.outcome !== undefined) return this.facts.outcome;
    if (this.kind === 'outcome_unknown') return 'unknown';
    const answered = this.facts.status !== undefined && this.kind !== 'no_answer';
    return answered ? 'refused' : 'none';
  }
}

/**
 * `what` with the host and the attempts: `HTTP 429 rate_limited from api.example.com (3 attempts): Too many requests`.
 * The texts of the facts may have been cut or masked before.
 */
export function headlineOf({ kind, facts }: Failure): string {
  const { what, lead, host, attempts = 1 } = facts;
  const isNamed = lead !== undefined && host !== undefined && what.startsWith(lead);
  const [start, rest] = isNamed ? [lead, what.slice(lead.length)] : [what, ''];
  const from = isNamed ? ` from ${host === 'sandbox' ? 'the sandbox' : host}` : '';
  // How often a rate limit was waited for is in its reasons.
  const count = attempts > 1 && kind !== 'rate_limited' ? ` (${attempts} attempts)` : '';
  return rest.startsWith(':') ? `${start}${from}${count}${rest}` : `${start}${from}${rest}${count}`;
}

/** The reason of an abort after a request was sent: it no longer says that nothing was sent. */
export function afterSending(reason: unknown, more: Partial<FailureFacts> = {}): unknown {
  if (!(reason instanceof Failure)) return reason;
  const what = isSignal(reason.kind) ? { what: 'cancelled' } : {};
  return new Failure(reason.kind, { ...reason.facts, ...what, sent: true, ...more });
}

/** The requests of a command of which a byte may have left. */
export interface Traffic {
  reads: number;
  changes: number;
}

/**
 * The failure as it is true of the whole command: *nothing was sent* is said only where no request left. A question or
 * a signal cannot know that; after requests that only read, nothing was changed.
 */
export function afterTraffic(failure: Failure, { reads, changes }: Traffic): Failure {
  const { kind, facts } = failure;
  const isBare = isSignal(kind) && facts.what === 'cancelled' && facts.outcome !== 'unknown';
  const isUnsent = facts.what.endsWith('; nothing was sent');
  if (reads + changes === 0 || !(isBare || isUnsent)) return failure;
  const [what] = facts.what.split('; nothing was sent');
  return new Failure(kind, {
    ...facts,
    what: changes > 0 ? what! : `${what}; nothing was changed`,
    sent: true,
  });
}

/** The failure after a change that was accepted: whatever ended the wait for it, it must not be sent again. */
export const afterAccepted = ({ kind, facts }: Failure): Failure =>
  new Failure(kind, { ...facts, outcome: 'accepted' });

/** For an error that was not thrown on purpose: a fault of the tool itself. */
export function internalFailure(cause: unknown): Failure {
  return new Failure('internal', {
    what: bugs === undefined ? 'internal error' : `internal error; please report it: ${bugs}`,
    hint: 'run again with --debug to see where it happened',
    next: 'social doctor --json',
    cause,
  });
}

/** All faults of a call as one failure, so that the user corrects everything at once; each with the nearest word. */
export function usageFailure(fault: Fault | readonly Fault[], next?: string): Failure {
  const faults = withSuggestions([fault].flat());
  const [first, second] = faults;
  const line = ({ field, problem }: Fault) => `${field} ${problem}`;
  const withFix = (one: Fault) => [line(one), one.fix].filter(Boolean).join('; ');
  const said =
    first !== undefined && second === undefined
      ? { what: line(first), hint: first.fix }
      : { what: `${faults.length} errors; nothing was sent`, why: faults.map(withFix) };
  return unsentFailure('usage', { ...said, next, details: faults });
}

/** The user has left a question: with Ctrl-C, or by the end of the input. */
export const cancelledFailure = (): Failure =>
  new Failure('interrupted', { what: 'cancelled; nothing was sent', sent: false });

/** A failure before anything was sent, which the same line would meet again. */
export const unsentFailure = (kind: FailureKind, facts: FailureFacts): Failure =>
  new Failure(kind, { ...facts, sent: false, retryable: false });

/** Returns what `work` returns, or `undefined` where it throws anything: for things that can be done without. */
export function ifPossible<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
