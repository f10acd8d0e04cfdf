// Requests of a batch that may share a connection, by undici's `Pool`: half the CPU time of Node's client for each.
// undici reuses a connection only after the event loop has read what the server sent after its last response.

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Connect, HttpClient } from './exchange.ts';

/** The longest time that an idle connection is kept, whatever the server says. */
const IDLE_MS = 1000;

/** Makes a client with a maximum number of connections to an origin. Further requests wait for one of them. */
export function createPoolClient(connect: Connect, connections: number): HttpClient {
  // undici starts the first request on a connection while `callback` runs, so only then a connection is new.
  let isNew = false;
  const options = {
    connections,
    pipelining: 1,
    async connect({ protocol, host }: buildConnector.Options, callback: buildConnector.Callback) {
      let socket: Socket;
      try {
        socket = await connect(new URL(`${protocol}//${host}`));
      } catch (error) {
        return callback(error as Error, null);
      }
      isNew = true;
      callback(null, socket);
      isNew = false;
    },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // `Exchange` limits the time: undici's own limits restart with every byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const pools = new Map<string, Pool>();
  return {
    send(exchange) {
      const { method, headers, body, bytes } = exchange.request;
      const { origin, pathname, search } = exchange.url;
      const pool = pools.get(origin) ?? new Pool(origin, options);
      pools.set(origin, pool);
      pool.dispatch(
        { path: pathname + search, method, headers, body: bytes ?? body ?? null },
        {
          onRequestStart: (controller) =>
            exchange.onStart(() => controller.abort(new Error('given up')), !isNew),
          onResponseStart: (_controller, status, received) =>
            exchange.onHead(status, received as Record<string, string | string[]>),
          onResponseData: (_controller, chunk) => exchange.onData(chunk),
          onResponseEnd: () => exchange.onEnd(),
          onResponseError: (_controller, error) => exchange.onError(error),
        },
      );
    },
  };
}
