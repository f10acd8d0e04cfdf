// The sandbox behind a socket of this machine. Binds to the loopback only, contacts nobody,
// and answers every request it can read: no request may end the process.

import * as http from 'node:http';
import type { Socket } from 'node:net';
import { refused } from './answer.ts';
import { readBody } from './body.ts';
import { turnedAway } from './gate.ts';
import { createHandler, type Handler } from './handler.ts';
import type { Change } from './kinds.ts';
import { createNotes } from './notes.ts';
import type { Refusal } from './refusal.ts';
import { type Samples, samples } from './seed/samples.ts';
import { seed as ownSeed } from './seed/seed.ts';
import { openState } from './state.ts';
import { close, endRaw, listen, send, sendEarly, unreadable } from './wire.ts';

export interface SandboxOptions {
  readonly stateDir: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes a line for the user: a damaged state, a refused request. */
  readonly note: (line: string) => void;
  /** What a fresh sandbox holds instead of its own small world. */
  readonly seed?: (now: number) => readonly Change[];
}

export interface Sandbox {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly samples: Samples;
  /** Ends every connection at once; resolves when the port is free again. */
  close(): Promise<void>;
}

/** Gives the sandbox of `stateDir` a fresh start and a new token; servers that run on it follow at once. */
export async function resetSandbox(
  options: Pick<SandboxOptions, 'stateDir' | 'now' | 'seed'>,
): Promise<Samples> {
  const state = await openState({ seed: ownSeed, note: () => {}, ...options });
  await state.reset();
  state.close();
  return samples;
}

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // `gate` refuses it, in an envelope
} as const;
const MAX_CONNECTIONS = 1_000;

/**
 * Serves the state of `stateDir` until `close`. Throws `Failure('local_io')` when the port is in use
 * or the state cannot be read or written.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { stateDir, port = 0, now, note, seed = ownSeed } = options;
  const state = await openState({ stateDir, now, note, seed });
  const { token } = await state.header();
  const noteRefused = createNotes(note, now);
  const handle = await createHandler({
    state,
    now,
    onRefused: ({ method, url }, reason) => noteRefused(`${method} ${url}`, reason),
  });

  let ownPort = port;
  const server = http.createServer(LIMITS, (request, response) => {
    const turnAway = (reason: Refusal) => {
      noteRefused(`${request.method} ${request.url}`, `${reason.status} ${reason.code}`);
      sendEarly(request, response, refused(reason, now()));
    };
    const knock = { target: request.url ?? '', rawHeaders: request.rawHeaders };
    const reason = turnedAway(knock, ownPort);
    if (reason !== undefined) turnAway(reason);
    else serve(request, response, handle, turnAway).catch(() => request.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const reason = unreadable(error.code);
    if (reason !== undefined) noteRefused('a request', `${reason.status} ${reason.code}`);
    endRaw(socket as Socket, reason && refused(reason, now()));
  });

  try {
    ownPort = await listen(server, port);
    const url = `http://127.0.0.1:${ownPort}`;
    return { url, token, samples, close: () => close(server).finally(() => state.close()) };
  } catch (error) {
    state.close();
    throw error;
  }
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  handle: Handler,
  turnAway: (reason: Refusal) => void,
): Promise<void> {
  const body = await readBody(request);
  if (typeof body !== 'string') {
    turnAway(body);
    return;
  }
  const { method = '', url = '', headers } = request;
  const { authorization, 'content-type': contentType } = headers;
  const known = { authorization, 'content-type': contentType };
  send(response, await handle({ method, url, headers: known, body }));
}
