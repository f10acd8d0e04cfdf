// Every way a command can fail: the kinds with their exit codes, and one class. Nothing here prints;
// `output/error-report.ts` does.

import type { CommandLine } from './shell.ts';
import type { Fault } from './fault.ts';
import { type Slip, slipIn, withSuggestions } from './suggestions.ts';
import { bugsUrl } from './version.ts';

/** The kinds of failure, with the exit code each one ends the process with. */
export const failureKinds = {
  internal: { exitCode: 1, meaning: 'internal error of the tool' },
  usage: {
    exitCode: 2,
    meaning:
      'usage error, invalid value, or missing confirmation without a terminal; no change was sent',
  },
  declined: {
    exitCode: 3,
    meaning: 'answered no, or the typed ID did not match; no change was sent',
  },
  unauthorized: { exitCode: 4, meaning: 'no token, or HTTP 401 or 403, unless it is a rate limit' },
  not_found: { exitCode: 5, meaning: 'not found: HTTP 404 or 410, or no such target of the post' },
  refused: {
    exitCode: 6,
    meaning: 'rejected by the service: any other HTTP 4xx, or an error in the body',
  },
  rate_limited: {
    exitCode: 7,
    meaning:
      'rate limited: HTTP 429, or another status that says so (or 503 with Retry-After), retries exhausted',
  },
  still_pending: {
    exitCode: 8,
    meaning: 'still in progress when the wait ended: --wait-timeout ran out, or the polls failed',
  },
  no_answer: {
    exitCode: 9,
    meaning:
      'no usable response (network, timeout, 5xx, unreadable body); nothing can have changed',
  },
  ended_badly: {
    exitCode: 10,
    meaning:
      'the wait ended with failed targets or an expired pairing; with --require-ready, the account is not ready',
  },
  batch_failed: { exitCode: 11, meaning: 'some items of a batch failed, or it was stopped' },
  outcome_unknown: {
    exitCode: 12,
    meaning:
      'outcome unknown: a change was sent and got no usable response; it was not retried; stderr shows how to check it',
  },
  local_io: {
    exitCode: 13,
    meaning:
      'a local file or stream failed: configuration, credentials, journal, lock, output; --jq failed; or doctor found a fault in one',
  },
  interrupted: { exitCode: 130, meaning: 'SIGINT (Ctrl-C)' },
  hung_up: { exitCode: 129, meaning: 'SIGHUP (terminal closed)' },
  terminated: { exitCode: 143, meaning: 'SIGTERM' },
} as const satisfies Record<string, { exitCode: number; meaning: string }>;

export type FailureKind = keyof typeof failureKinds;

const signalKinds = ['interrupted', 'terminated', 'hung_up'] as const;

/** Kinds of failure caused by a signal: Ctrl-C, SIGTERM, a closed terminal. */
export type SignalKind = (typeof signalKinds)[number];

export const isSignal = (kind: FailureKind): kind is SignalKind =>
  signalKinds.some((signal) => signal === kind);

/** Returns the kind of signal that an exit code stands for. */
export const signalOf = (exitCode: number): SignalKind | undefined =>
  signalKinds.find((kind) => failureKinds[kind].exitCode === exitCode);

/** Sentences for a person. Nothing is decided by them. */
interface Words {
  /** One line that says what happened. */
  readonly what: string;
  /**
   * `what` in the parts between which the headline names the host and the number of attempts; a batch names them once,
   * not for each record.
   */
  readonly parts?: HeadlineParts | undefined;
  /** Further lines: the reason, and the consequences. */
  readonly why?: readonly string[] | undefined;
  /** A remark that helps to correct the failure. */
  readonly hint?: string | undefined;
  /** The exact command to type next, as words: it is quoted when it is shown. */
  readonly next?: CommandLine | undefined;
  /** The mistyped word that is the only fault of a line: the line without it is the next one. */
  readonly slip?: Slip | undefined;
  /** The only thing that a line lacks: the line with --yes is the next one, but IDs are typed by a person. */
  readonly lacks?: '--yes' | 'ids' | undefined;
}

/** `HTTP 400 invalid`, ` after 5s`, `: the text of the service`. The last two may be empty. */
type HeadlineParts = readonly [lead: string, rest: string, said: string];

