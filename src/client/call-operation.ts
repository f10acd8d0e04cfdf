// An operation being called from the command line: what was prepared, the open service, and the call itself
// with its warnings shown and its failures explained.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { Failure, isSignal } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import type { World } from '../base/runtime.ts';
import type { RawFlags, Settings } from '../config/settings.ts';
import type { Activity, CallActivity } from './activity.ts';
import { explained } from './advice.ts';
import { type Input, toRequest } from './build-request.ts';
import { otherThan } from './check-response.ts';
import { hostOf, type Service } from './open-service.ts';
import type { Read, Result } from './read-response.ts';
import { type Patience, run } from './retry.ts';

export interface Calling {
  readonly operation: Operation;
  /** The command without its arguments, for the next step to name. */
  readonly command: string;
  readonly flags: RawFlags;
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly service: Service;
  readonly world: World;
  /** A line for the user on stderr, unless they want none. */
  readonly note: (line: string) => void;
  /** Told of a change right before it leaves, and when the service has done it. */
  readonly change?: ChangeWatch | undefined;
  /** Shows what a call waits for when that takes longer than a moment; a batch has its progress instead. */
  readonly activity?: Activity | undefined;
  /** How a batch tries its calls, holds them back and counts them; nothing for a single call. */
  readonly patience?: (operation: Operation, retries: number) => Patience;
}

export interface ChangeWatch {
  /** Asks what there is to ask before the change, and tells whether somebody was asked. Rejects like `leaves`. */
  asks(input: Input): Promise<boolean> | undefined;
  /** Rejects where the change is not to leave. */
  leaves(input: Input): Promise<void> | undefined;
  answered(data: unknown): void;
}

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
