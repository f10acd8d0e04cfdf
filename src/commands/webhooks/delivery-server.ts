// The server of `webhooks listen`: takes any POST on the loopback address, and answers when the delivery was taken. Any
// Host is accepted, since a tunnel passes on its own; web pages are not.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpResponse } from '../../base/http.ts';
import { close, createHttpServer, listen, send } from '../../sandbox/http-server.ts';
import { type HttpError, httpError } from '../../sandbox/responses.ts';
import type { Delivery } from './delivery.ts';
import type { Intake } from './accept-delivery.ts';

/**
 * Listens until `close`; 0 is any free port, `now` the wall clock. Throws `Failure('local_io')` when the port is in
 * use.
 */
export async function startReceiver(
  port: number,
  { take, noteRefused, now }: Pick<Intake, 'take' | 'noteRefused'> & { now(): number },
) {
  const underway = new Set<Promise<void>>();
  const server = createHttpServer({
    refusal,
    async serve({ incoming, response, body }) {
      const { url: target = '', rawHeaders } = incoming;
      const exchange = answer({ time: now(), target, rawHeaders, body }, response);
      underway.add(exchange);
      await exchange.finally(() => underway.delete(exchange));
      return undefined;
    },
    responseTo,
    noteRefused,
    now,
  });
  async function answer(delivery: Delivery, response: ServerResponse): Promise<void> {
    const status = await take(delivery);
    const closed = new Promise((resolve) => response.once('close', resolve));
    send(response, { status, headers: {}, body: '' });
    if (!response.destroyed) await closed;
  }
  const bound = await listen(server, port);
  return {
    /** Without a slash at the end. */
    url: `http://127.0.0.1:${bound}`,
    /** Accepts nothing more, gives what has arrived whole `graceMs` to be answered, and ends every connection. */
    async close(graceMs: number): Promise<void> {
      server.close();
      server.closeIdleConnections();
      const late = new AbortController();
      const grace = AbortSignal.any([late.signal, AbortSignal.timeout(graceMs)]);
      const expired = new Promise((resolve) => grace.addEventListener('abort', resolve));
      await Promise.race([Promise.allSettled(underway), expired]);
      late.abort();
      await close(server);
    },
  };
}

function refusal({ method, headers }: IncomingMessage): HttpError | undefined {
  if (method !== 'POST')
    return httpError(405, 'method_not_allowed', 'A delivery is a POST.', {
      headers: { allow: 'POST' },
    });
  // A browser sends one of them with each POST of a page; a service sends neither.
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return httpError(403, 'from_a_browser', 'Web pages are not allowed to post deliveries.');
  return undefined;
}

const responseTo = ({ status, message, headers = {} }: HttpError): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${message}\n`,
});
