// An HTTP server for programs of this machine: binds to the loopback address only, bounds the time, the size and the
// number of what clients send, and answers what it cannot read. No request may end the process.

import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpResponse } from '../base/http.ts';
import { codeOf, ioFailure } from '../fs/io-errors.ts';
import { MAX_BODY_BYTES } from './options.ts';
import { type HttpError, httpError } from './responses.ts';

/** A request that has come whole. */
export interface Arrival {
  readonly incoming: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly body: Buffer;
  /** When its head came, in milliseconds since 1970. */
  readonly time: number;
}

interface ServerParts {
  /** Why a request is refused by its head alone. */
  refusal(incoming: http.IncomingMessage): HttpError | undefined;
  /** Answers a request, or resolves with why it is refused. */
  serve(arrival: Arrival): Promise<HttpError | undefined>;
  responseTo(reason: HttpError): HttpResponse;
  noteRefused(what: string, reason: string): void;
  /** Called for each request that was read and refused. */
  onRefused?(reason: HttpError, incoming: http.IncomingMessage): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A server with the limits below; `listen` starts it. A request may fail, the server does not. */
export function createHttpServer(parts: ServerParts): http.Server {
  const reject = (
    reason: HttpError,
    incoming: http.IncomingMessage,
    response: http.ServerResponse,
  ): void => {
    const { method = '', url = '' } = incoming;
    parts.noteRefused(`${method} ${url}`, `${reason.status} ${reason.code}`);
    parts.onRefused?.(reason, incoming);
    sendEarly(incoming, response, parts.responseTo(reason));
  };
  const take = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const time = parts.now();
    const body = parts.refusal(incoming) ?? (await readBytes(incoming));
    const isWhole = body instanceof Uint8Array;
    const reason = isWhole ? await parts.serve({ incoming, response, body, time }) : body;
    if (reason !== undefined) reject(reason, incoming, response);
  };
  const server = http.createServer(LIMITS, (incoming, response) => {
    take(incoming, response).catch(() => incoming.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  limitIdleConnections(server);
  server.on('checkExpectation', (incoming, response) =>
    reject(
      httpError(417, 'expectation_failed', 'The only supported Expect header is 100-continue.'),
      incoming,
      response,
    ),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const reason = unreadableBody(error.code);
    if (reason !== undefined) parts.noteRefused('a request', `${reason.status} ${reason.code}`);
    endRaw(socket as Socket, reason && parts.responseTo(reason));
  });
  return server;
}

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // a listener that needs it refuses the request itself
} as const;
const MAX_CONNECTIONS = 1_000;

const MAX_IDLE = 500;

/**
 * Limits connections without a whole request: a new one is always accepted, and closes the one that has waited longest.
 */
function limitIdleConnections(server: http.Server): void {
  const idle = new Set<Socket>();
  const begin = (socket: Socket) => {
    idle.add(socket);
    const [longest] = idle;
    if (idle.size > MAX_IDLE && longest !== undefined) {
      idle.delete(longest);
      longest.destroy();
    }
  };
  server.on('connection', (socket) => {
    begin(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', (incoming, response) => {
    const { socket } = incoming;
    incoming.once('end', () => idle.delete(socket));
    response.once('close', () => {
      if (!socket.destroyed) begin(socket);
    });
  });
}

/** The body, or a 413 over 1 MiB (the rest stays unread). Rejects when the client goes. Decompresses nothing. */
function readBytes(request: http.IncomingMessage): Promise<Buffer | HttpError> {
  const tooLarge = httpError(
    413,
    'body_too_large',
    `The body must be at most ${MAX_BODY_BYTES} bytes.`,
  );
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    return Promise.resolve(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(tooLarge);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  });
}

/** How long a client that was answered early may go on sending before its connection is cut. */
const LINGER_MS = 500;

export function send(response: http.ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/**
 * Answers while the body may still be arriving, and ends the connection; reads on, so that no reset loses the answer.
 */
function sendEarly(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  answer: HttpResponse,
): void {
  send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
  request.resume();
  setTimeout(() => request.destroy(), LINGER_MS).unref();
}

/** Answers on a socket whose bytes could not be parsed as a request; without an answer it just ends the connection. */
function endRaw(socket: Socket, answer: HttpResponse | undefined): void {
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
function unreadableBody(code: string | undefined): HttpError | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return httpError(431, 'headers_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return httpError(408, 'too_slow', 'The request took too long.');
  return httpError(400, 'malformed_request', 'This is not an HTTP request.');
}

/** Listens on the loopback address; resolves with the port. Rejects with `Failure('local_io')` when it cannot. */
export function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Stays on: a later error must not end the process, and then rejects nothing.
    server.on('error', (error) => {
      const isBusy = codeOf(error) === 'EADDRINUSE';
      const why = isBusy ? 'is in use' : `cannot be used: ${codeOf(error) ?? error.message}`;
      reject(ioFailure(`port ${port} ${why}`, error));
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

/** Of lines about refused requests: a broken client must not flood the terminal. */
const LINES_A_SECOND = 5;
const MAX_PATH = 120;

/**
 * A function that notes a request by method and path, without query and headers, and the reason; `start` says what
 * became of it (`sandbox: refused`), `now` is the wall clock.
 */
export function createNotes(start: string, note: (line: string) => void, now: () => number) {
  let window = { second: 0, lines: 0, dropped: 0 };
  return (what: string, reason: string): void => {
    const second = Math.floor(now() / 1000);
    if (second !== window.second) {
      if (window.dropped > 0) note(`${start} ${window.dropped} more requests`);
      window = { second, lines: 0, dropped: 0 };
    }
    if (window.lines++ < LINES_A_SECOND) note(`${start} ${shown(what)} (${reason})`);
    else window.dropped++;
  };
}

function shown(what: string): string {
  const [path = ''] = what.split('?');
  const plain = path.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_PATH ? `${plain.slice(0, MAX_PATH)}…` : plain;
}
