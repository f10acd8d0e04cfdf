// A server for tests on the loopback: it sends scripted responses and records every request, byte for byte.

import * as http from 'node:http';
import { listenOnLoopback } from './listen.ts';

export interface RecordedRequest {
  readonly method: string;
  /** Path and query, unchanged. */
  readonly target: string;
  /** Lower-case names; a header that came twice has its values joined with ` | `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RecordingServer {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Connections that were ever opened. */
  connections(): number;
}

/** Returns a success envelope around data that is already JSON text. */
export const successResponse = (data = '{}'): StubResponse => ({
  body: `{"ok":true,"data":${data}}`,
});

/** Returns an error envelope as the service's samples show it, with `ok: true`. */
export const errorResponse = (status: number, code = 'nope', message = 'No.'): StubResponse => ({
  status,
  body: JSON.stringify({ ok: true, error: { code, message, details: null } }),
});

/** Sends this response to requests with a token, and 401 to others. */
export const toTokens =
  (answer: StubResponse) =>
  (_number: number, { headers }: RecordedRequest): StubResponse =>
    headers['authorization'] === undefined ? errorResponse(401) : answer;

/** Starts the server. It sends the same response each time, or one by the number of the request, from 1. */
export async function recordingServer(
  answer:
    StubResponse | ((number: number, request: RecordedRequest) => StubResponse) = successResponse(),
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const came = {
        method: request.method!,
        target: request.url!,
        headers: joined(request.rawHeaders),
        bytes: Buffer.concat(chunks),
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(came);
      const now = typeof answer === 'function' ? answer(requests.length, came) : answer;
      response.writeHead(now.status ?? 200, { 'content-type': 'application/json', ...now.headers });
      response.end(now.body);
    });
  });
  server.on('connection', () => void connections++);
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, requests, connections: () => connections };
}

function joined(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const headers = Object.create(null) as Record<string, string>;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? rawHeaders[i + 1]! : `${before} | ${rawHeaders[i + 1]!}`;
  }
  return headers;
}
