// An operation being called from the command line: what was prepared, the open service, and the call itself
// with its warnings shown and its failures explained.

import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import type { World } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { type CallActivity, activityOn } from './activity.ts';
import { explained } from './advice.ts';
import { toRequest } from './build-request.ts';
import { otherThan } from './check-response.ts';
import { hostOf, type Service } from './open-service.ts';
import type { Read, Result } from './read-response.ts';
import { type Patience, run } from './retry.ts';
import { notesTo } from '../output/notes.ts';
import type { Calling, ChangeWatch, OperationCommand, CallOptions } from './call-context.ts';

/** Calls an operation with one input. Its warnings go to stderr; its failure says what to do next. */
export function call(
  calling: Calling,
  operation: Operation,
  input: Input,
  retries = calling.settings.retries,
): Promise<Result> {
  const request = requestOf(operation, input, calling.service.baseUrl, calling.settings);
  return exchange(calling, operation, { input, request, retries });
}

/** A request, what it was made of, and how its answer is read. */
export interface Exchange {
  readonly input: Input;
  readonly request: HttpRequest;
  readonly retries: number;
  readonly read?: Read;
}

/** Sends the request of an operation; else the same as `call`. */
export function exchange(
  calling: Calling,
  operation: Operation,
  exchanged: Exchange,
): Promise<Result> {
  const change = isChange(operation) ? calling.change : undefined;
  const held = change?.leaves(exchanged.input);
  const send = () => sendNow(calling, operation, exchanged, change);
  return held === undefined ? send() : held.then(send);
}

function sendNow(
  calling: Calling,
  operation: Operation,
  exchanged: Exchange,
  change: ChangeWatch | undefined,
): Promise<Result> {
  const { settings, service, world } = calling;
  const { input, request, retries, read } = exchanged;
  const shown = calling.activity?.begin(hostOf(service), retries + 1);
  const patience = calling.patience?.(operation, retries) ?? patienceOf(settings, world, retries);
  const tries = shown === undefined ? patience : watched(patience, shown);
  const answer = run(operation, request, service.send, tries, world.signal, read);
  return (shown === undefined ? answer : answer.finally(shown.end)).then(
    (result) => {
      change?.answered(result.data);
      const wrong = objectionTo(result, calling, operation, exchanged);
      if (wrong !== undefined) throw explained(located(wrong, service), operation, input, calling);
      return result;
    },
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      throw explained(located(error, service), operation, input, calling);
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
  { settings, note }: Calling,
  operation: Operation,
  { input, read }: Exchange,
): Failure | undefined {
  const change = isChange(operation);
  const other = otherThan(operation, input, data);
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
function watched(patience: Patience, shown: CallActivity): Patience {
  return {
    ...patience,
    ended(failure, tries) {
      if (failure !== undefined) shown.failed(failure, tries);
      return true;
    },
    async sleep(ms, signal) {
      shown.pausing(ms);
      await patience.sleep(ms, signal);
      shown.resumed();
    },
  };
}

/** How often and how long a call is tried. */
export function patienceOf(
  { timeoutMs }: Settings,
  { monotonic, random, sleep }: World,
  retries: number,
): Patience {
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
export async function callingOf(
  { operation, hooks, mask }: Pick<OperationCommand, 'operation' | 'hooks' | 'mask'>,
  { command, paths, settings, flags }: CallOptions,
  service: Service,
  world: World,
): Promise<Calling> {
  const send = settings.debug
    ? await (await import('./trace.ts')).traced(service.send, mask, world)
    : service.send;
  return {
    operation,
    hooks,
    command,
    flags,
    paths,
    settings,
    service: { ...service, send },
    world,
    note: notesTo(world, settings),
    activity: activityOn(world, settings),
  };
}
