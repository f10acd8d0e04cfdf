// The way to a service over the network: which HTTP client sends a request, and which connections it may use.

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
  /** How many connections the requests of a batch share at most; undefined for a single call. */
  readonly connections?: number | undefined;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: URL | undefined;
  /** Refuses a name that leads away from this machine. */
  readonly loopbackOnly?: boolean;
}

interface Transport {
  readonly send: Send;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const MAX_CONNECT_MS = 10_000;

/** Opens nothing yet: connections with the first request, undici's pool with the first request of a batch that may share. */
export function openTransport(options: TransportOptions): Transport {
  const { timeoutMs, connections, ca, proxy, loopbackOnly = false } = options;
  const connectMs = Math.min(MAX_CONNECT_MS, timeoutMs);
  const { connect, stop } = createConnector({
    ca,
    lookup: loopbackOnly ? loopbackLookup : undefined,
    proxy,
    // An attempt to connect ends with the request that waits for it, so that the next one begins another. A moment
    // later, so that the failure is that of the request.
    timeoutMs: connectMs + 10,
  });
  const limits = { timeoutMs, connectMs, proxyHost: proxy?.host };
  const fresh = createNodeClient(connect);
  let pool: HttpClient | undefined;
  let endsAtContinue = false;
  /** The client for requests of a batch that may share a connection. A single call does without undici. */
  const sharingClient = async (): Promise<HttpClient> => {
    if (connections === undefined || endsAtContinue) return fresh;
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
        // undici fails at a `100 Continue` that nobody asked for: the changes after it go by Node's client.
        endsAtContinue ||= error instanceof Failure && isContinue(error.facts.cause);
        throw error;
      });
    },
    close: async () => stop(),
  };
}

/**
 * Resolves like the system does, and fails when any of the addresses is not a loopback one: for `localhost` over plain
 * http, where the name alone is not to be trusted with a token.
 */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    if (error !== null || addresses.every((each) => each === '::1' || isLoopbackHost(each)))
      callback(error, found, family);
    else callback(Object.assign(new Error('not this machine'), { code: NOT_THIS_MACHINE }), '', 0);
  });
};