/** The response, and which request it answers. */
interface HttpFacts {
  readonly status?: number | undefined;
  /** The error code of the service, or the name of our kind if it has none. */
  readonly code?: string | undefined;
  /** The message of the service. */
  readonly message?: string | undefined;
  /** The `details` of the service, or our faults, as JSON. */
  readonly details?: unknown;
  /** `service` if the error has the form of the API document, `gateway` if it is a page of another program. */
  readonly sender?: 'service' | 'gateway' | undefined;
  /** Host of the service, and its port, if it is not the default. */
  readonly host?: string | undefined;
  /** The service's ID for this request, from a response header. */
  readonly requestId?: string | undefined;
  /** The ID that was sent with the request, the same for all attempts of a call. */
  readonly clientRequestId?: string | undefined;
}

/** The outcome of a change, and of its attempts. */
interface OutcomeFacts {
  /** True if a byte of a request may have left this machine. */
  readonly sent?: boolean | undefined;
  /** Set if the kind does not imply it: `unknown` or `none` after a signal, `accepted` after an accepted change. */
  readonly outcome?: 'unknown' | 'accepted' | 'none' | undefined;
  /** Said at the end of the headline: no request was sent, or only reads, which change nothing. */
  readonly nothingWas?: 'sent' | 'changed' | undefined;
  readonly retryable?: boolean | undefined;
  readonly attempts?: number | undefined;
  /** The maximum number of retries that make sense, if it is below the user's limit. */
  readonly mostRetries?: number | undefined;
  /** Milliseconds the service asked to wait before another attempt. */
  readonly retryAfterMs?: number | undefined;
  /** True if a quota of days or of a plan is used up: no pause of a call helps. */
  readonly isLasting?: boolean | undefined;
  /** True after a timeout, which says more about the service than a refused connection. */
  readonly timedOut?: boolean | undefined;
}

/** The end of a wait. */
interface WaitFacts {
  /** True if the call itself had a response, and only the wait after it was stopped. */
  readonly waitStopped?: boolean | undefined;
  /** The end of the awaited parts in numbers: `1 of 2 targets failed`. */
  readonly result?: string | undefined;
}

export interface FailureFacts extends Words, HttpFacts, OutcomeFacts, WaitFacts {
  /** Set if the exit code is the whole answer, and nothing is printed. */
  readonly silent?: boolean | undefined;
  readonly cause?: unknown;
}

/** Makes the words of a failure whose headline is `lead`, the host and `rest`, the attempts, and what was `said`. */
export const headed = (lead: string, rest = '', said?: string) => {
  const parts: HeadlineParts = [lead, rest, said === undefined ? '' : `: ${said}`];
  return { what: parts.join(''), parts };
};

/** Makes the words of a failure about a response. */
export const ofResponse = (problem: string) => headed('the response', ` ${problem}`);

/** The only error that a command throws by design. Its text may come from outside: sanitise it when it is shown. */
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

  /** Copies the failure with some facts changed, and perhaps its kind. Another headline does not name the host. */
  with(facts: Partial<FailureFacts>, kind: FailureKind = this.kind): Failure {
    const parts = facts.what === undefined ? this.facts.parts : undefined;
    return new Failure(kind, { ...this.facts, parts, ...facts });
  }

  /**
   * `refused`: the service rejected it. `unknown`: a change may have been applied. `accepted`: it was accepted, but its
   * wait failed or its result cannot be shown. `none`: nothing happened.
   */
  get outcome(): 'refused' | 'unknown' | 'accepted' | 'none' {
    if (this.facts.outcome !== undefined) return this.facts.outcome;
    if (this.kind === 'outcome_unknown') return 'unknown';
    const answered = this.facts.status !== undefined && this.kind !== 'no_answer';
    return answered ? 'refused' : 'none';
  }
}

/**
 * Formats the headline with the host and the attempts: `HTTP 429 rate_limited from api.example.com (3 attempts): Too many
 * requests`. The texts of the facts may have been cut or masked before.
 */
export function headlineOf({ kind, facts }: Failure): string {
  const { parts, host, attempts = 1 } = facts;
  const [lead, rest, said] = host === undefined || !parts ? [facts.what, '', ''] : parts;
  const from =
    host === undefined || !parts ? '' : ` from ${host === 'sandbox' ? 'the sandbox' : host}`;
  // For a rate limit, the reasons already have the number of attempts.
  const count = attempts > 1 && kind !== 'rate_limited' ? ` (${attempts} attempts)` : '';
  return withConsequence(`${lead}${from}${rest}${count}${said}`, facts);
}

