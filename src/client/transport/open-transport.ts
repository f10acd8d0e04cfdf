// Sends requests to a service over the network: chooses the HTTP client of a request, and the connections that it may
// use.

import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Failure } from '../../base/errors.ts';
import type { Send } from '../../base/http.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { createConnector } from './connect.ts';
import type { HttpClient } from './contract.ts';
import { isContinue, NOT_THIS_MACHINE } from './errors.ts';
import { sendThrough } from './exchange.ts';
import { createNodeClient } from './single.ts';

export interface TransportOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the response. */
  readonly timeoutMs: number;
  /** The maximum number of connections that the requests of a batch share; `undefined` for a single call. */
  readonly connections?: number | undefined;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: URL | undefined;
  /** Rejects a host name that does not resolve to this machine. */
  readonly loopbackOnly?: boolean;
}

interface Transport {
  readonly send: Send;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

const MAX_CONNECT_MS = 10_000;

/** Opens connections with the first request, and undici's pool with the first request of a batch that may share. */
export function openTransport(options: TransportOptions): Transport {
  const { timeoutMs, connections, ca, proxy, loopbackOnly = false } = options;
  const connectMs = Math.min(MAX_CONNECT_MS, timeoutMs);
  const { connect, stop } = createConnector({
    ca,
    lookup: loopbackOnly ? loopbackLookup : undefined,
    proxy,
    // An attempt to connect ends with its request, so that the next request makes a new attempt. It ends a moment
    // later, so that the failure is that of the request.
    timeoutMs: connectMs + 10,
  });
  const limits = { timeoutMs, connectMs, proxyHost: proxy?.host };
  const { fresh, shared } = createNodeClient(connect);
  let pool: HttpClient | undefined;
  let endsAtContinue = false;
  /** Returns the client for requests that may share a connection. A single call does not need undici. */
  const sharingClient = async (): Promise<HttpClient> => {
    if (connections === undefined || endsAtContinue) return shared;
    if (pool === undefined) {
      const { createPoolClient } = await import('./pool.ts');
      pool ??= createPoolClient(connect, connections);
    }
    return pool;
  };
  return {
    async send(request, signal) {
      if (request.sharesConnection !== true) return sendThrough(fresh, request, signal, limits);
      const client = await sharingClient();
      // A lost change is not sent again.
      const fallback = request.method === 'GET' ? fresh : undefined;
      return sendThrough(client, request, signal, limits, fallback).catch((error: unknown) => {
        // undici fails at an unrequested `100 Continue`, so later changes use Node's client.
        endsAtContinue ||= error instanceof Failure && isContinue(error.facts.cause);
        throw error;
      });
    },
    close: async () => stop(),
  };
}

/**
 * Resolves like the system, and fails if any address is not a loopback one: for `localhost` over plain http, where the
 * name alone is not trusted with a token.
 */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    if (
      error !== null ||
      addresses.every((address) => address === '::1' || isLoopbackHost(address))
    )
      callback(error, found, family);
    else callback(Object.assign(new Error('not this machine'), { code: NOT_THIS_MACHINE }), '', 0);
  });
};
