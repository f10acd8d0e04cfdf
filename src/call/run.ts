// The atom: one operation, called once. Everything that repeats or maps it is built on this.

import { Failure } from '../errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import { readAnswer, type Read, type Result } from './answer.ts';
import { retrying, type Patience } from './retry.ts';

/**
 * Sends the request of an operation and reads the answer, repeating where that is safe.
 * Throws a `Failure`; when a change may have happened that is `outcome_unknown`.
 */
export async function run(
  operation: Operation,
  request: HttpRequest,
  send: Send,
  patience: Patience,
  signal: AbortSignal,
  read: Read = readAnswer,
): Promise<Result> {
  let lost = false;
  const attempt = async () => {
    try {
      return read(operation, await sendOnce(operation, request, send, signal));
    } catch (error) {
      if (error instanceof Failure && lost && isGone(operation, error)) return gone;
      lost ||= error instanceof Failure && error.kind === 'outcome_unknown';
      throw error;
    }
  };
  return retrying(attempt, patience, signal);
}

/** What was to be taken away is not there: after an attempt whose answer was lost, that attempt did it. */
const isGone = ({ method }: Operation, { kind }: Failure): boolean =>
  method === 'DELETE' && kind === 'not_found';

const gone: Result = {
  data: undefined,
  warnings: ['already gone: an earlier attempt, whose answer was lost, must have done it'],
};

async function sendOnce(
  operation: Operation,
  request: HttpRequest,
  send: Send,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    return await send(request, signal);
  } catch (error) {
    throw error instanceof Failure ? weighed(operation, error) : error;
  }
}

/** A lost answer means more for a change than for a read, and more when the request had left. */
function weighed(operation: Operation, failure: Failure): Failure {
  const { facts } = failure;
  if (failure.kind !== 'no_answer' || facts.sent !== true) return failure;
  const retryable = ['GET', 'PUT', 'DELETE'].includes(operation.method);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  return new Failure('outcome_unknown', { ...facts, retryable });
}
