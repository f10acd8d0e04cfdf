// The sandbox over HTTP, for `sandbox serve`: the request handler behind its token, with injected faults on request. It
// opens no connection itself, and serves programs of this machine, not web pages.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { isLoopbackHost } from '../base/url.ts';
import { decodeUtf8 } from '../base/utf8.ts';
import { type ChaosFault, type ChaosPlan, createChaos, injectedError } from './chaos.ts';
import {
  type Arrival,
  close,
  createHttpServer,
  type HttpError,
  httpError,
  listen,
  refuseWebPage,
  send,
} from '../server/http-server.ts';
import { errorResponse } from './responses.ts';
import { type ArrivedRequest, createRequestHandler } from './router.ts';
import { openState, type StateOptions } from './store/store.ts';

export interface ServeOptions extends StateOptions {
  /** Port 0, the default, means any free port. */
  readonly port?: number;
  /** Faults to inject, with their seed. */
  readonly chaos?: { readonly plan: ChaosPlan; readonly seed: number } | undefined;
  /** Called for each request with the right token, before it is processed. */
  readonly onRequest?: (request: ArrivedRequest, fault: ChaosFault | undefined) => void;
  /** Prints a line about a refused request, without its headers. */
  readonly note: (line: string) => void;
}

/**
 * Serves the state of `stateDir` until `close`. Throws `Failure('local_io')` if the port is in use or the state cannot
 * be read or written.
 */
export async function startSandbox(options: ServeOptions) {
  const { port = 0, now, note, chaos, onRequest } = options;
  const state = await openState(options);
  const token = await state.run((_records, header) => header.token);
  const handle = await createRequestHandler(state, now);
  const faultOf = chaos && createChaos(chaos.plan, chaos.seed);

  /** Responds also to a disk error or a bug of the sandbox, which must not end the process. */
  const answer = async (request: ArrivedRequest): Promise<HttpResponse> => {
    try {
      return await handle(request);
    } catch (error) {
      const message = error instanceof Failure ? error.message : 'a fault of the tool';
      note(`sandbox: failed: ${message}`);
      const failed = httpError(500, 'sandbox_failed', `The sandbox failed: ${message}.`);
      return errorResponse(failed, now());
    }
  };
  const serve = async ({ incoming, response, body: bytes }: Arrival): Promise<void> => {
    const body = decodeUtf8(bytes);
    if (body === undefined) return send(response, errorResponse(notUtf8, now()));
    const request = { method: incoming.method ?? '', url: incoming.url ?? '', body };
    const { delayMs = 0, fault } = faultOf?.(request) ?? {};
    // An unreferenced timer does not keep a stopped server alive.
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    onRequest?.(request, fault);
    if (fault === 'reset') {
      incoming.socket.resetAndDestroy();
      return;
    }
    const result =
      typeof fault === 'number'
        ? errorResponse(injectedError(fault), now())
        : await answer(request);
    if (fault === 'lost') incoming.socket.destroy();
    else send(response, result);
  };
  const server = createHttpServer({
    refusal: (incoming) => refusal(incoming, token),
    serve,
    refuse(what, reason) {
      note(`sandbox: refused ${what} (${reason.status} ${reason.code})`);
      return errorResponse(reason, now());
    },
  });
  const boundPort = await listen(server, port);
  /** The URL is `http://127.0.0.1:<port>`; `close` ends every connection, and resolves when the port is free again. */
  return { url: `http://127.0.0.1:${boundPort}`, token, close: () => close(server) };
}

const notUtf8 = httpError(400, 'malformed_json', 'The body is not UTF-8.');

/** Returns why a request is refused by its head: it is not for this machine, comes from a page, or lacks the token. */
function refusal(incoming: IncomingMessage, token: string): HttpError | undefined {
  const { headers, headersDistinct, url = '' } = incoming;
  const [host = '', ...others] = headersDistinct['host'] ?? [];
  if (host === '' || others.length > 0 || !url.startsWith('/'))
    return httpError(
      400,
      'bad_head',
      'A request has one Host, and a path that starts with a slash.',
    );
  // A page whose name was made to lead here (DNS rebinding) sends that name, and perhaps no header of a page.
  const address = `http://${host}`;
  if (!URL.canParse(address) || !isLoopbackHost(new URL(address).hostname))
    return httpError(421, 'misdirected', 'The Host header does not name this machine.');
  const isAllowed = isAuthorized(headers.authorization, token);
  return refuseWebPage(incoming) ?? (isAllowed ? undefined : unauthorized);
}

const unauthorized = httpError(
  401,
  'unauthorized',
  'The sandbox requires its own token: Authorization: Bearer <token>.',
  { headers: { 'www-authenticate': 'Bearer' } },
);

/** True if the header has the token. Compares digests, which have equal lengths, in constant time. */
function isAuthorized(header: string | undefined, token: string): boolean {
  const received = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  return received !== undefined && timingSafeEqual(digest(received), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
