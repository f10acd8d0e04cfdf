// One call of an operation: from its input to the result, with its progress and warnings shown and its failures
// explained.

import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { Failure, internalFailure, isSignal, ofResponse } from '../base/errors.ts';
import { plainId, randomId } from '../base/hash.ts';
import { type HttpRequest, identified, REQUEST_ID } from '../base/http.ts';
import { isObject } from '../base/json.ts';
import type { Runtime, Secrets } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { showProgress } from '../output/progress.ts';
import { withAdvice } from './advice.ts';
import { toRequest } from './build-request.ts';
import { differentId, schemaMismatches } from './check-response.ts';
import { type Client, hostOf, type Service } from './open-client.ts';
import type { ReadBefore } from './read-before.ts';
import {
  classifyNoResponse,
  readResponse,
  type ResponseReader,
  type Result,
} from './read-response.ts';
import { retryPolicyFor, withRetries } from './retry.ts';

/** Options of a single call. */
export interface CallOptions {
  /** The maximum number of retries; by default that of the settings. */
  readonly retries?: number;
  /** The request, if it is not made from the input. */
  readonly request?: HttpRequest;
  /** Reads the response, if no schema describes it. */
  readonly read?: ResponseReader;
  /** The read that came before a change, for the record of it. */
  readonly before?: ReadBefore | undefined;
  /** Aborts the call, instead of the signal of its client. */
  readonly signal?: AbortSignal;
  /** False for a poll: the progress of its wait, or of its batch, is shown. */
  readonly showsProgress?: false;
}

/** Calls an operation with one input. Its warnings go to stderr; its failure has the next step. */
export async function callOperation(
  client: Client,
  operation: Operation,
  input: Input,
  options: CallOptions = {},
): Promise<Result> {
  const { runtime, settings } = client;
  const observer = observerOf(operation, client);
  const request = requestOf(client, operation, input, options.request);
  const clientRequestId = request.headers[REQUEST_ID]!;
  const change = { input, clientRequestId, before: options.before };
  await observer?.confirm?.(input);
  try {
    const beforeAttempt = observer && (() => observer.beforeAttempt(change));
    const received = await sendOperation(client, operation, input, {
      ...options,
      request,
      beforeAttempt,
    });
    const result = withoutToken(received, runtime.secrets);
    observer?.onSuccess(change, result);
    if (!settings.quiet)
      for (const warning of warningsAbout(result, operation, options))
        runtime.note(`warning: ${warning}`);
    return result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failure = observer?.onFailure?.(change, error) ?? error;
    throw withAdvice(failure, operation, input, client);
  }
}

/**
 * Sends the request of a call, again where that is safe, and shows its progress. Throws a failure with its host and
 * request ID, without advice; if a change may have been applied it is `outcome_unknown`.
 */
export async function sendOperation(
  client: Client,
  operation: Operation,
  input: Input,
  options: CallOptions & { readonly beforeAttempt?: BeforeAttempt | undefined } = {},
): Promise<Result> {
  const { settings, service, runtime, retryPolicy } = client;
  const { retries = settings.retries, signal = runtime.signal, read = readResponse } = options;
  const request = requestOf(client, operation, input, options.request);
  const attempt = async (mayBeDone: boolean): Promise<Result> => {
    await options.beforeAttempt?.();
    const response = await service.send(request, signal).catch((error: unknown) => {
      throw classifyNoResponse(operation, error);
    });
    // A 404 after a DELETE whose response was lost: that attempt deleted the resource.
    const isMissing = response.status === 404 || response.status === 410;
    if (mayBeDone && isMissing && operation.method === 'DELETE') return GONE;
    try {
      return checkSubject(read(operation, response), operation, input);
    } catch (error) {
      const isKnown = error instanceof Failure;
      const failure = isKnown
        ? error
        : internalFailure(error).with({ sent: true, retryable: false });
      throw identified(failure, response.headers);
    }
  };
  const isAlone = retryPolicy === undefined && options.showsProgress !== false;
  const progress = isAlone ? showCall(hostOf(service), retries + 1, settings, runtime) : undefined;
  const policy = retryPolicy?.(retries, operation) ?? retryPolicyFor(settings, runtime, retries);
  try {
    return await withRetries(attempt, policy, signal, progress?.pause);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw failureOfCall(error, operation, service, request.headers[REQUEST_ID]);
  } finally {
    progress?.stop();
  }
}

