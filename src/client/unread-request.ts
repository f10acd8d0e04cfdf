// Servers that read no request of this program, because they want a client certificate or another version of HTTP.
// Nothing behind them has processed a request, also if it was sent.

import { Failure, type FailureFacts, headed } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject, ownJson } from '../base/json.ts';

const why = ['the request was not processed'];

export const WANTS_CERTIFICATE: FailureFacts = {
  what: 'the server wants a client certificate, which social cannot send',
  why,
  hint: 'a relay on this machine, such as stunnel, can send one; its http://127.0.0.1 address is then the base URL',
};

export const WANTS_HTTP2: FailureFacts = {
  what: 'the server speaks only HTTP/2, social only HTTP/1.1',
  why,
  hint: 'use an address of the service that speaks HTTP/1.1 as well',
};

/** Statuses of the page that says that a client certificate is missing: 400 of nginx, 403 of IIS. */
const CERTIFICATE_STATUSES = [400, 403, 495, 496];
const CERTIFICATE_PAGE =
  /No required SSL certificate was sent|The SSL certificate error|client certificate (is )?required/i;

/**
 * Returns the failure of a response that says so; `undefined` for any other. An error that is JSON comes from the service
 * itself, which may have done something before. A 426 is a refusal like any other 4xx.
 */
export function refusedUnread({ status, body }: HttpResponse): Failure | undefined {
  const isPage = CERTIFICATE_STATUSES.includes(status) && CERTIFICATE_PAGE.test(body);
  if (!(isPage || status === 426 || status === 505) || isObject(ownJson(body))) return undefined;
  const { what, hint } = isPage ? WANTS_CERTIFICATE : WANTS_OTHER_HTTP;
  const facts = { ...headed(`HTTP ${status}`, '', what), why, hint };
  const fixed = { status, sent: true, retryable: false } as const;
  return status === 426
    ? new Failure('refused', { ...facts, ...fixed })
    : new Failure('no_answer', { ...facts, ...fixed, outcome: 'none' });
}

const WANTS_OTHER_HTTP: FailureFacts = {
  ...WANTS_HTTP2,
  what: 'the server wants another version of HTTP, and social speaks HTTP/1.1',
};
