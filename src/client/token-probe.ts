// Checks that a service accepts a token, with GETs that change nothing: one with the token, and if that succeeds the same
// one without it, because a response that comes without a token as well says nothing about it. `auth login`, `auth status
// --check` and `doctor` all use this function. The API has no who-am-I operation, so a success is a heuristic, and is
// described as one.

import { get as getPost } from '../api/operations/posts.ts';
import { asFailure, Failure, type FailureFacts, headed, headlineOf } from '../base/errors.ts';
import type { Send } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import { versionHint } from '../base/url.ts';
import type { Settings } from '../config/settings.ts';
import { sendOperation } from './call-operation.ts';
import { hostOf, type Service } from './open-client.ts';

/** No post has this ID, so a service that accepts the token answers with `not_found`. */
const MISSING_POST_ID = 'NoSuchPostIsHere';

/**
 * Sends at most two requests and closes the service. Returns the failure, which has no next step, if the service does not
 * accept the token or does not check it. Rejects only after a signal or an internal error.
 */
export async function checkToken(
  service: Service,
  settings: Settings,
  runtime: Runtime,
): Promise<Failure | undefined> {
  /** Returns the failure of one request; `undefined` if a post came. */
  const ask = async (send: Send): Promise<Failure | undefined> => {
    try {
      const client = {
        service: { ...service, send },
        settings,
        runtime,
        flags: {},
        causeRules: [],
      };
      await sendOperation(client, getPost, { postId: MISSING_POST_ID }, { retries: 0 });
      return undefined;
    } catch (error) {
      const failure = asFailure(error);
      if (runtime.signal.aborted || failure.kind === 'internal') throw error;
      return failure;
    }
  };
  try {
    const { baseUrl, sendWithoutToken } = service;
    const failure = await ask(service.send);
    if (failure !== undefined && !(isFromApi(failure) && failure.kind === 'not_found'))
      return failure.with(explained(failure, baseUrl));
    if (sendWithoutToken === undefined) return undefined;
    const without = await ask(sendWithoutToken);
    if (formOf(failure) === formOf(without)) return ignoresToken(failure, service);
    return without !== undefined && saysNothing(without)
      ? without.with({ what: `${NOT_PROVEN}: ${without.facts.what}` })
      : undefined;
  } finally {
    service.close();
  }
}

const NOT_PROVEN = 'it is not proven that the service looks at the token';

/** Names a response by what it says about a request: a post, or the status and the code of an error. */
const formOf = (failure: Failure | undefined): string =>
  failure === undefined
    ? 'a post'
    : `HTTP ${failure.facts.status} ${failure.facts.code ?? ''}`.trim();

/** True for a failure that has nothing to do with the token: no response, trouble, too many requests. */
const saysNothing = ({ kind, facts: { status } }: Failure): boolean =>
  status === undefined || status >= 500 || kind === 'rate_limited';

/** Makes the failure of an address that responds in the same way without a token. */
function ignoresToken(failure: Failure | undefined, service: Service): Failure {
  const what = `${hostOf(service)} answers the same without a token (${formOf(failure)}): it does not look at the token there`;
  const { pathname } = new URL(service.baseUrl);
  const path = pathname === '/' ? undefined : `check the path ${pathname} of the base URL`;
  return new Failure(failure?.kind ?? 'no_answer', {
    ...failure?.facts,
    what,
    parts: undefined,
    hint: versionHint(service.baseUrl) ?? path ?? OTHER_SERVICE,
    sent: true,
    retryable: false,
  });
}

/** True if the response is an error object of the API. */
const isFromApi = ({ facts }: Failure): boolean => facts.sender === 'service';

/** Returns the words for a response that is not a success. */
function explained(failure: Failure, baseUrl: string): FailureFacts {
  const { status, what, parts, hint, sender } = failure.facts;
  if (status === 401 && sender !== 'gateway')
    return headed('HTTP 401', '', 'the service rejected the token');
  const isOther = status !== undefined && !isFromApi(failure);
  const version = status === undefined ? undefined : versionHint(baseUrl);
  return { what, parts, hint: version ?? hint ?? (isOther ? OTHER_SERVICE : undefined) };
}

const OTHER_SERVICE = 'probably another service, or the wrong --base-url';

/** Describes the result of a check in one clause: the response, its host and the likely cause. */
export function checkInWords(failure: Failure | undefined): string {
  if (failure === undefined)
    return 'the token was probably accepted: the service answered a test request';
  const { hint, requestId } = failure.facts;
  const id = requestId && `request id: ${requestId}`;
  return [headlineOf(failure), hint, id].filter(Boolean).join('; ');
}
