// Failures on stderr: what, why, and the next command; with --json one object on the last line.
// Everything that came from outside is made safe to show, and no secret passes.

import { Failure, headlineOf, internalFailure, type FailureFacts } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { isObject, toJson } from '../base/json.ts';
import { excerpt, sanitize, sanitizeLine } from '../base/sanitize.ts';
import type { Colors } from './color.ts';
import { mapFailureTexts, redactFailure } from './redact.ts';
import { wrapProse, wrapText } from './wrap.ts';

interface ReportOptions {
  readonly json: boolean;
  readonly debug: boolean;
  readonly tone: Colors;
  readonly redact: (text: string) => string;
  /** Columns of the terminal, where it is one: lines break between words. */
  readonly width?: number | undefined;
}

/** Any thrown thing as a `Failure`; what was not thrown on purpose is a fault of the tool itself. */
export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : internalFailure(error);
}

/** The text of a failure, whole lines. */
export function formatFailure(failure: Failure, reporting: ReportOptions): string {
  const { json, debug, redact } = reporting;
  const safe = redactFailure(failure, redact);
  const text = json ? `${toJson(errorObject(safe))}\n` : humanReport(safe, reporting);
  return debug ? trace(failure, redact) + text : text;
}

/** A person reads this much of a service's message, and of any other text of a failure: an answer may have megabytes. */
const LONGEST_MESSAGE = 200;
const LONGEST_LINE = 1000;
/** A script reads this much of a text. */
const LONGEST_TEXT = 4000;
/** Details that are longer than this are told as the start of their JSON. */
const LONGEST_DETAILS = 64 * 1024;

/** Cuts the texts of a failure to a length that a person reads. Call it after masking: half a secret is not found. */
export const briefFailure = (failure: Failure): Failure =>
  shortened(failure, LONGEST_MESSAGE, LONGEST_LINE);

function shortened(failure: Failure, mostOfMessage: number, mostOfLine: number): Failure {
  const { code, message } = failure.facts;
  return mapFailureTexts(failure, (text, name) => {
    if (name === 'next') return text;
    if (name === 'message') return excerpt(text, mostOfMessage);
    if (WORDS.includes(name)) return excerpt(text, LONGEST_MESSAGE);
    // Our own sentence quotes the code and the message of the service.
    let line = text;
    for (const part of [code, message])
      if (part !== undefined) line = line.replace(part, () => excerpt(part, mostOfMessage));
    return excerpt(line, mostOfLine);
  });
}

const WORDS = ['code', 'requestId', 'clientRequestId'];

function humanReport(failure: Failure, { tone, width = Infinity }: ReportOptions): string {
  const brief = briefFailure(failure);
  const { facts, kind } = brief;
  if (isSignal(kind)) return signalReport(facts, width);
  const about = [
    ...(kind === 'outcome_unknown' ? [uncertainty(facts)] : []),
    ...(facts.why ?? []),
    ...detailLines(facts),
    ...hintLines(facts),
    ...requestIdLines(brief),
  ];
  const headline = wrapText(`error: ${sanitizeLine(headlineOf(brief))}`, width, '');
  const lines = [
    headline.replace('error:', tone.bad('error:')),
    ...about.map((line) => indented(sanitizeLine(line), width)),
  ];
  // Not broken: it is there to be copied.
  if (facts.next !== undefined) lines.push(`${tone.strong('try:')} ${sanitizeLine(facts.next)}`);
  return `${lines.join('\n')}\n`;
}

/** A batch goes on from there, with details of how it stood; a single call first finds out what happened. */
function signalReport(facts: FailureFacts, width: number): string {
  const isBatch = facts.details !== undefined;
  const about = [...(isBatch ? (facts.why ?? []) : []), ...hintLines(facts)];
  const lines = [
    wrapText(sanitizeLine(facts.what), width, ''),
    ...about.map((line) => indented(sanitizeLine(line), width)),
  ];
  const label = facts.outcome === 'unknown' && !isBatch ? 'try' : 'resume';
  if (facts.next !== undefined) lines.push(`${label}: ${sanitizeLine(facts.next)}`);
  return `${lines.join('\n')}\n`;
}

/** A batch has a line for each thing to do. */
const hintLines = ({ hint }: FailureFacts): readonly string[] =>
  hint === undefined ? [] : hint.split('\n');

/**
 * The id by which the service's logs have the request: its own, else the one that was sent, where the answer alone does
 * not explain the failure.
 */
