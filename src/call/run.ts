// The atom: one operation, called once. Everything that repeats or maps it is built on this.

import { Failure } from '../errors.ts';
import type { HttpRequest, Send } from '../http.ts';
import { isChange, type Operation } from '../operations/operation.ts';
import { readAnswer, type Read, type Result } from './answer.ts';
import { retrying, type Patience } from './retry.ts';

/**
 * Sends the request of an operation and reads the answer, repeating where that is safe.
 * Throws a `Failure`; when a change may have happened that is `outcome_unknown`.
 */
export function run(
  operation: Operation,
  request: HttpRequest,
  send: Send,
  patience: Patience,
  signal: AbortSignal,
  read: Read = readAnswer,
): Promise<Result> {
  const attempt = () =>
    send(request, signal).then(
      (response) => read(operation, response),
      (error: unknown) => {
        throw weighed(operation, error);
      },
    );
  return retrying(operation.method === 'DELETE' ? takingAway(attempt) : attempt, patience, signal);
}

/** What was to be taken away is not there: after an attempt whose answer was lost, that attempt did it. */
function takingAway(attempt: () => Promise<Result>): () => Promise<Result> {
  let lost = false;
  return async () => {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Failure && lost && error.kind === 'not_found') return gone;
      lost ||= error instanceof Failure && error.kind === 'outcome_unknown';
      throw error;
    }
  };
}

const gone: Result = {
  data: undefined,
  warnings: ['already gone: an earlier attempt, whose answer was lost, must have done it'],
};

/** A lost answer means more for a change than for a read, and more when the request had left. */
function weighed(operation: Operation, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { facts, kind } = error;
  if (kind !== 'no_answer' || facts.sent !== true) return error;
  const retryable = ['GET', 'PUT', 'DELETE'].includes(operation.method);
  if (!isChange(operation)) return new Failure('no_answer', { ...facts, retryable });
  return new Failure('outcome_unknown', { ...facts, retryable });
}
