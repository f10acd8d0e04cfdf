// Reads a response: its `data`, or the failure that it means, and whether a retry can help; and says what a missing
// response means. Pure.

import { isChange, isIdempotent, type Operation } from '../api/operations/define-operation.ts';
import { Failure, type FailureFacts, headed, ifPossible, ofResponse } from '../base/errors.ts';
import { errorIn } from '../base/error-forms.ts';
import type { HttpResponse } from '../base/http.ts';
import { escapeInvisible, isObject, parseJson } from '../base/json.ts';
import {
  type ErrorBody,
  errorBodyOf,
  isChallenge,
  isPage,
  isShort,
  pageInWords,
  typeOf,
} from './error-body.ts';
import { BUSY, rateLimitIn, serverTimeIn } from './rate-limit.ts';
import { refusedUnread } from './unread-request.ts';

export interface Result {
  /** The `data` of the envelope, unchanged; `undefined` if a change had an empty response. */
  readonly data: unknown;
  /** The original JSON text of the data on one line, if that is certain: its numbers keep their digits. */
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
  if (status >= 400 || (isObject(body) && !isEmpty(body['error'])))
    throw errorOf(operation, response, body);
  // The body of these, if there is one, is not the response: a form to reset, a part of a file.
  if (status === 205 || status === 206) throw unusable(operation, response, unexpected(status));
  const serverTime = serverTimeIn(headers);
  if (isChange(operation) && isCompleteWithoutBody(response))
    return { data: undefined, warnings: ['no data returned'], serverTime };
  if (body === undefined) throw unreadable(operation, response, fault);
  if (isObject(body) && body['ok'] === false) {
    const { code, message, details } = errorIn(body, status);
    const said = `HTTP ${status} with ok:false${message === undefined ? '' : `: ${message}`}`;
    const facts = headed('contradictory response', '', said);
    throw unusable(operation, response, { ...facts, code, message, details });
  }
  const { data, warnings } = take?.(body) ?? takeDocumented(operation, response, body);
  // Another reader may have extracted something else from the body.
  const asItCame = isObject(body) && data === body['data'] ? json : undefined;
  const age = Number(headers['age']);
  const ageMs = age > 0 ? age * 1000 : undefined;
  return { data, json: asItCame, warnings, serverTime, ageMs };
}

/**
 * True if a response has no body, and none was lost. Without a length, the end of the connection is the end of the body,
 * and a connection that is lost before the first byte looks the same; only the statuses that promise no data are enough.
 */
const isCompleteWithoutBody = (response: HttpResponse): boolean => {
  const { status, headers, body } = response;
  return (
    body.trim() === '' &&
    !isChallenge(response) &&
    (status === 202 ||
      status === 204 ||
      headers['content-length'] !== undefined ||
      /\bchunked$/i.test(headers['transfer-encoding'] ?? ''))
  );
};

/** True if the value of `error` means no error: null, false, 0, "", {} and [], which some services send. */
const isEmpty = (error: unknown): boolean =>
  !error || ((Array.isArray(error) || isObject(error)) && Object.keys(error).length === 0);

function takeDocumented(operation: Operation, response: HttpResponse, body: unknown): Result {
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return { data, warnings: [] };
  const { message } = errorIn(body, response.status);
  const said = isShort(message) ? `, only the message "${message}"` : '';
  const none = `has no data object${said}`;
  if (!isChange(operation)) throw unusable(operation, response, ofResponse(none));
  return { data, warnings: [`the response ${none}`] };
}

/** Makes the failure of a response that is an error, from what its body says. */
function errorOf(operation: Operation, response: HttpResponse, body: unknown): Failure {
  const { status } = response;
  const hasError = isObject(body) && !isEmpty(body['error']);
  const hasData = hasError && body['data'] != null;
  const form = errorBodyOf(response, body);
  if (status >= 600 && !hasError)
    return failed(operation, response, unexpected(status), form, body);
  const { code, details, sender } = form;
  const message = form.message ?? (hasError || code !== undefined ? '(no message)' : undefined);
  const facts: FailureFacts = {
    ...(sender === 'gateway' ? ofPage(response, form) : saying(status, code, message)),
    code,
    message,
    details,
    sender,
    why: hasData ? ['the response also contained data'] : undefined,
    hint: likelySender(status, sender),
  };
  // A 2xx with data may mean that the change was applied, and something after it failed.
  if (status < 300 && hasData && isChange(operation)) return unusable(operation, response, facts);
  return failed(operation, response, facts, form, body);
}

