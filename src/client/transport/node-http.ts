// Requests with a connection of their own, by Node's HTTP client. What it costs to load undici and to compile its
// parser is worth it only where many requests share connections.

import { request as beginRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf, type Connector } from './connector.ts';
import {
  MAX_HEADER_BYTES,
  type DispatchHandler,
  type OutgoingRequest,
  type RequestDispatcher,
} from './dispatch.ts';

/** Makes each request over a connection that `connect` opens for it, and ends that with the response. */
export function createSingleRequests({ connect }: Connector): RequestDispatcher {
  let last: { readonly origin: string; readonly url: URL } | undefined;
  const urlOf = (origin: string) => {
    if (last?.origin !== origin) last = { origin, url: new URL(origin) };
    return last.url;
  };
  return {
    async dispatch(request, handler) {
      let socket: Socket | undefined;
      try {
        const url = urlOf(request.origin);
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
  const unexpected = () => {
    failed(new Error('bad upgrade'));
    socket.destroy();
  };
  outgoing.on('upgrade', unexpected);
  // Nobody has asked whether to continue.
  outgoing.on('continue', unexpected);
  outgoing.on('response', (incoming) => {
    response = incoming;
    handler.onResponseStart(controller, incoming.statusCode!, incoming.headersDistinct);
    incoming.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
    incoming.on('end', () => handler.onResponseEnd());
    incoming.on('error', failed);
  });
  handler.onRequestStart(controller);
  if (!outgoing.destroyed) outgoing.end(body);
}
