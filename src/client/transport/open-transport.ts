// The way to a service: its connections, and the HTTP clients that use them. One request is in `send-request.ts`.

import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { HttpRequest, HttpResponse, Send } from '../../base/http.ts';
import { REQUEST_ID } from '../../base/request-id.ts';
import type { Clock } from '../../base/running-clock.ts';
import { createUrlSplitter, isLoopbackHost } from '../../base/url.ts';
import { createSingleRequests } from './node-http.ts';
import { mayShare, RequestExchange, type ExchangeOptions } from './send-request.ts';
import { createConnector, createOpen, type ConnectOptions, type Open } from './connector.ts';
import type { SharedConnections } from './dispatch.ts';
import { trackInFlight } from './timeouts.ts';
import { NOT_THIS_MACHINE } from './network-errors.ts';

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

export interface TransportOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the answer. */
  readonly timeoutMs: number;
  /** What its time is measured by. */
  readonly monotonic: Clock;
  /** How many connections reads share that are made one after the other. Without it each request has its own. */
  readonly connections?: number | undefined;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[];
  readonly proxy?: Proxy;
  /** Refuses a name that leads away from this machine. */
  readonly loopbackOnly?: boolean;
}

/** A proxy in between: its host, for messages, and how connections go through it. */
export interface Proxy {
  readonly host: string;
  opening(options: ConnectOptions): Open;
}

interface Transport {
  readonly send: Send;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const MAX_CONNECT_MS = 10_000;

/** Opens nothing yet: connections with the first request, a pool with the first read that may share one. */
export function openTransport(given: TransportOptions): Transport {
  const { timeoutMs, monotonic, connections, ca, proxy, loopbackOnly = false } = given;
  const options = { ca, lookup: loopbackOnly ? loopbackLookup : undefined };
  const open = proxy?.opening(options) ?? createOpen(options);
  // An attempt to connect ends with the request that waits for it, so that the next one begins another. A moment later,
  // so that the failure is that of the request.
  const connectMs = Math.min(MAX_CONNECT_MS, timeoutMs);
  const connector = createConnector(open, connectMs + 10, monotonic);
  const wire: ExchangeOptions = {
    single: createSingleRequests(connector),
    splitUrl: createUrlSplitter(),
    headersWithId: headerLists(),
    inFlight: trackInFlight(monotonic),
    timeoutMs,
    connectMs,
    proxyHost: proxy?.host,
  };
  let pools: SharedConnections | undefined;
  // Loads undici, which a batch of changes alone does not need.
  const openPools = async (most: number) => {
    const { createPools } = await import('./pool.ts');
    pools ??= createPools(connector, most);
  };
  return {
    send(request, signal) {
      const begin = () =>
        new Promise<HttpResponse>((resolve, reject) =>
          new RequestExchange(wire, request, { resolve, reject }, pools).begin(signal),
        );
      if (connections === undefined || pools !== undefined || !mayShare(request)) return begin();
      return openPools(connections).then(begin);
    },
    close: async () => connector.stop(),
  };
}

/** Remembers the last headers: requests in a row have the same. */
function headerLists(): ExchangeOptions['headersWithId'] {
  let last: HttpRequest['headers'] | undefined;
  let list: readonly string[] = [];
  return (headers, id) => {
    if (headers !== last) [last, list] = [headers, Object.entries(headers).flat()];
    return id === undefined ? [...list] : [...list, REQUEST_ID, id];
  };
}
