// Requests with a connection of their own, by Node's HTTP client. What it costs to load undici and to compile its parser
// is worth it only where many requests share connections.

import { request as beginRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf, type Connector } from './connector.ts';
import {
  MAX_HEADER_BYTES,
  type OutgoingRequest,
  type RequestDispatcher,
  type RequestHandler,
} from './send-request.ts';

/** Makes each request over a connection that `connect` opens for it, and ends that with the response. */
export const createSingleRequests = ({ connect }: Connector): RequestDispatcher => ({
  dispatch(request, handler) {
    const url = new URL(request.origin);
    void connect(addressOf(url)).then(
      (socket) => exchange(socket, url.host, request, handler),
      (error: Error) => handler.onResponseError(undefined, error),
    );
  },
});

function exchange(
  socket: Socket,
  host: string,
  { method, path, headers, body }: OutgoingRequest,
  handler: RequestHandler,
): void {
  const controller = { abort: () => void socket.destroy() };
  handler.onRequestStart(controller);
  if (socket.destroyed) return;
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  const length = bytes > 0 || method.startsWith('P') ? ['content-length', String(bytes)] : [];
  let response: IncomingMessage | undefined;
  const failed = (error: Error) => {
    // What follows a complete response is none of it.
    if (response?.complete !== true) handler.onResponseError(controller, error);
  };
  const outgoing = beginRequest({
    createConnection: () => socket,
    method,
    path,
    headers: ['host', host, 'connection', 'close', ...headers, ...length],
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
  outgoing.on('error', failed);
  outgoing.on('upgrade', () => {
    socket.destroy();
    failed(new Error('bad upgrade'));
  });
  outgoing.on('response', (incoming) => {
    response = incoming;
    handler.onResponseStart(controller, incoming.statusCode!, incoming.headersDistinct);
    incoming.on('data', (chunk: Buffer) => handler.onResponseData(controller, chunk));
    incoming.on('end', () => handler.onResponseEnd());
    incoming.on('error', failed);
  });
  outgoing.end(body);
}
