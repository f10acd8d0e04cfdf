// One call of an operation: from its input to the result, with its warnings shown and its failures explained.

import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import { type CallActivity, createActivity } from './activity.ts';
import { withAdvice } from './advice.ts';
import { toRequest } from './build-request.ts';
import { differentId } from './check-response.ts';
import { hostOf, type Service } from './open-service.ts';
import { ofResponse } from './not-json.ts';
import type { ResponseReader, Result } from './read-response.ts';
import { type RetryPolicy, retryPolicyFor } from './retry.ts';
import { sendWithRetry } from './send-with-retry.ts';
import type { CallContext, CallOptions } from './call-context.ts';

/** What is special about a call. */
export interface CallVariant {
  /** Further attempts; those of the settings unless given. */
  readonly retries?: number;
  /** The request, where it is not made of the input. */
  readonly request?: HttpRequest;
  /** How the answer is read, where no schema describes it. */
  readonly read?: ResponseReader;
}

/** Calls an operation with one input. Its warnings go to stderr; its failure says what to do next. */
export async function callOperation(
  callContext: CallContext,
  operation: Operation,
  input: Input,
  { retries = callContext.settings.retries, request, read }: CallVariant = {},
): Promise<Result> {
  const { settings, service, runtime } = callContext;
  const { baseUrl, send } = service;
  const sent = request ?? toRequest(operation, input, { baseUrl, query: settings.query });
  const change = isChange(operation) ? callContext.change : undefined;
  const asked = change?.leaves(input);
  if (asked !== undefined) await asked;
  const shown = callContext.activity?.begin(hostOf(service), retries + 1);
  const own =
    callContext.retryPolicy?.(operation, retries) ?? retryPolicyFor(settings, runtime, retries);
  const told = change?.again === undefined ? own : telling(own, change.again);
  const retryPolicy = shown === undefined ? told : watched(told, shown);
  try {
    const { signal } = runtime;
    const answer = sendWithRetry(operation, sent, retryPolicy, { send, signal, read });
    const result = await (shown === undefined ? answer : answer.finally(shown.end));
    change?.answered(result.data);
    // Of an answer that is read in a way of its own the document says nothing.
    checkResult(result, callContext, [operation, input], read === undefined);
    return result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw withAdvice(located(error, service), operation, input, callContext);
  }
}

/** The same failure with the host that was asked. */
function located(failure: Failure, service: Service): Failure {
  if (isSignal(failure.kind)) return failure;
  return new Failure(failure.kind, { ...failure.facts, host: hostOf(service) });
}

/** Notes what is odd about a result. Throws where it is no answer to what was asked. */
function checkResult(
  { data, warnings, asides }: Result,
  { settings, runtime: { note } }: CallContext,
  [operation, input]: readonly [Operation, Input],
  isDescribed: boolean,
): void {
  const change = isChange(operation);
  const other = differentId(operation, input, data);
  if (other !== undefined && !change) throw unusable(`is about ${other}`);
  if (settings.strict && isDescribed && !change && warnings.length > 0)
    throw unusable('does not match the API document', warnings);
  for (const line of warnings) note(`warning: ${line}`);
  if (other !== undefined) note(`warning: the response is about ${other}`);
  if (settings.debug) for (const line of asides ?? []) note(`note: ${line}`);
}

const unusable = (problem: string, why?: readonly string[]): Failure =>
  new Failure('no_answer', {
    ...ofResponse(problem),
    ...(why && { why }),
    sent: true,
    retryable: false,
  });

/** The same policy, which tells of each attempt after the first. */
function telling(retryPolicy: RetryPolicy, again: () => void): RetryPolicy {
  let attempts = 0;
  return {
    ...retryPolicy,
    turn() {
      const turn = retryPolicy.turn?.();
      if (attempts++ > 0) again();
      return turn;
    },
  };
}

/** The same policy, with its attempts and pauses shown. */
function watched(retryPolicy: RetryPolicy, shown: CallActivity): RetryPolicy {
  return {
    ...retryPolicy,
    ended(failure, tries) {
      if (failure !== undefined) shown.failed(failure, tries);
      return retryPolicy.ended?.(failure, tries) ?? true;
    },
    async sleep(ms, signal) {
      shown.pausing(ms);
      await retryPolicy.sleep(ms, signal);
      shown.resumed();
    },
  };
}

/** What is called and the open service as one; with `--debug` each request and answer is shown. */
export async function createCallContext(
  { operation, hooks, command, flags, paths, settings }: CallOptions,
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
