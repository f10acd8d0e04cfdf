// One request on its socket from arrival to response: rejected at once, or read, handled, perhaps given an injected
// fault, and answered. `onExchange` is called before the response leaves.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../base/http.ts';
import { type ChaosFault, type InjectedFault, injectFault } from './chaos.ts';
import { rejectRequest } from './origin-guard.ts';
import { readBytes, send, sendEarly } from './http-server.ts';
import { errorResponse, type HttpError, httpError } from './responses.ts';
import type { ArrivedRequest, RequestHandler } from './router.ts';
import { decodeUtf8 } from '../base/utf8.ts';

const notUtf8 = httpError(400, 'malformed_json', 'The body is not UTF-8.');

/** A request and its outcome. Contains secrets: a recorder masks them. */
export interface SandboxExchange {
  /** When it came, in milliseconds since 1970. */
  readonly time: number;
  /** Its body is missing where it was not read. */
  readonly request: ArrivedRequest;
  /** Undefined when no answer was given. */
  readonly status: number | undefined;
  readonly fault: ChaosFault | undefined;
  readonly delayMs: number;
}

export interface ExchangeParts {
  readonly handle: RequestHandler;
  /** Whether a request has the right token. Only such a one gets faults: others are refused anyway. */
  readonly isKnown: (request: ArrivedRequest) => Promise<boolean>;
  readonly chaos: ((request: ArrivedRequest) => InjectedFault) | undefined;
  readonly onExchange: (exchange: SandboxExchange) => void;
  readonly noteRefused: (what: string, reason: string) => void;
  /** The port that requests must name. */
  readonly port: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const calm: InjectedFault = { delayMs: 0, fault: undefined };

/** What the server does with each request; a request may fail, the server does not. */
export function serveExchanges(parts: ExchangeParts): RequestListener {
  return (incoming, response) => {
    const reason = rejectRequest(incoming, parts.port());
    if (reason !== undefined) rejectEarly(reason, incoming, response, parts);
    else exchange(incoming, response, parts).catch(() => incoming.destroy());
  };
}

/** Answers a request whose body is not read, or not whole. */
export function rejectEarly(
  reason: HttpError,
  incoming: IncomingMessage,
  response: ServerResponse,
  { noteRefused, onExchange, now }: ExchangeParts,
): void {
  const request = arrived(incoming);
  const { status, code } = reason;
  noteRefused(`${request.method} ${request.url}`, `${status} ${code}`);
  onExchange({ time: now(), request, status, ...calm });
  sendEarly(incoming, response, errorResponse(reason, now()));
}

async function exchange(
  incoming: IncomingMessage,
  response: ServerResponse,
  parts: ExchangeParts,
): Promise<void> {
  const { now, onExchange } = parts;
  const time = now();
  const bytes = await readBytes(incoming);
  const body = bytes instanceof Uint8Array ? (decodeUtf8(bytes) ?? notUtf8) : bytes;
  if (typeof body !== 'string') {
    rejectEarly(body, incoming, response, parts);
    return;
  }
  const request = { ...arrived(incoming), body };
  const { isKnown, chaos } = parts;
  const injected = chaos !== undefined && (await isKnown(request)) ? chaos(request) : calm;
  // Unreferenced: it does not keep a stopped server alive.
  if (injected.delayMs > 0) await sleep(injected.delayMs, undefined, { ref: false });
  const answer = await answerTo(request, injected.fault, parts);
  onExchange({ time, request, status: answer?.status, ...injected });
  if (answer !== undefined) send(response, answer);
  else if (injected.fault === 'reset') incoming.socket.resetAndDestroy();
  else incoming.socket.destroy();
}

/** Handles a request unless a fault comes before it; undefined where it gets no answer. */
async function answerTo(
  request: ArrivedRequest,
  fault: ChaosFault | undefined,
  { handle, now }: ExchangeParts,
): Promise<HttpResponse | undefined> {
  if (fault === 'reset') return undefined;
  if (typeof fault === 'number') return errorResponse(injectFault(fault), now());
  const answer = await handle(request);
  return fault === 'lost' ? undefined : answer;
}

/** With the headers that the sandbox reads. */
function arrived({ method = '', url = '', headers }: IncomingMessage): ArrivedRequest {
  const { authorization, 'content-type': contentType } = headers;
  return { method, url, headers: { authorization, 'content-type': contentType } };
}
