// Sends the request of an operation until it has an answer, as the retry policy allows, and says what a lost answer
// means: a change that may have happened is `outcome_unknown`.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { Failure, internalFailure } from '../base/errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../base/http.ts';
import { identified } from '../base/request-id.ts';
import { type ResponseReader, readResponse, type Result } from './read-response.ts';
import { isIdempotent, type RetryObserver, type RetryPolicy, withRetries } from './retry.ts';

type Attempt = (tries: number) => Promise<Result>;

interface Sending {
  readonly send: Send;
  readonly signal: AbortSignal;
  /** How an answer becomes a result; `readResponse` where nothing is said. */
  readonly read?: ResponseReader | undefined;
  /** Throws for a result that cannot be used. */
  readonly check?: ((result: Result) => void) | undefined;
  /** Is told of attempts and pauses. */
  readonly activity?: RetryObserver | undefined;
  /** Called before each attempt after the first. */
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Sends the request of an operation and reads the answer, repeating where that is safe.
 * Throws a `Failure`; when a change may have happened that is `outcome_unknown`.
 */
export function sendWithRetry(
  operation: Operation,
  request: HttpRequest,
  retryPolicy: RetryPolicy,
  { send, signal, read = readResponse, check, activity, onRetry }: Sending,
): Promise<Result> {
  const attempt = async (tries: number): Promise<Result> => {
    if (tries > 1) onRetry?.();
    let response: HttpResponse;
    try {
      response = await send(request, signal);
    } catch (error) {
      throw classifyNoResponse(operation, error);
    }
    return readSafely(operation, response, read, check);
  };
  const tried = operation.method === 'DELETE' ? treat404AsDeleted(attempt) : attempt;
  return withRetries(tried, retryPolicy, signal, activity);
}

/** An answer has come: a fault of our own in reading it does not mean that nothing was done. */
function readSafely(
  operation: Operation,
  response: HttpResponse,
  read: ResponseReader,
  check: Sending['check'],
): Result {
  try {
    const result = read(operation, response);
    check?.(result);
    return result;
  } catch (error) {
    if (error instanceof Failure) throw identified(error, response.headers);
    const { facts } = internalFailure(error);
    const change = isChange(operation);
    const failure = new Failure('internal', {
      ...facts,
      ...(change ? { why: ['the service responded; the change may have been applied'] } : {}),
      sent: true,
      outcome: change ? 'unknown' : 'none',
      retryable: false,
    });
    throw identified(failure, response.headers);
  }
}

/** A 404 after a DELETE whose response was lost means that it deleted. */
function treat404AsDeleted(attempt: Attempt): Attempt {
  let mayBeDone = false;
  return async (tries) => {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (mayBeDone && error.kind === 'not_found') return gone;
      mayBeDone ||= error.kind === 'outcome_unknown';
      throw error;
    }
  };
}

const gone: Result = {
  data: undefined,
  warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
};

/** After it was sent, a change without a response is `outcome_unknown`, and a read may be retried. */
function classifyNoResponse(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { facts, kind } = error;
  if (kind !== 'no_answer' || facts.sent !== true) return error;
  const retryable = isIdempotent(operation);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  // A read of what cannot be read is asked for once more; a change is worth every attempt.
  const { mostRetries: _, ...lost } = facts;
  return new Failure('outcome_unknown', { ...lost, retryable });
}
