// Failures on stderr: the headline, the reasons and the next command; with --json one object on the last line. Text
// from outside is sanitized, and secrets are masked.

import { faultLines } from '../base/error-forms.ts';
import {
  type Failure,
  type FailureFacts,
  headlineOf,
  isSignal,
  sentenceOf,
} from '../base/errors.ts';
import { toJson } from '../base/json.ts';
import { excerpt, sanitize, sanitizeLine } from '../base/sanitize.ts';
import { NOT_SHOWN, shellLine } from '../base/shell.ts';
import type { Colors } from './color.ts';
import { mapFailureTexts, redactFailure } from './redact.ts';
import { wrapProse, wrapText } from './wrap.ts';

interface ReportOptions {
  readonly json: boolean;
  readonly debug: boolean;
  readonly colors: Colors;
  readonly redact: (text: string) => string;
  /** Columns of the terminal, if it is one: lines wrap between words. */
  readonly width?: number | undefined;
}

export function formatFailure(failure: Failure, options: ReportOptions): string {
  const { json, debug, redact } = options;
  const safe = redactFailure(failure, redact);
  const text = json ? `${toJson(errorObject(safe))}\n` : humanReport(safe, options);
  return debug ? trace(failure, redact) + text : text;
}

/**
 * The maximum length of a message of the service, and of any other text of a failure, for people: responses may have
 * megabytes.
 */
const LONGEST_MESSAGE = 200;
const LONGEST_LINE = 1000;
/** The maximum length of a text for scripts. */
const LONGEST_TEXT = 4000;

/** Shortens the texts of a failure for people. Call it after masking: half a secret would not be found. */
export function briefFailure(failure: Failure): Failure {
  const { message } = failure.facts;
  if (message === undefined) return shortened(failure, LONGEST_LINE);
  // Our headline quotes the message of the service.
  const brief = () => excerpt(message, LONGEST_MESSAGE);
  return shortened(
    mapFailureTexts(failure, (text, name) =>
      name === 'next' ? text : text.replace(message, brief),
    ),
    LONGEST_LINE,
  );
}

const shortened = (failure: Failure, longest: number): Failure =>
  mapFailureTexts(failure, (text, name) => (name === 'next' ? text : excerpt(text, longest)));

/**
 * Formats the error for a person. After a signal there is no error: a batch says how it can be resumed, and a single
 * call with an unknown outcome what to check first.
 */
