// Reads a response: its `data`, or the failure that it means, and whether a retry can help; and says what a missing
// response means. Pure. Responses are read leniently: a result that does not match its schema is still a result, with a
// warning.

import {
  type Input,
  isChange,
  isIdempotent,
  type Operation,
} from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { issuesOf } from '../api/schema/rules.ts';
import { Failure, type FailureFacts, headed, ifPossible, ofResponse } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { escapeInvisible, isObject, parseJson, valueAtKeys } from '../base/json.ts';
import { refusedUnread } from './unread-request.ts';

export interface Result {
  /** The `data` of the envelope, unchanged; `undefined` if a change had an empty response. */
  readonly data: unknown;
  /** The original JSON text of the data, if that is certain and on one line: its numbers keep their digits. */
  readonly json?: string | undefined;
  readonly warnings: readonly string[];
  /** The server's clock in milliseconds since 1970, if the response has it. */
  readonly serverTime?: number | undefined;
  /** The time in milliseconds that a cache has kept the response; absent without a cache. */
  readonly ageMs?: number | undefined;
}

/** Makes a result of a response, or throws the `Failure` that it means. */
export type ResponseReader = (operation: Operation, response: HttpResponse) => Result;

/**
 * Reads a response. Throws a `Failure` for a status of 300 and up, a body with a non-empty `error`, or `ok: false`.
 * `take` extracts the data from a successful body that the API document does not describe.
 */
export function readResponse(
  operation: Operation,
  response: HttpResponse,
  take?: (body: unknown) => Result,
): Result {
  const { status, headers } = response;
  // A redirect may follow a change that was applied, whatever its body says.
  if (status >= 300 && status < 400) throw redirected(operation, response);
  const unread = refusedUnread(response);
  if (unread !== undefined) throw unread;
  const { body, json, fault } = parseBody(response.body);
  if (isObject(body) && !isEmpty(body['error']))
    throw serviceError(operation, response, body['error'], body['data'] != null);
  if (status >= 400) throw statusError(operation, response);
  // The body of these, if there is one, is not the response: a form to reset, a part of a file.
  if (status === 205 || status === 206) throw unusable(operation, response, unexpected(status));
  const serverTime = serverTimeIn(headers);
  if (status === 204 && isChange(operation))
    return { data: undefined, warnings: ['no data returned'], serverTime };
  if (body === undefined) throw unreadable(operation, response, fault);
  if (isObject(body) && body['ok'] === false) {
    const facts = headed('contradictory response', `: HTTP ${status} with ok:false`);
    throw unusable(operation, response, facts);
  }
  const { data, warnings } = take?.(body) ?? takeDocumented(operation, response, body);
  // Another reader may have extracted something else from the body.
  const asItCame = isObject(body) && data === body['data'] ? json : undefined;
  const age = Number(headers['age']);
  const ageMs = age > 0 ? age * 1000 : undefined;
  return { data, json: asItCame, warnings, serverTime, ageMs };
}

/** True if the value of `error` means no error: null, false, 0, "", {} and [], which some services send. */
const isEmpty = (error: unknown): boolean =>
  !error || ((Array.isArray(error) || isObject(error)) && Object.keys(error).length === 0);