function requestIdLines({ kind, facts }: Failure): readonly string[] {
  const { requestId, clientRequestId, status = 500 } = facts;
  if (requestId !== undefined) return [`request id: ${requestId}`];
  const isUnclear = kind === 'outcome_unknown' || status === 429 || status >= 500;
  return isUnclear && clientRequestId !== undefined
    ? [`client request id: ${clientRequestId}`]
    : [];
}

/** Says that requests may have been applied: one of a single call, or those that a batch counts in its details. */
function uncertainty({ status, details, attempts = 1 }: FailureFacts): string {
  const totals = status === undefined ? (details as { unknown?: number } | null | undefined) : null;
  const count = totals?.unknown ?? 1;
  if (attempts > 1) return 'The request may have been applied.';
  return count === 1
    ? 'The request may have been applied. It was not retried.'
    : `${count} requests may have been applied. They were not retried.`;
}

const COMMAND = /: social \S/;

/**
 * A line below another, that keeps its own indentation where it is broken. A command is not: it is there to be copied.
 */
function indented(line: string, width: number): string {
  if (COMMAND.test(line)) return `  ${line}`;
  const indentation = /^ */.exec(line)![0];
  return wrapProse(line.slice(indentation.length), width, `  ${indentation}`);
}

const MOST_DETAILS = 20;

/** The service's own details, a line a field, less what its message says already; our own are in `why`. */
function detailLines({ status, details, message = '' }: FailureFacts): readonly string[] {
  if (status === undefined || details == null) return [];
  const items: readonly unknown[] = Array.isArray(details)
    ? details
    : isObject(details)
      ? Object.entries(details).map(([field, value]) => ({ field, message: textOf(value) }))
      : [details];
  const isSaid = (item: unknown) =>
    isFieldFault(item) && message.includes(item.field) && message.includes(item.message);
  if (items.every(isSaid)) return [];
  const lines = items
    .slice(0, MOST_DETAILS)
    .map((item) => (isFieldFault(item) ? `${item.field}: ${item.message}` : textOf(item)))
    .map((line) => excerpt(line, LONGEST_MESSAGE));
  return items.length > MOST_DETAILS ? [...lines, `… ${items.length - MOST_DETAILS} more`] : lines;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** Recognises the form in which services usually refuse a field. */
const isFieldFault = (
  item: unknown,
): item is { readonly field: string; readonly message: string } =>
  isObject(item) && typeof item['field'] === 'string' && typeof item['message'] === 'string';

/** The error object that scripts read; the shape is fixed, and whatever the text says is in it. */
export function errorObject(failure: Failure): object {
  const short = shortened(failure, LONGEST_TEXT, LONGEST_TEXT);
  const { facts } = short;
  const why = [
    ...(failure.kind === 'outcome_unknown' ? [uncertainty(facts)] : []),
    ...(facts.why ?? []),
  ];
  const isAccepted = failure.outcome === 'accepted';
  return {
    ok: false,
    error: {
      code: facts.code ?? failure.kind,
      message: facts.message ?? headlineOf(short),
      details: shortDetails(facts),
      status: facts.status ?? null,
      sent: facts.sent ?? false,
      // Scripts know three values.
      outcome: isAccepted ? 'none' : failure.outcome,
      accepted: isAccepted,
      retryable: facts.retryable ?? false,
      hint: facts.hint ?? null,
      next: facts.next ?? null,
      exitCode: failure.exitCode,
      kind: failure.kind,
      why,
      retryAfterMs: facts.retryAfterMs ?? null,
      timedOut: facts.timedOut ?? false,
      attempts: facts.attempts ?? 0,
      host: facts.host ?? null,
      requestId: facts.requestId ?? null,
      clientRequestId: facts.clientRequestId ?? null,
    },
  };
}

/** The details as they came; of more than anybody reads, the start as text. */
function shortDetails({ details = null, status }: FailureFacts): unknown {
  if (status === undefined || details === null) return details;
  const text = toJson(details);
  return text.length > LONGEST_DETAILS ? excerpt(text, LONGEST_TEXT) : details;
}

/** Where it happened. The message in front of it may come from outside: it stays one line. */
function trace(failure: Failure, redact: (text: string) => string): string {
  const { cause } = failure.facts;
  const { name, message, stack = '' } = cause instanceof Error ? cause : failure;
  const frames = stack.slice(stack.indexOf(message) + message.length);
  const what = excerpt(redact(`${name}: ${message}`), LONGEST_LINE);
  return `${sanitizeLine(what)}${sanitize(redact(frames))}\n`;
}