function humanReport(failure: Failure, { colors, width = Infinity }: ReportOptions): string {
  const brief = briefFailure(failure);
  const { facts, kind } = brief;
  const isStopped = isSignal(kind);
  // After a signal only a batch has details, its totals.
  const isStoppedBatch = isStopped && facts.details !== undefined;
  // A batch has one hint line per thing to do.
  const hints = facts.hint?.split('\n') ?? [];
  const first = isStopped ? sentenceOf(facts) : `error: ${headlineOf(brief)}`;
  const about = isStopped
    ? [...(isStoppedBatch ? (facts.why ?? []) : []), ...hints]
    : [...reasons(brief), ...detailLines(facts), ...hints, ...requestIdLines(brief)];
  // A line that is typed after the command stands below it.
  const isLater = (line: string) => next !== undefined && /^then(?: resume)?: /.test(line);
  const isResumed = isStopped && (isStoppedBatch || facts.outcome !== 'unknown');
  const label = isResumed ? 'resume:' : isStopped ? 'try:' : colors.strong('try:');
  const next = facts.next && shellLine(facts.next);
  const shown = (line: string) => indented(sanitizeLine(line), width);
  const lines = [
    wrapText(sanitizeLine(first), width).replace(/^error:/, (word) => colors.bad(word)),
    ...about.filter((line) => !isLater(line)).map(shown),
    ...(facts.next !== undefined && next === undefined ? [indented(NOT_SHOWN, width)] : []),
    // The command is not wrapped, so that it can be copied.
    ...(next === undefined ? [] : [`${label} ${next}`]),
    ...about.filter(isLater).map(shown),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the reasons of a failure; the first says that a request may have been applied. */
const reasons = ({ kind, facts }: Failure): readonly string[] => [
  ...(kind === 'outcome_unknown' ? [uncertainty(facts)] : []),
  ...(facts.why ?? []),
];

/**
 * Shows the request ID in the service's logs if the response alone does not explain the failure: its own ID, else the
 * one that was sent.
 */
function requestIdLines({ kind, facts }: Failure): readonly string[] {
  // A failure without a status had no response, which explains as little as a 500.
  const { requestId, clientRequestId, status = 500 } = facts;
  if (requestId !== undefined) return [`request id: ${requestId}`];
  const isUnclear = kind === 'outcome_unknown' || status === 429 || status >= 500;
  return isUnclear && clientRequestId !== undefined
    ? [`client request id: ${clientRequestId}`]
    : [];
}

/** Says that requests may have been applied: the one of a single call, or those that a batch counts in its details. */
function uncertainty({ status, details, attempts = 1 }: FailureFacts): string {
  // Details without a status are the totals of a batch; with one, they are the service's.
  const totals = status === undefined ? (details as { unknown?: number } | null | undefined) : null;
  const count = totals?.unknown ?? 1;
  if (attempts > 1) return 'The request may have been applied.';
  return count === 1
    ? 'The request may have been applied. It was not retried.'
    : `${count} requests may have been applied. They were not retried.`;
}

/** Wraps a line below another with its indentation. */
function indented(line: string, width: number): string {
  const indentation = /^ */.exec(line)![0];
  return wrapProse(line.slice(indentation.length), width, `  ${indentation}`);
}

const MOST_DETAILS = 20;

/** Formats the details of the service, one line per field, unless its message has them; our own are in `why`. */
function detailLines({ status, details, message = '' }: FailureFacts): readonly string[] {
  if (status === undefined || details == null) return [];
  const lines = faultLines(details);
  if (lines.every((line) => line.split(': ').every((part) => message.includes(part)))) return [];
  const shown = lines.slice(0, MOST_DETAILS).map((line) => excerpt(line, LONGEST_LINE));
  return lines.length > MOST_DETAILS ? [...shown, `… ${lines.length - MOST_DETAILS} more`] : shown;
}

/** Makes the error object for scripts. Its shape is fixed, and it has all facts of the text. */
export function errorObject(failure: Failure): object {
  const short = shortened(failure, LONGEST_TEXT);
  const { facts } = short;
  const isAccepted = failure.outcome === 'accepted';
  const next = facts.next && shellLine(facts.next);
  const isHidden = facts.next !== undefined && next === undefined;
  const hints = [facts.hint, isHidden ? NOT_SHOWN : undefined].filter((hint) => hint !== undefined);
  return {
    ok: false,
    error: {
      code: facts.code ?? failure.kind,
      message: facts.message ?? headlineOf(short),
      details: facts.details ?? null,
      status: facts.status ?? null,
      sent: facts.sent ?? false,
      // The fixed shape has no value `accepted`; the field beside it says so.
      outcome: isAccepted ? 'none' : failure.outcome,
      accepted: isAccepted,
      retryable: facts.retryable ?? false,
      hint: hints.length === 0 ? null : hints.join('\n'),
      next: next ?? null,
      exitCode: failure.exitCode,
      kind: failure.kind,
      why: reasons(short),
      retryAfterMs: facts.retryAfterMs ?? null,
      timedOut: facts.timedOut ?? false,
      attempts: facts.attempts ?? 0,
      host: facts.host ?? null,
      requestId: facts.requestId ?? null,
      clientRequestId: facts.clientRequestId ?? null,
    },
  };
}

/** Formats the stack trace. The message before it may come from outside: it stays one line. */
function trace(failure: Failure, redact: (text: string) => string): string {
  const { cause } = failure.facts;
  const { name, message, stack = '' } = cause instanceof Error ? cause : failure;
  const frames = stack.slice(stack.indexOf(message) + message.length);
  const what = excerpt(redact(`${name}: ${message}`), LONGEST_LINE);
  return `${sanitizeLine(what)}${sanitize(redact(frames))}\n`;
}
