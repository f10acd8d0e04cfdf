// Answers of the sandbox, always JSON in one of the two envelopes, always marked as the sandbox's.

import type { HttpResponse } from '../http.ts';
import type { Refusal } from './refusal.ts';

/** 200 with the success envelope. `now` is in milliseconds since 1970, here and below. */
export const success = (data: unknown, now: number): HttpResponse =>
  answer(200, { ok: true, data }, now);

/** A refusal as the error envelope; it says `ok: true`, as the samples of the API document do. */
export function refused(
  { status, code, message, details, headers }: Refusal,
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