/** Returns the service's clock, if the response has a Date header. */
function serverTimeIn(headers: HttpResponse['headers']): number | undefined {
  const time = Date.parse(headers['date'] ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function takeDocumented(operation: Operation, response: HttpResponse, body: unknown): Result {
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return { data, warnings: schemaMismatches(operation, data) };
  if (!isChange(operation)) throw unusable(operation, response, ofResponse('has no data object'));
  return { data, warnings: ['the response has no data object'] };
}

/** Makes the failure of an error envelope: the service's code and message, whatever the HTTP status. */
function serviceError(
  operation: Operation,
  response: HttpResponse,
  error: unknown,
  hasData: boolean,
): Failure {
  const fields: Readonly<Record<string, unknown>> = isObject(error) ? error : { message: error };
  const code = textIn(fields['code']);
  const message = textIn(fields['message']) ?? '(no message)';
  const details = fields['details'] ?? undefined;
  const why = hasData ? ['the response also contained data'] : undefined;
  const lead = `HTTP ${response.status}${code === undefined ? '' : ` ${code}`}`;
  const facts = { ...headed(lead, `: ${message}`), code, message, details, why };
  // A 2xx with data may mean that the change was applied, and something after it failed.
  if (response.status < 300 && hasData && isChange(operation))
    return unusable(operation, response, facts);
  return failed(operation, response, facts, true);
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * Makes the failure of an error status without an error object. The hint names the likely sender: a gateway sends a 5xx,
 * a login page or the wrong address another status with a page.
 */
function statusError(operation: Operation, response: HttpResponse): Failure {
  const { status } = response;
  if (status >= 600) return failed(operation, response, unexpected(status), false);
  const isPage = isHtmlPage(response);
  const facts = headed(
    `HTTP ${status}`,
    isPage ? `: ${EXPECTED_PAGE}` : ' without an error object',
  );
  const gateway = 'a gateway or proxy in front of the service may have sent it';
  const hint = status >= 500 ? gateway : isPage ? PAGE_CAUSES : undefined;
  return failed(operation, response, { ...facts, hint }, false);
}

const unexpected = (status: number) => headed(`unexpected HTTP status ${status}`);

/**
 * Makes a failure of the kind that its status means. `enveloped` is true if the service itself sent the error; without
 * an error object it may come from a gateway, after the change was applied.
 */
function failed(
  operation: Operation,
  { status, headers }: HttpResponse,
  facts: FailureFacts,
  enveloped: boolean,
): Failure {
  const isRepeatable = isIdempotent(operation);
  // Gateways have errors of their own (520 to 527, 599); numbers above 599 are not statuses.
  const isTemporary = status === 408 || status === 425 || (status >= 500 && status < 600);
  const wait = retryAfterMs(headers);
  const full: FailureFacts = {
    ...facts,
    status,
    sent: true,
    retryable: status === 429 || (isRepeatable && isTemporary),
    retryAfterMs: wait,
  };
  const asksToWait = status === 503 && wait !== undefined && (enveloped || isRepeatable);
  if (status === 429 || asksToWait) return new Failure('rate_limited', full);
  // "Too early" (425) may be retried if that is safe; otherwise it is a refusal.
  if (status >= 500 || status === 408 || (status === 425 && isRepeatable))
    return new Failure(isChange(operation) ? 'outcome_unknown' : 'no_answer', full);
  if (status === 401 || status === 403) return new Failure('unauthorized', full);
  return new Failure(status === 404 || status === 410 ? 'not_found' : 'refused', full);
}

function redirected(operation: Operation, response: HttpResponse): Failure {
  const { status, headers } = response;
  const to = headers['location'];
  const facts =
    to === undefined
      ? unexpected(status)
      : headed(`HTTP ${status}`, `: redirected to ${to}; redirects are not followed`);
  // These two ask to send the change to another address; after any other redirect it may have been applied.
  if (isChange(operation) && (status === 307 || status === 308)) {
    return new Failure('refused', { ...facts, status, sent: true, retryable: false });
  }
  return unusable(operation, response, facts);
}

/**
 * Classifies an attempt without a response: after it was sent, a change is `outcome_unknown`, and a read may be
 * retried.
 */
export function classifyNoResponse(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'no_answer' || error.facts.sent !== true)
    return error;
  // The server has not read the request.
  if (error.facts.outcome === 'none') return error;
  const kind = isChange(operation) ? 'outcome_unknown' : 'no_answer';
  return error.with({ retryable: isIdempotent(operation) }, kind);
}

/** Makes the failure of a response that cannot be used: the outcome of a change is unknown. `facts` may allow a retry. */
function unusable(operation: Operation, { status }: HttpResponse, facts: FailureFacts): Failure {
  const kind = isChange(operation) ? 'outcome_unknown' : 'no_answer';
  return new Failure(kind, { status, sent: true, retryable: false, ...facts });
}

/**
 * Makes the failure of a body that is not JSON. It may come from a gateway, and the next attempt may succeed. A read is
 * retried only once, because a login page or a wrong address would send the page again.
 */
function unreadable(operation: Operation, response: HttpResponse, fault: string): Failure {
  return unusable(operation, response, {
    ...notJson(response, fault),
    retryable: isIdempotent(operation),
    mostRetries: isChange(operation) ? undefined : 1,
  });
}

/** Returns why a body could not be read. */
function notJson(response: HttpResponse, fault: string): FailureFacts {
  const { body, status } = response;
  if (body === '') return headed('empty response');
  if (isHtmlPage(response))
    return { ...headed(`${EXPECTED_PAGE} (HTTP ${status})`), hint: PAGE_CAUSES };
  const type = typeOf(response);
  if (type === 'application/json') return ofResponse(`is ${fault}`);
  return headed(
    `expected JSON, got ${type ?? 'an unnamed type'} (${Buffer.byteLength(body)} bytes)`,
  );
}

const typeOf = ({ headers }: HttpResponse): string | undefined =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase();

const EXPECTED_PAGE = 'expected JSON, got an HTML page';
/** The likely senders of a page in place of the service. */
const PAGE_CAUSES = 'probably a proxy, a login page, or the wrong --base-url';

const isHtmlPage = (response: HttpResponse): boolean =>
  typeOf(response) === 'text/html' || /^\s*<(?!\?xml)/.test(response.body);

/** The usual start of a successful envelope. */
const SUCCESS_START = /^\s*\{\s*"ok"\s*:\s*true\s*,\s*"data"\s*:\s*/;

/** The value of a body, with the text of its data if that is certain; or what is wrong with it. */
interface ParsedBody {
  readonly body: unknown;
  readonly json?: string | undefined;
  readonly fault: string;
}

/**
 * Parses the envelope, and returns the text of its data if that is certain: the text between a usual start and the last
 * brace is all of the data if it is valid JSON. Printed unchanged, its numbers keep their digits.
 */
function parseBody(text: string): ParsedBody {
  const whole = text.trimEnd();
  const [start] = (whole.endsWith('}') && SUCCESS_START.exec(whole)) || [];
  const json = start === undefined ? '' : whole.slice(start.length, -1).trimEnd();
  const data = ifPossible(() => parseJson(json));
  if (data !== undefined) {
    const isOneLine = !/[\n\r\t]/.test(json);
    return {
      body: { ok: true, data },
      json: isOneLine ? escapeInvisible(json) : undefined,
      fault: '',
    };
  }
  // The start is unusual, or something follows the data.
  try {
    return { body: parseJson(text), fault: '' };
  } catch (error) {
    return { body: undefined, fault: (error as Error).message };
  }
}

/** The keys of a successful envelope. */
const ENVELOPE = new Set(['ok', 'data', 'error']);

/**
 * Reads a response that the API document does not describe. The data is the content of the envelope, or the whole body
 * without one.
 */
export function readAny(operation: Operation, response: HttpResponse): Result {
  return readResponse(operation, response, (body) => {
    if (!isObject(body) || !Object.hasOwn(body, 'data')) return { data: body, warnings: [] };
    const beside = Object.keys(body).filter((key) => !ENVELOPE.has(key));
    const warnings =
      beside.length === 0
        ? []
        : [`the response has ${beside.join(', ')} beside its data; --whole shows all of it`];
    return { data: body['data'], warnings };
  });
}

/** Reads a response as `readAny` does, with the envelope around the data. */
export function readWhole(operation: Operation, response: HttpResponse): Result {
  return readResponse(operation, response, (data) => ({ data, warnings: [] }));
}

/** Reads a response that has only headers. */
export function readHead(operation: Operation, response: HttpResponse): Result {
  if (response.status >= 300) return readResponse(operation, response);
  return { data: headOf(response), warnings: [] };
}

/** Makes a reader whose data has the status, the headers and the `body`. */
export const withHead =
  (read: ResponseReader): ResponseReader =>
  (operation, response) => {
    const { data, warnings } = read(operation, response);
    return { data: { ...headOf(response), body: data }, warnings };
  };

const headOf = ({ status, headers }: HttpResponse) => ({ status, headers });

const SECONDS = /^\d+$/;
/** Thirty years. A longer time would not stay a number that can be added to others. */
const LONGEST_MS = 1e12;
const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Returns the milliseconds that `Retry-After` asks to wait, never negative; `undefined` if it is absent or invalid. A
 * date is compared with the server's clock if the response has it.
 */
export function retryAfterMs(
  headers: HttpResponse['headers'],
  now = Date.now(),
): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, LONGEST_MS);
  if (!IMF_DATE.test(value)) return undefined;
  return Math.max(0, Date.parse(value) - (serverTimeIn(headers) ?? now));
}

/**
 * Describes the ID in a response that differs from the requested one: `another post (…)`; `undefined` if it is the
 * same.
 */
export function differentId(operation: Operation, input: Input, data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const fields = data as Readonly<Record<string, unknown>>;
  for (const [name, key] of operation.repeatedIds) {
    const requested = input[name];
    const got = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof requested === 'string' && typeof got === 'string' && requested !== got)
      return `another ${nounOf(name)}${isSensitive(operation, name) ? '' : ` (${got})`}`;
  }
  return undefined;
}

