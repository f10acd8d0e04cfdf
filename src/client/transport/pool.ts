// The connection pools of a service: undici's `Pool` an origin, one shared by reads, one whose connections serve a single
// request. One request is in `send-request.ts`.

import { lookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { HttpRequest, Send } from '../../base/http.ts';
import { REQUEST_ID } from '../../base/request-id.ts';
import { createUrlSplitter, isLoopbackHost } from '../../base/url.ts';
import {
  RequestExchange,
  type RequestDispatcher,
  type Dispatchers,
  type ExchangeOptions,
} from './send-request.ts';
import { createOpen, type ConnectOptions } from './connector.ts';
import { createFreeList, trackInFlight } from './timeouts.ts';
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

export interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends every socket, also those that are being opened, and opens no other. */
  stop(): void;
}

/**
 * undici's own connector, with a list of its sockets: undici forgets those that are still being opened until they time
 * out, and a command that has ended would wait for them.
 */
function createConnector(options: ConnectOptions): Connector {
  const begun = createFreeList<Socket>();
  let isStopped = false;
  const open = createOpen(options);
  return {
    connect(address, callback) {
      if (isStopped) return callback(new Error('closed'), null);
      const socket = open(address, callback);
      const slot = begun.put(socket);
      socket.once('close', () => begun.take(slot));
    },
    stop() {
      isStopped = true;
      for (const socket of begun.all()) socket.destroy();
    },
  };
}

/** The same, telling whether a connection has just been made: a request that begins now is the first on it. */
function countConnections(connect: buildConnector.connector): {
  readonly connect: buildConnector.connector;
  isNew(): boolean;
} {
  let isNew = false;
  return {
    connect: (address, callback) =>
      connect(address, (...outcome) => {
        isNew = true;
        callback(...outcome);
        isNew = false;
      }),
    isNew: () => isNew,
  };
}

export interface TransportOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Requests of a batch that may be under pool at once; its reads share connections. Without it each has its own. */
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
  connecting(options: ConnectOptions): Connector;
}

export interface Transport {
  readonly send: Send;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Opens nothing yet: connections are made when the first request leaves. */
export function openTransport(given: TransportOptions): Transport {
  const { timeoutMs, connections, ca, proxy, loopbackOnly = false } = given;
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  const connector = (proxy?.connecting ?? createConnector)({
    timeout: CONNECT_MS,
    autoSelectFamily: true,
    // The build leaves out what undici needs for it.
    allowH2: false,
    ...(loopbackOnly ? { lookup: loopbackLookup } : {}),
    ...tls,
  });
  const { connect, isNew } = countConnections(connector.connect);
  const options = {
    connections: connections ?? 1,
    pipelining: 1,
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Time is kept in one place, `timeouts`: undici's own limits restart with every byte that drips in.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const open = (origin: string) => new Pool(origin, options);
  const [shared, single] = [dispatchers(open), dispatchers(open)];
  const wire: ExchangeOptions = {
    shared: connections === undefined ? undefined : shared,
    single,
    isNewConnection: isNew,
    splitUrl: createUrlSplitter(),
    headersWithId: headerLists(),
    inFlight: trackInFlight(),
    timeoutMs,
    proxyHost: proxy?.host,
  };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) =>
        new RequestExchange(wire, request, { resolve, reject }).begin(signal),
      ),
    close: async () => {
      connector.stop();
      await Promise.all([shared, single].map((each) => each.destroy()));
    },
  };
}

/** Remembers the last headers: requests in a row have the same. */
function headerLists(): ExchangeOptions['headersWithId'] {
  let last: HttpRequest['headers'] | undefined;
  let list: readonly string[] = [];
  return (headers, id) => {
    if (headers !== last) [last, list] = [headers, Object.entries(headers).flat()];
    return [...list, REQUEST_ID, id];
  };
}

/** A pool an origin; mostly there is one. */
function dispatchers(
  open: (origin: string) => RequestDispatcher,
): Dispatchers & { destroy(): Promise<unknown> } {
  const current = new Map<string, RequestDispatcher>();
  const left = new Set<RequestDispatcher>();
  return {
    to(origin) {
      const known = current.get(origin);
      if (known !== undefined) return known;
      const opened = open(origin);
      current.set(origin, opened);
      return opened;
    },
    leave(origin, pool) {
      if (current.get(origin) !== pool) return;
      current.delete(origin);
      left.add(pool);
      void pool.close().then(() => left.delete(pool));
    },
    destroy: () => Promise.all([...current.values(), ...left].map((pool) => pool.destroy())),
  };
}
