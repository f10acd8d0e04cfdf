// Requests by Node's HTTP client, each on a connection of its own: all of a single call, and those of a batch that may
// not share one.

import {
  request as beginRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import {
  MAX_HEADER_BYTES,
  type Connect,
  type HttpClient,
  type OutgoingRequest,
  type ReceivedHeaders,
  type ResponseHandler,
} from './contract.ts';

export const createNodeClient = (connect: Connect): HttpClient => ({
  send: (request, handler) => exchange(connect, request, handler),
});

/** Sends one request. Nothing of it is written before the connection is open. */
function exchange(
  connect: Connect,
  { url, method, headers, body }: OutgoingRequest,
  handler: ResponseHandler,
): void {
  const bytes = body === null ? 0 : Buffer.byteLength(body);
  const length = bytes > 0 || method.startsWith('P') ? ['content-length', String(bytes)] : [];
  let response: IncomingMessage | undefined;
  let outgoing: ClientRequest;
  const failed = (error: Error) => {
    // Anything after a complete response is ignored.
    if (response?.complete !== true) handler.onError(error);
  };
  const options: RequestOptions = {
    createConnection(_options, connected) {
      connect(url).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, undefined!),
      );
      return undefined;
    },
    host: url.hostname,
    port: url.port || url.protocol,
    path: url.pathname + url.search,
    method,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  };
  try {
    outgoing = beginRequest(options).on('error', failed);
  } catch (error) {
    return handler.onError(error as Error);
  }
  try {
    // Not as an option: with NODE_DEBUG=http Node prints what it was given, and the token would be among it.
    const list = ['host', url.host, ...headers, ...length];
    for (let at = 0; at < list.length; at += 2) outgoing.setHeader(list[at]!, list[at + 1]!);
  } catch (error) {
    return void outgoing.destroy(error as Error);
  }
  outgoing.once('socket', () => {
    handler.onStart(() => void outgoing.destroy(), false);
  });
  outgoing.on('upgrade', (_response, socket) => {
    socket.destroy();
    failed(new Error('bad upgrade'));
  });
  outgoing.on('response', (incoming) => {
    response = incoming;
    handler.onHead(incoming.statusCode!, byName(incoming.rawHeaders));
    incoming.on('data', (chunk: Buffer) => handler.onData(chunk));
    incoming.on('end', () => handler.onEnd());
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
