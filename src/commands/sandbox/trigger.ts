// `sandbox trigger`: sends one delivery of the sandbox to a receiver.

import { WebhookEvent } from '../../api/schema/webhook.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../base/http.ts';
import { toJson } from '../../base/json.ts';
import { excerpt, quote, sanitizeLine } from '../../base/sanitize.ts';
import { notAmong, withSuggestions } from '../../base/suggestions.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { writeRequests } from '../../client/dry-run.ts';
import { kindOfStatus } from '../../client/read-response.ts';
import { openTransport } from '../../client/transport/open-transport.ts';
import { connectionOptions } from '../../client/transport/tls.ts';
import { printRows } from '../../output/write-result.ts';
import type { SandboxDelivery } from '../../sandbox/deliveries.ts';
import { isHttpError } from '../../sandbox/responses.ts';
import { sandboxDelivery } from '../../sandbox/server.ts';
import { deliveryUrlFault } from '../webhooks/forward.ts';
import { readSigning, signatureHeaders, type Signing } from '../webhooks/signature.ts';
import { placeIn } from './serve.ts';

/** Sends it, and shows the status of the answer. Throws a failure for one that is no 2xx. */
export async function triggerDelivery(call: LocalCall): Promise<void> {
  const { runtime, settings } = call;
  const { event, to, postId, signing } = await readFlags(call);
  const delivery = await deliveryFor(call, event, postId);
  const request = requestOf(delivery, to, signing, runtime.now());
  if (settings.dryRun || settings.curl) return writeRequests([request], settings, runtime, false);
  const transport = openTransport(await connectionOptions(to, settings, runtime, undefined));
  try {
    const response = await transport.send(request, runtime.signal).catch((error: unknown) => {
      throw error instanceof Failure ? unreached(error) : error;
    });
    const { status } = response;
    if (status < 200 || status >= 300) throw refused(response, new URL(to).host);
    const { id: deliveryId, data } = delivery;
    const { post } = data as { readonly post?: { readonly id: string } };
    const row = { status, event, deliveryId, ...(post === undefined ? {} : { postId: post.id }) };
    await printRows(call, Object.keys(row), [row], row);
  } finally {
    await transport.close();
  }
}

async function deliveryFor(
  { runtime }: LocalCall,
  event: string,
  postId: string | undefined,
): Promise<SandboxDelivery> {
  try {
    return await sandboxDelivery(placeIn(runtime), event, postId);
  } catch (error) {
    if (!isHttpError(error)) throw error;
    throw new Failure('not_found', {
      what: error.message,
      next: postId === undefined ? 'social sandbox reset' : 'social sandbox show --ids post',
      sent: false,
    });
  }
}

function requestOf(
  delivery: SandboxDelivery,
  url: string,
  signing: Signing | undefined,
  now: number,
): HttpRequest {
  const body = toJson(delivery);
  const signed = signing && signatureHeaders(signing, { id: delivery.id, body, now });
  const headers = { 'content-type': 'application/json', 'user-agent': 'social-sandbox', ...signed };
  return { method: 'POST', url, headers, body };
}

/** No answer: that nothing listens there is a receiver's, not the service's. */
function unreached({ kind, facts }: Failure): Failure {
  const isAway = facts.sent !== true && facts.retryable !== false;
  const hint = 'is a receiver running? social webhooks listen';
  return new Failure(kind, isAway ? { ...facts, hint } : facts);
}

/** A receiver that did not take it: the status decides the exit code. It may be sent again. */
function refused({ status, body }: HttpResponse, host: string): Failure {
  const isNoAnswer = status >= 500 || status === 408 || status < 400;
  const kind = status === 429 ? 'rate_limited' : isNoAnswer ? 'no_answer' : kindOfStatus(status);
  const lead = `HTTP ${status}`;
  const said = excerpt(sanitizeLine(body.trim()), 200);
  const what = said === '' ? lead : `${lead}: ${said}`;
  return new Failure(kind, { what, lead, host, status, sent: true, retryable: true });
}

/** Throws one `usage` failure with all faults. */
async function readFlags({ flags, operands, runtime }: LocalCall) {
  const [event] = operands;
  const { to, post } = flags as { readonly to?: string; readonly post?: string };
  const names: readonly string[] = WebhookEvent.options;
  const faults: Fault[] = [];
  if (event === undefined || !names.includes(event)) faults.push(notAmong('event', event, names));
  const urlFault = to === undefined ? 'is required' : deliveryUrlFault(to);
  if (urlFault !== undefined) faults.push({ field: '--to', problem: urlFault });
  if (post !== undefined && event?.startsWith('post.') === false)
    faults.push({ field: '--post', problem: `cannot be used with ${quote(event)}` });
  const signing = await readSigning('--sign', flags, runtime, faults);
  if (faults.length > 0)
    throw usageFailure(await withSuggestions(faults), 'social sandbox trigger --help');
  return { event: event!, to: to!, postId: post, signing };
}
