// How a behaviour says no: a plain value that it throws and the handler turns into an error envelope.
// Not a fault of the sandbox, so no stack is taken.

import type { HttpResponse } from '../base/http.ts';

/** What is wrong with one field; the message follows its name. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface HttpError {
  readonly refused: true;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with any status; `message` is a whole sentence. */
export function httpError(
  status: number,
  code: string,
  message: string,
  details: readonly FieldFault[] = [],
): HttpError {
  return { refused: true, status, code, message, details };
}

/** A refusal that also sends headers. */
export const withHeaders = (
  plain: HttpError,
  headers: HttpError['headers'] & object,
): HttpError => ({
  ...plain,
  headers,
});

/** 404 `<kind>_not_found`: there is no such thing, or it is not the caller's. */
export const notFound = (kind: string, id: string): HttpError =>
  httpError(404, `${kind}_not_found`, `There is no ${kind.replaceAll('_', ' ')} ${id}.`);

/** 409: the thing is not in the state that the operation acts on. */
export const conflict = (code: string, message: string): HttpError => httpError(409, code, message);

/** 422: the input is not valid; one sentence and a line for each field. */
export function invalid(details: readonly FieldFault[]): HttpError {
  const [first] = details;
  const only = details.length === 1 && first !== undefined;
  const message = only
    ? `${first.field} ${first.message}.`
    : `${details.length} fields are not valid.`;
  return httpError(422, 'validation_failed', message, details);
}

/** Tells a refusal from everything else that may be thrown. */
export function isHttpError(thrown: unknown): thrown is HttpError {
  return (
    typeof thrown === 'object' && thrown !== null && 'refused' in thrown && thrown.refused === true
  );
}

// Answers of the sandbox, always JSON in one of the two envelopes, always marked as the sandbox's.

/** 200 with the success envelope. `now` is in milliseconds since 1970, here and below. */
export const successResponse = (data: unknown, now: number): HttpResponse =>
  answer(200, { ok: true, data }, now);

/** A refusal as the error envelope; it says `ok: true`, as the samples of the API document do. */
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
