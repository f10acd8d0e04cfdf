// Checks that a service accepts a token, with one GET that changes nothing. `auth login`, `auth status --check` and
// `doctor` all use this function. The API has no who-am-I operation, so a success is a heuristic, and is described as
// one.

import { sendOperation } from './call-operation.ts';
import { get } from '../api/operations/posts.ts';
import { Failure, type FailureFacts, headed, headlineOf } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { asFailure } from '../output/error-report.ts';
import type { Service } from './open-client.ts';
import type { Settings } from '../config/settings.ts';

/** The success in words, or the failure, which has no next step. */
export type TokenCheck = { readonly accepted: string } | { readonly failure: Failure };

/** The ID of a post that does not exist. */
const PROBE = 'NoSuchPostIsHere';

/** Sends one request and closes the service. Rejects only after a signal or an internal error. */
export async function checkToken(
  service: Service,
  settings: Settings,
  runtime: Runtime,
): Promise<TokenCheck> {
  try {
    await sendOperation({ service, settings, runtime }, get, { postId: PROBE }, { retries: 0 });
    return { accepted: ACCEPTED };
  } catch (error) {
    const failure = asFailure(error);
    if (runtime.signal.aborted || failure.kind === 'internal') throw error;
    if (isFromApi(failure) && failure.kind === 'not_found') return { accepted: ACCEPTED };
    return { failure: new Failure(failure.kind, { ...failure.facts, ...inWords(failure) }) };
  } finally {
    service.close();
  }
}

const ACCEPTED = 'probably accepted: the service answered a test request';

/** True if the response is an error object of the API: with a code in words. */
const isFromApi = ({ facts: { code, status } }: Failure): boolean =>
  code !== undefined && status !== undefined;

/** Describes a response that is not a success. */
function inWords(failure: Failure): FailureFacts {
  const { status, what, lead, hint } = failure.facts;
  if (status === 401) return headed('HTTP 401', ': the service rejected the token');
  if (status === 403 && isFromApi(failure))
    return headed('HTTP 403', ': the token lacks permission to read posts');
  const isOther = status !== undefined && !isFromApi(failure);
  return { what, lead, hint: hint ?? (isOther ? OTHER_SERVICE : undefined) };
}

const OTHER_SERVICE = 'probably another service, or the wrong --base-url';

/** Describes a failed check in one clause: the response, its host and the likely cause. */
export const checkInWords = (check: TokenCheck): string =>
  'accepted' in check
    ? check.accepted
    : [headlineOf(check.failure), check.failure.facts.hint, idOf(check.failure)]
        .filter(Boolean)
        .join('; ');

const idOf = ({ facts: { requestId } }: Failure) => requestId && `request id: ${requestId}`;
