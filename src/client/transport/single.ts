// Sends requests by Node's HTTP client: all of a single call, and those of a batch that share no connection. A
// connection is used again only where the request allows it, and only within a second of the last response on it: over a
// network, the change after a read then waits for one round trip instead of three.

import {
  Agent,
  request as beginRequest,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { unexpectedUpgrade } from './errors.ts';
import type { Connect, Exchange, HttpClient, ReceivedHeaders } from './exchange.ts';

/** An idle connection is kept for at most this time: servers close theirs after five seconds or more. */
const IDLE_MS = 1000;
/** With these values of `keep-alive` the server closes the connection before another request could reach it. */
const USED_UP = /\b(?:max=0|timeout=[01])\b/;

/** Makes a client that gives each request a connection of its own, or with `keepAlive` one that reuses connections. */
export function createNodeClient(
  connect: Connect,
  { keepAlive }: { readonly keepAlive: boolean },
): HttpClient {
  const agent = new ConnectingAgent(connect, keepAlive);
  return {
    // First the event loop polls its sockets: then it is known if the server closed a connection right after its last
    // response.
    send: (exchange) => setImmediate(() => setImmediate(() => sendRequest(agent, exchange))),
  };
}

/** The options that an agent passes to `createConnection`, always with a callback. */
type RequestOptions = ClientRequestArgs & { readonly url: URL };

type Connected = (error: Error | null, socket: Duplex) => void;

/** An agent whose connections are opened by `connect`, and which reuses the one that was idle for the longest time. */
class ConnectingAgent extends Agent {
  readonly #connect: Connect;

  constructor(connect: Connect, keepAlive: boolean) {
    super({ keepAlive, scheduling: 'fifo', timeout: IDLE_MS });
    this.#connect = connect;
  }

  override createConnection(options: ClientRequestArgs, callback?: Connected): Duplex {
    void this.#open((options as RequestOptions).url, callback!);
    // Node's types do not know that nothing is returned if the callback gets the socket.
    return undefined as unknown as Duplex;
  }

  async #open(url: URL, callback: Connected): Promise<void> {
    let socket: Duplex;
    try {
      socket = await this.#connect(url);
    } catch (error) {
      // After an error, Node ignores the socket.
      return callback(error as Error, undefined!);
    }
    callback(null, socket);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // Unrequested bytes must not become the response to the next request. And Node itself notices only a moment later
    // that the server has ended a connection, which is too late for a request that starts now.
    socket.on('data', destroyed).on('end', destroyed);
    // Node returns true if the socket is kept; its types say that nothing is returned.
    return super.keepSocketAlive(socket) as unknown as boolean;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', destroyed).off('end', destroyed);
    super.reuseSocket(socket, request);
  }
}

function destroyed(this: Duplex): void {
  this.destroy();
}

/** Sends one request. Nothing of it is written before the connection is open. */
function sendRequest(agent: Agent, exchange: Exchange): void {
  const { url } = exchange;
  const { method, headers, body: text, bytes } = exchange.request;
  let response: IncomingMessage | undefined;
  const failed = (error: Error) => {
    // Anything after a complete response is ignored.
    if (response?.complete !== true) exchange.onError(error);
  };
  const options: RequestOptions = {
    agent,
    host: url.hostname,
    // The agent only compares host and port, so `https:` may stand for the default port; `connect` gets the URL.
    port: url.port || url.protocol,
    path: url.pathname + url.search,
    method,
    setHost: false,
    insecureHTTPParser: false,
    url,
  };
  const body = bytes ?? text ?? null;
  const length = body === null ? 0 : Buffer.byteLength(body);
  const outgoing = beginRequest(options).on('error', failed);
  try {
    // Headers are not passed as an option: with NODE_DEBUG=http an agent prints its options, and the token would be
    // among them.
    outgoing.setHeader('host', url.host);
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
    // POST, PUT and PATCH have the header also without a body (RFC 9110 8.6).
    if (length > 0 || method.startsWith('P')) outgoing.setHeader('content-length', length);
  } catch (error) {
    return void outgoing.destroy(error as Error);
  }
  outgoing.once('socket', () => {
    exchange.onStart(() => void outgoing.destroy(), outgoing.reusedSocket);
  });
  outgoing.on('upgrade', (_response, socket) => {
    socket.destroy();
    failed(unexpectedUpgrade());
  });
  outgoing.on('information', ({ statusCode }) => exchange.onHead(statusCode, {}));
  outgoing.on('response', (incoming) => {
    response = incoming;
    const { socket } = incoming;
    exchange.onHead(incoming.statusCode!, byName(incoming.rawHeaders));
    incoming.on('data', (chunk: Buffer) => exchange.onData(chunk));
    incoming.on('end', () => {
      if (USED_UP.test(String(incoming.headers['keep-alive']))) socket.destroy();
      exchange.onEnd();
    });
    incoming.on('error', failed);
  });
  outgoing.end(body);
}

/** Groups the values of each header. On Node 20.19, `headersDistinct` throws for a name such as `__proto__`. */
function byName(raw: readonly string[]): ReceivedHeaders {
  const values = new Map<string, string>();
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i]!.toLowerCase(), raw[i + 1]!];
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(values);
}