/** Returns the warnings about a response. The comparison with the schema is made here because it costs most of a read. */
const warningsAbout = (
  { data, warnings }: Result,
  operation: Operation,
  { read }: CallOptions,
): readonly string[] =>
  read === undefined && isObject(data)
    ? [...schemaMismatches(operation, data), ...warnings]
    : warnings;

type BeforeAttempt = () => void | Promise<void>;

const observerOf = (operation: Operation, { observer }: Client) =>
  isChange(operation) ? observer : undefined;

/** Makes the request of a call, unless it is `made` already, with an ID that is the same for all attempts. */
function requestOf(
  { service, settings }: Client,
  operation: Operation,
  input: Input,
  made?: HttpRequest,
): HttpRequest {
  const address = { baseUrl: service.baseUrl, query: settings.query };
  const request = made ?? toRequest(operation, input, address);
  const id = request.headers[REQUEST_ID] ?? (isChange(operation) ? randomId() : plainId());
  return { ...request, headers: { ...request.headers, [REQUEST_ID]: id } };
}

const GONE: Result = {
  data: undefined,
  warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
};

/** Checks that a result is about the requested resource: a read fails otherwise, and a change has a warning. */
function checkSubject(result: Result, operation: Operation, input: Input): Result {
  const other = differentId(operation, input, result.data);
  if (other === undefined) return result;
  const problem = `is about ${other}`;
  if (!isChange(operation))
    throw new Failure('no_answer', { ...ofResponse(problem), sent: true, retryable: false });
  return { ...result, warnings: [...result.warnings, `the response ${problem}`] };
}

/**
 * Completes the failure of a call: the host and, after sending, the ID of the request. The outcome of a change that was
 * sent is unknown after a bug of this program; after a signal too, unless every attempt was refused (`none`).
 */
function failureOfCall(
  failure: Failure,
  operation: Operation,
  service: Service,
  requestId: string | undefined,
): Failure {
  const { kind, facts } = failure;
  const isSent = facts.sent === true;
  if (isSignal(kind) && !isSent) return failure;
  const clientRequestId = isSent ? requestId : undefined;
  const located = failure.with({ host: hostOf(service), clientRequestId });
  if (!isSent || !isChange(operation)) return located;
  if (kind === 'internal') {
    const why = ['the service responded; the change may have been applied'];
    return located.with({ why }, 'outcome_unknown');
  }
  const isUnsure = isSignal(kind) && facts.outcome === undefined;
  return isUnsure ? located.with({ outcome: 'unknown' }) : located;
}

/**
 * Masks the token in a result, because a service may echo it. This comes before a filter or a table, which could cut the
 * token to a part that is no longer recognised.
 */
function withoutToken(result: Result, { maskTokens }: Secrets): Result {
  const { json } = result;
  // If the JSON text does not contain the token, its values do not either, unless the text has escapes.
  if (json !== undefined && !json.includes('\\') && maskTokens(json) === json) return result;
  const data = maskTokens(result.data);
  if (data === result.data && maskTokens(result.json) === result.json) return result;
  const warning = 'the response contains the access token; it is shown as [redacted]';
  return { ...result, data, json: undefined, warnings: [...result.warnings, warning] };
}

/** Shows a call to `host` on stderr, once it takes longer than a moment: at most `attempts` attempts. */
function showCall(host: string, attempts: number, settings: Settings, runtime: Runtime) {
  const { monotonic } = runtime;
  const start = monotonic();
  let attempt = 1;
  /** The reason for the last retry, without text of the service. */
  let why = '';
  let pausedUntil = start;
  const pausedMs = () => Math.max(0, pausedUntil - monotonic());
  const parts = () => {
    const left = pausedMs();
    if (left > 0) return [`${why}; next attempt in ${Math.ceil(left / 1000)}s`];
    const elapsed = Math.floor((monotonic() - start) / 1000);
    const retry = attempt === 1 ? '' : ` (attempt ${attempt} of ${attempts}: ${why})`;
    return [`Waiting for ${host}… ${elapsed}s${retry}`];
  };
  const progress = showProgress({ parts, pausedMs, lastChange: () => start }, settings, runtime);
  return {
    stop: progress.stop,
    /** Shows a pause of `ms` milliseconds after attempt number `tries`, which failed. */
    pause(ms: number, { kind, facts }: Failure, tries: number): void {
      attempt = tries + 1;
      why = facts.status === undefined ? facts.what : `HTTP ${facts.status}`;
      if (kind === 'rate_limited')
        why = facts.status === 503 ? 'HTTP 503, asks to wait' : 'rate limited by the service';
      pausedUntil = monotonic() + ms;
      progress.redraw();
    },
  };
}
