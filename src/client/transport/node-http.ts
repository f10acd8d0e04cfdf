// Requests with a connection of their own, by Node's HTTP client. What it costs to load undici and to compile its
// parser is worth it only where many requests share connections.

import { request as beginRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf, type Connector } from './connector.ts';
import {
  MAX_HEADER_BYTES,
  type DispatchHandler,
  type OutgoingRequest,
  type ReceivedHeaders,
  type RequestDispatcher,
} from './dispatch.ts';

/** Makes each request over a connection that `connect` opens for it, and ends that with the response. */
export function createSingleRequests({ connect }: Connector): RequestDispatcher {
  return {
    async dispatch(request, handler) {
      let socket: Socket | undefined;
      try {
        const url = new URL(request.origin);
        socket = await connect(addressOf(url));
        exchange(socket, url.host, request, handler);
      } catch (error) {
        socket?.destroy();
        handler.onResponseError(undefined, error as Error);
      }
    },
  };
}

/** Sends a request over a socket that is for it alone. Throws for what is no request, before anything is written. */
function exchange(
  socket: Socket,
  host: string,
  { method, path, headers, body }: OutgoingRequest,
  handler: DispatchHandler,
): void {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  const length = bytes > 0 || method.startsWith('P') ? ['content-length', String(bytes)] : [];
  const outgoing = beginRequest({
    createConnection: () => socket,
    method,
    path,
    headers: ['host', host, 'connection', 'close', ...headers, ...length],
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
  const controller = { abort: () => void outgoing.destroy() };
  let response: IncomingMessage | undefined;
  const failed = (error: Error) => {
    // What follows a complete response is none of it.
    if (response?.complete !== true) handler.onResponseError(controller, error);
  };
  outgoing.on('error', failed);
  outgoing.on('upgrade', () => failed(new Error('bad upgrade')));
  outgoing.on('response', (incoming) => {
    response = incoming;
    handler.onResponseStart(controller, incoming.statusCode!, byName(incoming.rawHeaders));
    incoming.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
    incoming.on('end', () => handler.onResponseEnd());
    incoming.on('error', failed);
  });
  handler.onRequestStart(controller);
  outgoing.end(body);
}

/** The values of each header. On Node 20.19, its own `headersDistinct` throws for a name such as `__proto__`. */
function byName(raw: readonly string[]): ReceivedHeaders {
  const values = new Map<string, string>();
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i]!.toLowerCase(), raw[i + 1]!];
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(values);
}
