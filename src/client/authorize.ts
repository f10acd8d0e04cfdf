// The way out of every request: it is counted, shown with `--debug`, and sent with the token.

import { Failure, isSignal } from '../base/errors.ts';
import type { Send } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';
import type { FoundToken } from '../config/auth/token.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Counts each request, and shows it with `--debug`. It is counted before it is sent, because a signal may end the
 * command while it is in progress; one that was not sent is subtracted again.
 */
export async function observed(send: Send, { debug }: Settings, runtime: Runtime): Promise<Send> {
  const { traffic = { reads: 0, changes: 0 }, agent } = runtime;
  const counted: Send = async (request, signal) => {
    const kind = request.method === 'GET' || request.method === 'HEAD' ? 'reads' : 'changes';
    signal.throwIfAborted();
    traffic[kind]++;
    // A cancelled tool of an agent ends its reads, and what is not sent yet; a change that it has sent continues.
    const own = kind === 'changes' ? agent?.changeSignal : undefined;
    try {
      return await send(request, own ?? signal);
    } catch (error) {
      if (error instanceof Failure && error.facts.sent !== true) traffic[kind]--;
      throw error;
    }
  };
  return debug ? (await import('./trace.ts')).traceSend(counted, runtime) : counted;
}

/**
 * Sends with the token. A rejected token (401) may have expired during a long batch: its source is read once more, and
 * the request is sent again with a new token. A rejected request was not applied, so nothing happens twice.
 */
export function authorized(
  send: Send,
  { token, read }: FoundToken,
  { note, secrets }: Pick<Runtime, 'note' | 'secrets'>,
): Send {
  secrets.addToken(token);
  let current = token;
  /**
   * Set from a rejection until the service accepts a token again, so that requests share one renewal: two rejected
   * tokens in a row mean that the source has no good one.
   */
  let renewal: Promise<void> | undefined;
  const renew = async () => {
    try {
      const next = await read();
      secrets.addToken(next);
      current = next;
    } catch (error) {
      if (!(error instanceof Failure) || isSignal(error.kind)) throw error;
      note(`the token was rejected, and no new one was found: ${error.facts.what}`);
    }
  };
  return async (request, signal) => {
    const sendWith = (bearer: string) =>
      send(
        { ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } },
        signal,
      );
    const used = current;
    const response = await sendWith(used);
    if (response.status !== 401) {
      if (used === current) renewal = undefined;
      return response;
    }
    // Another request may have renewed the token while this one was sent. If the source still has the rejected token,
    // nothing is sent again.
    if (used === current) await (renewal ??= renew());
    return used === current ? response : sendWith(current);
  };
}
