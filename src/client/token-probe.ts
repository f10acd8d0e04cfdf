// Checks that a service accepts a token, with one GET that changes nothing. `auth login`, `auth status --check` and
// `doctor` all use this function. The API has no who-am-I operation, so a success is a heuristic, and is described as
// one.

import { get as getPost } from '../api/operations/posts.ts';
import { type Failure, type FailureFacts, headed, headlineOf } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { asFailure } from '../output/error-report.ts';
import { sendOperation } from './call-operation.ts';
import type { Service } from './open-client.ts';

/** No post has this ID, so a service that accepts the token answers with `not_found`. */
const MISSING_POST_ID = 'NoSuchPostIsHere';

/**
 * Sends one request and closes the service. Returns the failure, which has no next step, if the service does not accept
 * the token. Rejects only after a signal or an internal error.
 */
export async function checkToken(
  service: Service,
  settings: Settings,
  runtime: Runtime,
): Promise<Failure | undefined> {
  try {
    const client = { service, settings, runtime, flags: {}, causeRules: [] };
    await sendOperation(client, getPost, { postId: MISSING_POST_ID }, { retries: 0 });
    return undefined;
  } catch (error) {
    const failure = asFailure(error);
    if (runtime.signal.aborted || failure.kind === 'internal') throw error;
    if (isFromApi(failure) && failure.kind === 'not_found') return undefined;
    return failure.with(explained(failure));
  } finally {
    service.close();
  }
}

/** True if the response is an error object of the API. */
const isFromApi = ({ facts }: Failure): boolean => facts.sender === 'service';

/** Returns the words for a response that is not a success. */
function explained(failure: Failure): FailureFacts {
  const { status, what, lead, hint, sender } = failure.facts;
  if (status === 401 && sender !== 'gateway')
    return headed('HTTP 401', ': the service rejected the token');
  const isOther = status !== undefined && !isFromApi(failure);
  return { what, lead, hint: hint ?? (isOther ? OTHER_SERVICE : undefined) };
}

const OTHER_SERVICE = 'probably another service, or the wrong --base-url';

/** Describes the result of a check in one clause: the response, its host and the likely cause. */
export function checkInWords(failure: Failure | undefined): string {
  if (failure === undefined) return 'probably accepted: the service answered a test request';
  const { hint, requestId } = failure.facts;
  const id = requestId && `request id: ${requestId}`;
  return [headlineOf(failure), hint, id].filter(Boolean).join('; ');
}
