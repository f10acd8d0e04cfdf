// An operation being called from the command line: what was prepared, the open service, and the call itself
// with its warnings shown and its failures explained.

import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { type CallActivity, createActivity } from './activity.ts';
import { withAdvice } from './advice.ts';
import { toRequest } from './build-request.ts';
import { differentId } from './check-response.ts';
import { hostOf, type Service } from './open-service.ts';
import type { ResponseReader, Result } from './read-response.ts';
import { type RetryPolicy, sendWithRetry } from './retry.ts';
import type { CallContext, ChangeObserver, OperationCommand, CallOptions } from './call-context.ts';

/** Calls an operation with one input. Its warnings go to stderr; its failure says what to do next. */
export function callOperation(
  callContext: CallContext,
  operation: Operation,
  input: Input,
  retries = callContext.settings.retries,
): Promise<Result> {
  const request = requestOf(operation, input, callContext.service.baseUrl, callContext.settings);
  return callWithRequest(callContext, operation, { input, request, retries });
}

/** A request, what it was made of, and how its answer is read. */
export interface CallRequest {
  readonly input: Input;
  readonly request: HttpRequest;
  readonly retries: number;
  readonly read?: ResponseReader;
}

/** Sends the request of an operation; else the same as `call`. */
export function callWithRequest(
  callContext: CallContext,
  operation: Operation,
  exchanged: CallRequest,
): Promise<Result> {
  const change = isChange(operation) ? callContext.change : undefined;
  const held = change?.leaves(exchanged.input);
  const send = () => sendNow(callContext, operation, exchanged, change);
  return held === undefined ? send() : held.then(send);
}

function sendNow(
  callContext: CallContext,
  operation: Operation,
  exchanged: CallRequest,
  change: ChangeObserver | undefined,
): Promise<Result> {
  const { settings, service, runtime } = callContext;
  const { input, request, retries, read } = exchanged;
  const shown = callContext.activity?.begin(hostOf(service), retries + 1);
  const retryPolicy =
    callContext.retryPolicy?.(operation, retries) ?? retryPolicyFor(settings, runtime, retries);
  const tries = shown === undefined ? retryPolicy : watched(retryPolicy, shown);
  const answer = sendWithRetry(operation, request, tries, {
    send: service.send,
    signal: runtime.signal,
    read,
  });
  return (shown === undefined ? answer : answer.finally(shown.end)).then(
    (result) => {
      change?.answered(result.data);
      const wrong = objectionTo(result, callContext, operation, exchanged);
      if (wrong !== undefined)
        throw withAdvice(located(wrong, service), operation, input, callContext);
      return result;
    },
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      throw withAdvice(located(error, service), operation, input, callContext);
    },
  );
}

/** The same failure with the host that was asked. */
function located(failure: Failure, service: Service): Failure {
  if (isSignal(failure.kind)) return failure;
  return new Failure(failure.kind, { ...failure.facts, host: hostOf(service) });
}

/** What speaks against a result, if anything; what is only odd about it is noted. */
function objectionTo(
  { data, warnings, asides }: Result,
  { settings, runtime: { note } }: CallContext,
  operation: Operation,
  { input, read }: CallRequest,
): Failure | undefined {
  const change = isChange(operation);
  const other = differentId(operation, input, data);
  if (other !== undefined && !change) return aboutOther(other);
  // Of an answer that is read in a way of its own the document says nothing.
  const isPromised = read === undefined && !change;
  if (settings.strict && isPromised && warnings.length > 0) return unfit(warnings);
  for (const line of warnings) note(`warning: ${line}`);
  if (other !== undefined) note(`warning: the answer is about ${other}`);
  if (settings.debug) for (const line of asides ?? []) note(`note: ${line}`);
  return undefined;
}

/** The request as it leaves, less the token. */
export function requestOf(
  operation: Operation,
  input: Input,
  baseUrl: string,
  settings: Settings,
): HttpRequest {
  return toRequest(operation, input, { baseUrl, query: settings.query });
}

/** The same patience, with its attempts and pauses shown. */
function watched(retryPolicy: RetryPolicy, shown: CallActivity): RetryPolicy {
  return {
    ...retryPolicy,
    ended(failure, tries) {
      if (failure !== undefined) shown.failed(failure, tries);
      return true;
    },
    async sleep(ms, signal) {
      shown.pausing(ms);
      await retryPolicy.sleep(ms, signal);
      shown.resumed();
    },
  };
}

/** How often and how long a call is tried. */
export function retryPolicyFor(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: Runtime,
  retries: number,
): RetryPolicy {
  return { retries, totalMs: timeoutMs * (retries + 1), monotonic, random, sleep };
}

function unfit(why: readonly string[]): Failure {
  return new Failure('no_answer', {
    what: 'the answer is not what the API document says',
    why,
    sent: true,
    retryable: false,
  });
}

function aboutOther(other: string): Failure {
  return new Failure('no_answer', {
    what: `the answer is about ${other}`,
    sent: true,
    retryable: false,
  });
}

/** An opened service and what was prepared, as one thing to call with; `--debug` shows what passes. */
export async function createCallContext(
  { operation, hooks }: Pick<OperationCommand, 'operation' | 'hooks'>,
  { command, paths, settings, flags }: CallOptions,
  service: Service,
  runtime: Runtime,
): Promise<CallContext> {
  const send = settings.debug
    ? await (await import('./trace.ts')).traceSend(service.send, runtime)
    : service.send;
  return {
    operation,
    hooks,
    command,
    flags,
    paths,
    settings,
    service: { ...service, send },
    runtime,
    activity: createActivity(runtime, settings),
  };
}