/** Names who may have sent an error, unless the error itself says it. */
function likelySender(status: number, sender: FailureFacts['sender']): string | undefined {
  if (sender === 'service') return undefined;
  if (sender === 'gateway') return status < 500 ? PAGE_CAUSES : undefined;
  return status >= 500 ? 'a gateway or proxy in front of the service may have sent it' : undefined;
}

/** Words an error: its status, its code and its message, if it has them. A number says that it is a code. */
function saying(status: number, code: string | undefined, message: string | undefined) {
  const named = code === undefined ? '' : ` ${/^-?\d+$/.test(code) ? 'code ' : ''}${code}`;
  const lead = `HTTP ${status}${named}`;
  return message === undefined
    ? headed(lead, ' without an error object')
    : headed(lead, '', message);
}

const unexpected = (status: number) => headed(`unexpected HTTP status ${status}`);

/**
 * Makes a failure of the kind that its status means, or of a limit. Only an error of the service itself says that a
 * status of 500 and up was a refusal: a gateway may send another after the change was applied.
 */
function failed(
  operation: Operation,
  response: HttpResponse,
  facts: FailureFacts,
  form: ErrorBody,
  body: unknown,
): Failure {
  const { status } = response;
  const isRepeatable = isIdempotent(operation);
  const text = form.page ?? form.message;
  const { isLimit, isLasting, waitMs } = rateLimitIn(response, { codes: form.codes, text }, body);
  // Gateways have errors of their own (520 to 527, 599); numbers above 599 are not statuses.
  const isTemporary = status === 408 || status === 425 || (status >= 500 && status < 600);
  const full: FailureFacts = {
    ...facts,
    status,
    sent: true,
    retryable: status === 429 || (isRepeatable && isTemporary),
    retryAfterMs: waitMs,
  };
  const isRefusal = status < 500 || !isChange(operation);
  const isBusy = BUSY.has(status) && (isRepeatable || form.sender === 'service');
  if (isLimit && (isRefusal || isBusy)) {
    // By convention a 429 comes before any processing. Another refusal proves that for no more than this attempt.
    const mostRetries = status === 429 || isRepeatable ? undefined : 0;
    const retryable = !isLasting && (isRepeatable || status < 500);
    return new Failure('rate_limited', { ...full, isLasting, retryable, mostRetries });
  }
  const asksToWait = status === 503 && waitMs !== undefined && isBusy;
  if (asksToWait) return new Failure('rate_limited', full);
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
      : headed(`HTTP ${status}`, '', `redirected to ${to}; redirects are not followed`);
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
  const { body } = response;
  if (isPage(response))
    return { ...ofPage(response, errorBodyOf(response, undefined)), hint: PAGE_CAUSES };
  if (body.trim() === '') return headed('empty response');
  const type = typeOf(response);
  if (type === 'application/json') return ofResponse(`is ${fault}`);
  return headed(
    `expected JSON, got ${type ?? 'an unnamed type'} (${Buffer.byteLength(body)} bytes)`,
  );
}

const ofPage = ({ status }: HttpResponse, { page, sender }: ErrorBody): FailureFacts => ({
  ...headed(`HTTP ${status}`, '', pageInWords(page)),
  sender,
});

/** The likely senders of a page in place of the service. */
const PAGE_CAUSES = 'probably a firewall, a proxy, a login page, or the wrong --base-url';

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
 * brace is all of the data if it is valid JSON. Printed as it is, on one line, its numbers keep their digits.
 */
function parseBody(text: string): ParsedBody {
  const whole = text.trimEnd();
  const [start] = (whole.endsWith('}') && SUCCESS_START.exec(whole)) || [];
  const json = start === undefined ? '' : whole.slice(start.length, -1).trimEnd();
  const data = ifPossible(() => parseJson(json));
  if (data !== undefined) {
    // No string of JSON contains a line break or a tab, so these are only between its tokens.
    const line = json.replace(/[\n\r\t]\s*/g, '');
    return { body: { ok: true, data }, json: escapeInvisible(line), fault: '' };
  }
  // The start is unusual, or something follows the data.
  try {
    return { body: parseJson(text), fault: '' };
  } catch (error) {
    return { body: undefined, fault: (error as Error).message };
  }
}
