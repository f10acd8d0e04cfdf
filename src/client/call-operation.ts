// One call of an operation: from its input to the result, with its warnings shown and its failures explained.

import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { Failure, isSignal, ofResponse } from '../base/errors.ts';
import { type HttpRequest, REQUEST_ID } from '../base/http.ts';
import type { Secrets } from '../base/runtime.ts';
import { withAdvice } from './advice.ts';
import { toRequest } from './build-request.ts';
import { type Client, hostOf, type Service } from './open-client.ts';
import { differentId, type ResponseReader, type Result } from './read-response.ts';
import { retryPolicyFor, sendWithRetry } from './retry.ts';
import type { ChangeObserver } from './call-context.ts';

/** Options of a single call. */
export interface CallOptions {
  /** Called about a change. */
  readonly change?: ChangeObserver | undefined;
  /** The maximum number of retries; by default that of the settings. */
  readonly retries?: number;
  /** The request, if it is not made from the input. */
  readonly request?: HttpRequest;
  /** Reads the response, if no schema describes it. */
  readonly read?: ResponseReader;
  /** Aborts the call, instead of the signal of its client. */
  readonly signal?: AbortSignal;
}

/** Calls an operation with one input. Its warnings go to stderr; its failure has the next step. */
export async function callOperation(
  client: Client,
  operation: Operation,
  input: Input,
  options: CallOptions = {},
): Promise<Result> {
  const { settings, service, runtime } = client;
  const { retries = settings.retries, request, read, signal = runtime.signal } = options;
  const { baseUrl, send, newId } = service;
  const headerId = request?.headers[REQUEST_ID];
  const id = headerId ?? newId();
  const made = request ?? toRequest(operation, input, { baseUrl, query: settings.query, id });
  const sent = request === undefined || headerId !== undefined ? made : { ...made, id };
  const change = isChange(operation) ? options.change : undefined;
  await change?.beforeSend(input, id);
  const activity = client.watchCall?.(hostOf(service), retries + 1);
  const retryPolicy =
    client.retryPolicy?.(retries, operation) ?? retryPolicyFor(settings, runtime, retries);
  const check = isChange(operation)
    ? undefined
    : (result: Result) => checkRead(result, operation, input);
  const sending = { send, signal, read, check, activity, onRetry: () => change?.onRetry?.() };
  try {
    const answer = sendWithRetry(operation, sent, retryPolicy, sending);
    const result = withoutToken(await answer.finally(() => activity?.end()), runtime.secrets);
    change?.onSuccess(result.data, result.serverTime);
    noteOddities(result, client, operation, input);
    return result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw withAdvice(located(error, service, id), operation, input, client);
  }
}

/**
 * Masks the token in a result, because a service may echo it. It is masked here, where every result passes: a filter, a
 * cut cell or a part of a table could show a part that is no longer recognised.
 */
function withoutToken(result: Result, { maskTokens }: Secrets): Result {
  const { json } = result;
  // Text without the token has none in its values either, unless it escapes some of its letters.
  if (json !== undefined && !json.includes('\\') && maskTokens(json) === json) return result;
  const data = maskTokens(result.data);
  if (data === result.data && maskTokens(result.json) === result.json) return result;
  const warning = 'the response contains the access token; it is shown as [redacted]';
  return { ...result, data, json: undefined, warnings: [...result.warnings, warning] };
}

/** Adds the host and the ID of the request to a failure. */
function located({ kind, facts }: Failure, service: Service, requestId: string): Failure {
  const host = isSignal(kind) && facts.sent !== true ? {} : { host: hostOf(service) };
  const id = facts.sent === true && requestId !== '' ? { clientRequestId: requestId } : {};
  return new Failure(kind, { ...facts, ...host, ...id });
}

/** Throws if the result of a read is about another resource than the requested one. */
function checkRead({ data }: Result, operation: Operation, input: Input): void {
  const other = differentId(operation, input, data);
  if (other === undefined) return;
  throw new Failure('no_answer', {
    ...ofResponse(`is about ${other}`),
    sent: true,
    retryable: false,
  });
}

/** Notes unexpected things about a result. */
function noteOddities(
  { data, warnings, label }: Result,
  { settings, runtime: { note } }: Client,
  operation: Operation,
  input: Input,
): void {
  for (const line of warnings) note(`warning: ${line}`);
  // The body could be read, so only a person who looks for a fault wants to know.
  if (settings.debug && label !== undefined)
    note(`warning: the response is JSON, labelled as ${label}`);
  const other = isChange(operation) ? differentId(operation, input, data) : undefined;
  if (other !== undefined) note(`warning: the response is about ${other}`);
}
