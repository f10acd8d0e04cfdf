// Reads the responses to `social api`, which the API document need not describe.

import type { Operation } from '../../api/operations/define-operation.ts';
import type { HttpResponse } from '../../base/http.ts';
import { isObject } from '../../base/json.ts';
import { readResponse, type Result } from '../../client/read-response.ts';

/** The keys of a successful envelope. */
const ENVELOPE = new Set(['ok', 'data', 'error']);

/** Reads the content of the envelope, or the whole body without one. */
export function readData(operation: Operation, response: HttpResponse): Result {
  return readResponse(operation, response, (body) => {
    if (!isObject(body) || !Object.hasOwn(body, 'data')) return { data: body, warnings: [] };
    const beside = Object.keys(body).filter((key) => !ENVELOPE.has(key));
    const more = `the response has ${beside.join(', ')} beside its data; --include shows all of it`;
    return { data: body['data'], warnings: beside.length === 0 ? [] : [more] };
  });
}

/** Reads the status, the headers and the whole body. */
export function readWithHead(operation: Operation, response: HttpResponse): Result {
  const { status, headers } = response;
  const whole = readResponse(operation, response, (body) => ({ data: body, warnings: [] }));
  return { data: { status, headers, body: whole.data }, warnings: whole.warnings };
}

/** Reads a response to HEAD, which has no body. */
export function readHead(operation: Operation, response: HttpResponse): Result {
  const { status, headers } = response;
  if (status >= 300) return readResponse(operation, response);
  return { data: { status, headers }, warnings: [] };
}