/** Formats the headline without the host and the attempts. */
export const sentenceOf = (facts: FailureFacts): string => withConsequence(facts.what, facts);

const withConsequence = (text: string, { nothingWas }: FailureFacts): string =>
  nothingWas === undefined ? text : `${text.replace(/\.$/, '')}; nothing was ${nothingWas}`;

/** Changes the reason of an abort after a request was sent. `afterTraffic` corrects what it says about the command. */
export function afterSending(reason: unknown, more: Partial<FailureFacts> = {}): unknown {
  return reason instanceof Failure ? reason.with({ sent: true, ...more }) : reason;
}

/** Counts the requests of a command that may have been sent. */
export interface Traffic {
  reads: number;
  changes: number;
}

/**
 * Corrects a failure for the whole command: it keeps *nothing was sent* only if no request was sent. A prompt or a
 * signal cannot know that; after reads only, nothing was changed.
 */
export function afterTraffic(failure: Failure, { reads, changes }: Traffic): Failure {
  if (reads + changes === 0 || failure.facts.nothingWas === undefined) return failure;
  return failure.with({ nothingWas: changes > 0 ? undefined : 'changed', sent: true });
}

/** Marks a failure after an accepted change: whatever ended its wait, the change must not be sent again. */
export const afterAccepted = (failure: Failure): Failure => failure.with({ outcome: 'accepted' });

/** Wraps an unexpected error, which is a bug of this program. */
export function internalFailure(cause: unknown): Failure {
  return new Failure('internal', {
    what: bugsUrl === undefined ? 'internal error' : `internal error; please report it: ${bugsUrl}`,
    hint: 'run again with --debug to see where it happened',
    next: ['social', 'doctor', '--json'],
    cause,
  });
}

/** Converts anything thrown to a `Failure`; most unexpected errors are bugs of this program. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : (surroundingsFailure(error) ?? internalFailure(error));

/** Failures whose cause is the shell that started this process. Node names some of them in the message of an error alone. */
const surroundings = [
  [
    /\bE[MN]FILE\b/,
    { what: 'too many open files', hint: 'raise the limit of this shell: ulimit -n 256' },
  ],
  [
    /\buv_cwd\b/,
    { what: 'the current folder was deleted', hint: 'change to another folder and run it again' },
  ],
] as const;

/** Makes the failure for an unexpected error that comes from the shell that started this program; else `undefined`. */
function surroundingsFailure(error: unknown): Failure | undefined {
  const { message = '' } = Object(error) as { readonly message?: unknown };
  const [, facts] = surroundings.find(([sign]) => sign.test(String(message))) ?? [];
  return facts && new Failure('local_io', { ...facts, retryable: false, cause: error });
}

const line = ({ field, problem }: Fault) => `${field} ${problem}`;
const withFix = (fault: Fault) => [line(fault), fault.fix].filter(Boolean).join('; ');

/**
 * Joins all faults of a call in one failure, so that the user corrects everything at once. Adds the nearest words as
 * fixes.
 */
export function usageFailure(fault: Fault | readonly Fault[], next?: CommandLine): Failure {
  const given = [fault].flat();
  const faults = withSuggestions(given);
  const [first, second] = faults;
  const said =
    first !== undefined && second === undefined
      ? { what: line(first), hint: first.fix }
      : { what: `${faults.length} errors`, nothingWas: 'sent' as const, why: faults.map(withFix) };
  return unsentFailure('usage', { ...said, next, slip: slipIn(given), details: faults });
}

/** The user left a prompt with Ctrl-C, or the input ended. */
export const cancelledFailure = (): Failure =>
  new Failure('interrupted', { what: 'cancelled', nothingWas: 'sent', sent: false });

/** Makes a failure before anything was sent. The same command line would fail again, so it is not retryable. */
export const unsentFailure = (kind: FailureKind, facts: FailureFacts): Failure =>
  new Failure(kind, { ...facts, sent: false, retryable: false });

/** Returns the result of `work`, or `undefined` if it throws: for optional work. */
export function ifPossible<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
