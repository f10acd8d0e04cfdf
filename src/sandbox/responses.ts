// Makes the responses of the sandbox: always JSON, with a header that marks them as the sandbox's. Handlers throw an
// `HttpError`: a plain value and not an `Error`, because a refusal needs no stack.

import type { HttpResponse } from '../base/http.ts';
import { type FieldFault, type HttpError, httpError } from '../server/http-server.ts';

/** Makes a 404 `<kind>_not_found`: it does not exist, or is not the caller's. */
export const notFound = (kind: string, id: string): HttpError =>
  httpError(404, `${kind}_not_found`, `There is no ${kind.replaceAll('_', ' ')} ${id}.`);

/** Makes a 409: the operation is not possible in this state. */
export const conflict = (code: string, message: string): HttpError => httpError(409, code, message);

/** Makes a 422: the input is invalid. Its message is one sentence, and its details have an item for each field. */
export function invalid(details: readonly FieldFault[]): HttpError {
  const [first, second] = details;
  const message =
    first !== undefined && second === undefined
      ? `${first.field} ${first.message}.`
      : `${details.length} fields are not valid.`;
  return httpError(422, 'validation_failed', message, { details });
}

/** Makes a 200 with the success envelope. `now` is in milliseconds since 1970, here and below. */
export const successResponse = (data: unknown, now: number): HttpResponse =>
  answer(200, { ok: true, data }, now);

/** Makes the error envelope, with `ok: true`, as in the samples of the API document. */
export function errorResponse(
  { status, code, message, details, headers }: HttpError,
  now: number,
): HttpResponse {
  return answer(status, { ok: true, error: { code, message, details } }, now, headers);
}

function answer(
  status: number,
  envelope: unknown,
  now: number,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-social-sandbox': '1',
      date: new Date(now).toUTCString(),
      ...headers,
    },
    body: JSON.stringify(envelope),
  };
}
