// One request on its socket from arrival to response: rejected at once, or read, handled, perhaps given an injected
// fault, and answered. `onExchange` is called before the response leaves.

import * as http from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../base/http.ts';
import { codeOf, ioFailure } from '../fs/io-errors.ts';
import { type ChaosFault, type InjectedFault, injectFault } from './chaos.ts';
import { rejectRequest } from './origin-guard.ts';
import { errorResponse, type HttpError, httpError } from './responses.ts';
import { type ArrivedRequest, MAX_BODY_BYTES, type RequestHandler } from './router.ts';
import { decodeUtf8 } from '../base/utf8.ts';

/** The body as text, or an error: 413 over 1 MiB (the rest stays unread), 400 not UTF-8. Rejects when the client goes. */
function readBody(request: IncomingMessage): Promise<string | HttpError> {
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
    request.on('end', () => resolve(decodeUtf8(Buffer.concat(chunks)) ?? notUtf8));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  });
}

const notUtf8 = httpError(400, 'malformed_json', 'The body is not UTF-8.');

/** How long a client that was answered early may go on sending before its connection is cut. */
const LINGER_MS = 500;

function send(response: http.ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Answers while the body may still be arriving, and ends the connection; reads on, so that no reset loses the answer. */
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
export function unreadableBody(code: string | undefined): HttpError | undefined {
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
    const head = { target: incoming.url ?? '', rawHeaders: incoming.rawHeaders };
    const reason = rejectRequest(head, parts.port());
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
  const body = await readBody(incoming);
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

/** Of lines about refused requests: a broken client must not flood the terminal. */
const LINES_A_SECOND = 5;
const MAX_PATH = 120;

/** A function that notes a refused request by method and path, without query and headers; `now` is the wall clock. */
export function createNotes(note: (line: string) => void, now: () => number) {
  let window = { second: 0, lines: 0, dropped: 0 };
  return (what: string, reason: string): void => {
    const second = Math.floor(now() / 1000);
    if (second !== window.second) {
      if (window.dropped > 0) note(`sandbox: refused ${window.dropped} more requests`);
      window = { second, lines: 0, dropped: 0 };
    }
    if (window.lines++ < LINES_A_SECOND) note(`sandbox: refused ${shown(what)} (${reason})`);
    else window.dropped++;
  };
}

function shown(what: string): string {
  const [path = ''] = what.split('?');
  const plain = path.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_PATH ? `${plain.slice(0, MAX_PATH)}…` : plain;
}
