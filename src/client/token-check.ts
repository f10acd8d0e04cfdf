// Whether a service takes a token, by one GET that changes nothing. The API has no who-am-I: what the answer tells is
// a guess, and said to be one.

import { toRequest } from './build-request.ts';
import { retryPolicyFor } from './retry.ts';
import { sendWithRetry } from './send-with-retry.ts';
import { get } from '../api/operations/posts.ts';
import type { FailureFacts } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { createActivity } from './activity.ts';
import { asFailure } from '../output/error-report.ts';
import type { Service } from './open-service.ts';
import type { Settings } from '../config/settings.ts';

export interface TokenCheck {
  /** `likely`: it looked for what is not there. `limited`: it may not read posts. `unsure`: no answer says. */
  readonly verdict: 'accepted' | 'likely' | 'refused' | 'limited' | 'unsure';
  /** What went wrong, where it is unsure. */
  readonly why?: string;
  /** What an error says of the request, where the service did not take the token. */
  readonly request?: Pick<
    FailureFacts,
    'sent' | 'host' | 'attempts' | 'requestId' | 'clientRequestId'
  >;
}

/** The id of a post that does not exist. */
export const PROBE = 'NoSuchPostIsHere';

/** Asks once. Rejects only on a signal or an internal error. */
export async function checkToken(
  service: Pick<Service, 'baseUrl' | 'send' | 'newId' | 'trace' | 'close'>,
  settings: Settings,
  runtime: Runtime,
): Promise<TokenCheck> {
  const { baseUrl, newId, close } = service;
  const id = newId();
  const { host } = new URL(baseUrl);
  const request = toRequest(get, { postId: PROBE }, { baseUrl, id });
  const shown = createActivity(runtime, settings).begin(host, 1);
  try {
    const { signal } = runtime;
    const send = settings.debug
      ? await (await import('./trace.ts')).traceSend(service, runtime)
      : service.send;
    await sendWithRetry(get, request, retryPolicyFor(settings, runtime, 0), { send, signal });
    return { verdict: 'accepted' };
  } catch (error) {
    const { kind, facts } = asFailure(error);
    if (runtime.signal.aborted || kind === 'internal') throw error;
    if (kind === 'not_found') return { verdict: 'likely' };
    const { attempts = 1, requestId, sent = false } = facts;
    const known = { sent, host, attempts, clientRequestId: id, ...(requestId && { requestId }) };
    if (facts.status === 401) return { verdict: 'refused', request: known };
    if (facts.status === 403) return { verdict: 'limited', request: known };
    return { verdict: 'unsure', why: facts.what, request: known };
  } finally {
    shown.end();
    await close();
  }
}