const isSensitive = (operation: Operation, name: string): boolean =>
  fieldsOf(operation).some((field) => field.name === name && field.sensitive);

/** Describes the requested resource by the path: `post PostSpringLaunch`; `undefined` if the path has no ID. */
export function subjectOf(operation: Operation, input: Input): string | undefined {
  // Fields that the command words determine do not identify a resource.
  const idNames = operation.places.path.filter((name) => !operation.command.includes(`{${name}}`));
  const last = idNames.at(-1);
  return last === undefined ? undefined : `${nounOf(last)} ${String(input[last])}`;
}

const nounOf = (name: string): string =>
  name === 'id'
    ? 'resource'
    : name.replace(/Id$/, '').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

const MOST_WARNINGS = 20;

/**
 * Compares data with the result schema of an operation. Returns missing fields in one line, because a command shows only
 * twenty notes, and one line for each value of a wrong type. Unknown fields and unlisted values are ignored.
 */
export function schemaMismatches(operation: Operation, data: unknown): readonly string[] {
  const wrong = issuesOf(operation.result, data)
    .map(({ code, path, message }) => ({ code, path, message, value: valueAtKeys(data, path) }))
    .filter(({ code, value }) => code !== 'invalid_value' || typeof value !== 'string')
    .filter(({ code }) => code !== 'unrecognized_keys');
  const shown = wrong.slice(0, MOST_WARNINGS);
  const missing = shown.filter(({ value }) => value === undefined);
  const differing = shown.filter(({ value }) => value !== undefined);
  const more = wrong.length - shown.length;
  return [
    ...(missing.length === 0
      ? []
      : [`the response lacks ${missing.map(({ path }) => path.join('.')).join(', ')}`]),
    ...differing.map(
      ({ path, message }) =>
        `the response’s ${path.join('.')} does not match the API document: ${message}`,
    ),
    ...(more > 0 ? [`the response differs in ${more} more places`] : []),
  ];
}
