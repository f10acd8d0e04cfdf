// Answers on sockets, and the server's own coming and going. Knows HTTP and nothing of the sandbox's things.

import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { codeOf, failure } from '../files/trouble.ts';
import type { HttpResponse } from '../http.ts';
import { type Refusal, refusal } from './refusal.ts';

/** How long a client that was answered early may go on sending before its connection is cut. */
const LINGER_MS = 500;

/** Answers a request that has been read. */
export function send(response: http.ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/**
 * Answers a request whose body may still be coming, and ends the connection. Reads on for a moment,
 * so that the answer is not lost to a reset.
 */
export function sendEarly(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  answer: HttpResponse,
): void {
  send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
  request.resume();
  setTimeout(() => request.destroy(), LINGER_MS).unref();
}

/** Ends a connection without an answer: with a reset, or just so. */
export function cutOff({ socket }: http.IncomingMessage, hard: boolean): void {
  if (hard) socket.resetAndDestroy();
  else socket.destroy();
}

/** Answers what the parser could not read as a request; without an answer it just ends the connection. */
export function endRaw(socket: Socket, answer: HttpResponse | undefined): void {
  if (answer === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answer;
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\n${lines.join('')}`;
  socket.end(`${head}\r\n${body}`, () => socket.destroy());
}

/** Why the parser could not read a request, by its error code; undefined when the client has gone. */
export function unreadable(code: string | undefined): Refusal | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return refusal(431, 'headers_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return refusal(408, 'too_slow', 'The request took too long.');
  return refusal(400, 'malformed_request', 'This is not an HTTP request.');
}

/** Listens on the loopback; resolves with the port. Rejects with `Failure('local_io')` when it cannot. */
export function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Stays for good: an error of a later connection must not end the process, and rejects nothing any more.
    server.on('error', (error) => {
      const isBusy = codeOf(error) === 'EADDRINUSE';
      const why = isBusy ? 'is in use' : `cannot be used: ${codeOf(error) ?? error.message}`;
      reject(failure(`port ${port} ${why}`, error));
    });
    const bound = () => resolve((server.address() as AddressInfo).port);
    server.listen({ host: '127.0.0.1', port }, bound);
  });
}

/** Ends every connection at once; resolves when the port is free. */
export function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
