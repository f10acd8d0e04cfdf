// Whether a service takes a token, by one GET that changes nothing. The API has no who-am-I: what the answer tells is
// a guess, and said to be one.

import { toRequest } from './build-request.ts';
import { retryPolicyFor } from './retry.ts';
import { sendWithRetry } from './send-with-retry.ts';
import { get } from '../api/operations/posts.ts';
import type { Runtime } from '../base/runtime.ts';
import { createActivity } from './activity.ts';
import { asFailure } from '../output/error-report.ts';
import type { Service } from './open-service.ts';
import type { Settings } from '../config/settings.ts';

interface TokenCheck {
  /** `likely`: it looked for what is not there. `limited`: it may not read posts. `unsure`: no answer says. */
  readonly verdict: 'accepted' | 'likely' | 'refused' | 'limited' | 'unsure';
  /** What went wrong, where it is unsure. */
  readonly why?: string;
  /** The service's own id of the request, where it did not take the token. */
  readonly requestId?: string | undefined;
}

/** The id of a post that does not exist. */
export const PROBE = 'NoSuchPostIsHere';

/** Asks once. Rejects only on a signal or an internal error. */
export async function checkToken(
  { baseUrl, send, newId, close }: Pick<Service, 'baseUrl' | 'send' | 'newId' | 'close'>,
  settings: Settings,
  runtime: Runtime,
): Promise<TokenCheck> {
  const request = toRequest(get, { postId: PROBE }, { baseUrl, id: newId() });
  const shown = createActivity(runtime, settings).begin(new URL(baseUrl).host, 1);
  try {
    const { signal } = runtime;
    await sendWithRetry(get, request, retryPolicyFor(settings, runtime, 0), { send, signal });
    return { verdict: 'accepted' };
  } catch (error) {
    const { kind, facts } = asFailure(error);
    if (runtime.signal.aborted || kind === 'internal') throw error;
    if (kind === 'not_found') return { verdict: 'likely' };
    const { requestId } = facts;
    if (facts.status === 401) return { verdict: 'refused', requestId };
    if (facts.status === 403) return { verdict: 'limited', requestId };
    return { verdict: 'unsure', why: facts.what, requestId };
  } finally {
    shown.end();
    await close();
  }
}
