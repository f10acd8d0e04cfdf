// One request on its socket, once it has come whole: handled, perhaps given an injected fault, and answered.
// `onExchange` is called before the response leaves.

import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../base/http.ts';
import { type ChaosFault, type InjectedFault, injectFault } from './chaos.ts';
import { type Arrival, send } from './http-server.ts';
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
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const calm: InjectedFault = { delayMs: 0, fault: undefined };

/** The exchange of a request that is refused without being handled. */
export const refusedExchange = (
  { status }: HttpError,
  incoming: IncomingMessage,
  time: number,
): SandboxExchange => ({ time, request: arrived(incoming), status, ...calm });

/** Answers a request, or resolves with why it is refused. */
export async function serveExchange(
  { incoming, response, body: bytes, time }: Arrival,
  parts: ExchangeParts,
): Promise<HttpError | undefined> {
  const body = decodeUtf8(bytes);
  if (body === undefined) return notUtf8;
  const request = { ...arrived(incoming), body };
  const { isKnown, chaos, onExchange } = parts;
  const injected = chaos !== undefined && (await isKnown(request)) ? chaos(request) : calm;
  // Unreferenced: it does not keep a stopped server alive.
  if (injected.delayMs > 0) await sleep(injected.delayMs, undefined, { ref: false });
  const answer = await answerTo(request, injected.fault, parts);
  onExchange({ time, request, status: answer?.status, ...injected });
  if (answer !== undefined) send(response, answer);
  else if (injected.fault === 'reset') incoming.socket.resetAndDestroy();
  else incoming.socket.destroy();
  return undefined;
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
