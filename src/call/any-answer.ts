// An answer of which the API document says nothing: its data, whatever that is. What is an error, and what an error
// means for a change, is the same as everywhere. Pure.

import type { HttpResponse } from '../http.ts';
import { isObject } from '../json.ts';
import type { Operation } from '../operations/operation.ts';
import { readAnswer, type Result } from './answer.ts';

/** What an envelope of success has. */
const ENVELOPE = new Set(['ok', 'data', 'error']);

/** Reads an answer to any request. The data is what the envelope holds; the whole body where there is no envelope. */
export function readAny(operation: Operation, response: HttpResponse): Result {
  return readAnswer(operation, response, (_operation, _response, body) => {
    if (!isObject(body) || !Object.hasOwn(body, 'data')) return { data: body, warnings: [] };
    const beside = Object.keys(body).filter((key) => !ENVELOPE.has(key));
    const warnings =
      beside.length === 0
        ? []
        : [`the answer has ${beside.join(', ')} beside its data; --whole shows all of it`];
    return { data: body['data'], warnings };
  });
}

/** The same with the envelope around the data. */
export function readWhole(operation: Operation, response: HttpResponse): Result {
  return readAnswer(operation, response, (_operation, _response, body) => ({
    data: body,
    warnings: [],
  }));
}

/** An answer that is headers alone. */
export function readHead(operation: Operation, response: HttpResponse): Result {
  const { status, headers } = response;
  if (status >= 300) return readAnswer(operation, response);
  return { data: { status, headers }, warnings: [] };
}
