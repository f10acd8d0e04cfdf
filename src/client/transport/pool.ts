// Connections that serve one request after the other: undici's `Pool` an origin.

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Connector } from './connector.ts';
import { MAX_HEADER_BYTES, type SharedConnections } from './dispatch.ts';

/** Pools of at most so many connections. */
export function createPools(connector: Connector, connections: number): SharedConnections {
  // A request that begins while its connection is handed over is the first on it.
  let isNew = false;
  const connect = async (address: buildConnector.Options, callback: buildConnector.Callback) => {
    let socket: Socket;
    try {
      socket = await connector.connect(address);
    } catch (error) {
      return callback(error as Error, null);
    }
    isNew = true;
    callback(null, socket);
    isNew = false;
  };
  const options = {
    connections,
    pipelining: 1,
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Time is kept in one place, `timeouts`: undici's own limits restart with every byte that drips in.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const current = new Map<string, Pool>();
  return {
    isNewConnection: () => isNew,
    to(origin) {
      const pool = current.get(origin) ?? new Pool(origin, options);
      current.set(origin, pool);
      return pool;
    },
    leave(origin, dispatcher) {
      const pool = current.get(origin);
      if (pool === undefined || pool !== dispatcher) return;
      current.delete(origin);
      void pool.close();
    },
  };
}
