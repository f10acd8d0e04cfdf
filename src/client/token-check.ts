// Whether a service takes a token, by one GET that changes nothing. `auth login`, `auth status --check` and `doctor`
// judge by this function alone. The API has no who-am-I: a yes is a heuristic, and is said to be one.

import { toRequest } from './build-request.ts';
import { retryPolicyFor, sendWithRetry } from './retry.ts';
import { get } from '../api/operations/posts.ts';
import { Failure, type FailureFacts, headlineOf } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { showCall } from './activity.ts';
import { asFailure } from '../output/error-report.ts';
import type { Service } from './open-client.ts';
import type { Settings } from '../config/settings.ts';

/** A yes in words, or the failure that says why the answer is no yes. The failure has no next step. */
export type TokenCheck = { readonly accepted: string } | { readonly failure: Failure };

/** The id of a post that does not exist. */
const PROBE = 'NoSuchPostIsHere';

/** Sends one request. Closes the service. Rejects only on a signal or an internal error. */
export async function checkToken(
  service: Service,
  settings: Settings,
  runtime: Runtime,
): Promise<TokenCheck> {
  const { baseUrl, newId, close } = service;
  const id = newId();
  const { host } = new URL(baseUrl);
  const request = toRequest(get, { postId: PROBE }, { baseUrl, query: settings.query, id });
  const shown = showCall(host, 1, settings, runtime);
  try {
    const { signal } = runtime;
    const send = settings.debug
      ? await (await import('./trace.ts')).traceSend(service, runtime)
      : service.send;
    await sendWithRetry(get, request, retryPolicyFor(settings, runtime, 0), { send, signal });
    return { accepted: ACCEPTED };
  } catch (error) {
    const failure = asFailure(error);
    if (runtime.signal.aborted || failure.kind === 'internal') throw error;
    if (isFromApi(failure) && failure.kind === 'not_found') return { accepted: ACCEPTED };
    const { kind, facts } = failure;
    const explained = { ...facts, ...inWords(failure), host, clientRequestId: id };
    return { failure: new Failure(kind, explained) };
  } finally {
    shown.end();
    await close();
  }
}

const ACCEPTED = 'probably accepted: the service answered a test request';

/** Whether the answer is an error object as the API has it: with a code of its own in words. */
const isFromApi = ({ facts: { code, status } }: Failure): boolean =>
  code !== undefined && status !== undefined;

/** What is said of an answer that is no yes. */
function inWords(failure: Failure): Pick<FailureFacts, 'what' | 'lead' | 'hint'> {
  const { status, what, lead, hint } = failure.facts;
  if (status === 401) {
    const refused = 'HTTP 401';
    return { what: `${refused}: the service rejected the token`, lead: refused };
  }
  if (status === 403 && isFromApi(failure))
    return { what: 'HTTP 403: the token lacks permission to read posts', lead: 'HTTP 403' };
  if (status === undefined || isFromApi(failure) || hint !== undefined)
    return { what, ...(lead && { lead }), ...(hint && { hint }) };
  return { what, ...(lead && { lead }), hint: 'probably another service, or the wrong --base-url' };
}

/** The failure of a check in one clause: what came, from where, and what may be the cause. */
export const checkInWords = (check: TokenCheck): string =>
  'accepted' in check
    ? check.accepted
    : [headlineOf(check.failure), check.failure.facts.hint, idOf(check.failure)]
        .filter(Boolean)
        .join('; ');

const idOf = ({ facts: { requestId } }: Failure) => requestId && `request id: ${requestId}`;
