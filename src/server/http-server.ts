// An HTTP server for programs of this machine: it binds to the loopback address only, and limits the time and size of
// what clients send. A request may fail; the server does not.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { codeOf } from '../fs/io-errors.ts';

/** The error of one field. A sentence is the name of the field and the message: `foo is not a field of this body`. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export interface HttpError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes an error with any status; `message` is a whole sentence. */
export const httpError = (
  status: number,
  code: string,
  message: string,
  more: Partial<Pick<HttpError, 'details' | 'headers'>> = {},
): HttpError => ({ status, code, message, details: [], ...more });

/** The largest body of a request that is read. */
const MAX_BODY_BYTES = 1_048_576;

/** A request that has arrived whole. */
export interface Arrival {
  readonly incoming: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly body: Buffer;
}

interface ServerParts {
  /** Returns why a request is refused by its head. */
  refusal(incoming: http.IncomingMessage): HttpError | undefined;
  /** Responds to a request. */
  serve(arrival: Arrival): Promise<void>;
  /** Returns the response to a refused request; `what` is its method and path, for a note. */
  refuse(what: string, reason: HttpError): HttpResponse;
}

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
} as const;

const tooLarge = httpError(
  413,
  'body_too_large',
  `The body must be at most ${MAX_BODY_BYTES} bytes.`,
);

/** Makes a server with the limits above; `listen` starts it. */
export function createHttpServer(parts: ServerParts): http.Server {
  const handle = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    // The body is read even if the head is refused: a client that still sends may not read the response.
    const body = await readBytes(incoming);
    const reason = parts.refusal(incoming);
    if (reason === undefined && body !== undefined)
      return parts.serve({ incoming, response, body });
    const { method = '', url = '' } = incoming;
    send(response, parts.refuse(`${method} ${shownPath(url)}`, reason ?? tooLarge));
  };
  return http.createServer(LIMITS, (incoming, response) => {
    // It rejects if the client has disconnected, or the response cannot be made: only this connection ends.
    handle(incoming, response).catch(() => incoming.destroy());
  });
}

/** Returns why a request of a web page is refused: a browser adds one of these headers, other clients add neither. */
export function refuseWebPage({ headers }: http.IncomingMessage): HttpError | undefined {
  const isFromPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return isFromPage ? httpError(403, 'from_a_browser', 'Web pages are not allowed.') : undefined;
}

/** Reads the body; `undefined` over 1 MiB. Rejects if the client disconnects. Decompresses nothing. */
async function readBytes(incoming: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

const MAX_PATH = 120;

/** Formats a path for a note: without its query, in one line. */
function shownPath(url: string): string {
  const plain = url.split('?')[0]!.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_PATH ? `${plain.slice(0, MAX_PATH)}…` : plain;
}

export function send(response: http.ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Listens on the loopback address; resolves with the port. Rejects with `Failure('local_io')` if it cannot. */
export function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // This listener stays: a later error must not end the process, and then rejects nothing.
    server.on('error', (error) => {
      const isBusy = codeOf(error) === 'EADDRINUSE';
      const why = isBusy ? 'is in use' : `cannot be used: ${codeOf(error) ?? error.message}`;
      reject(
        new Failure('local_io', {
          what: `port ${port} ${why}`,
          hint: 'choose another port, or 0 for any free port',
          cause: error,
        }),
      );
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
