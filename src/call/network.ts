// The service over the network: which connections there are, which requests share them, and when they end. What
// becomes of one request is in `network-exchange`.

import Pool from 'undici/lib/dispatcher/pool.js';
import type { Send } from '../http.ts';
import { cuttingUp } from './cut-up.ts';
import { lookupHere } from './loopback.ts';
import { strictDecoder } from './network-answer.ts';
import { connecting, watched, type Connecting, type ConnectOptions } from './network-connect.ts';
import { Exchange, type Way, type Ways, type Wire } from './network-exchange.ts';
import { guard } from './under-way.ts';

export interface NetworkOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Requests of a batch that may be under way at once; its reads share connections. Without it each has its own. */
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
  connecting(options: ConnectOptions): Connecting;
}

export interface Network {
  readonly send: Send;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Opens nothing yet: connections are made when the first request leaves. */
export function network(given: NetworkOptions): Network {
  const { timeoutMs, connections, ca, proxy, loopbackOnly = false } = given;
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  const connector = (proxy?.connecting ?? connecting)({
    timeout: CONNECT_MS,
    autoSelectFamily: true,
    // The build leaves out what undici needs for it.
    allowH2: false,
    ...(loopbackOnly ? { lookup: lookupHere } : {}),
    ...tls,
  });
  const { connect, isNew } = watched(connector.connect);
  const options = {
    connections: connections ?? 1,
    pipelining: 1,
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Time is kept in one place, `under-way`: undici's own limits restart with every byte that drips in.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const open = (origin: string) => new Pool(origin, options);
  const [shared, single] = [ways(open), ways(open)];
  const wire: Wire = {
    shared: connections === undefined ? undefined : shared,
    single,
    isNewConnection: isNew,
    cutUp: cuttingUp(),
    guard: guard(timeoutMs),
    decode: strictDecoder(),
    timeoutMs,
    proxyHost: proxy?.host,
  };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) =>
        new Exchange(wire, request, { resolve, reject }).begin(signal),
      ),
    close: async () => {
      connector.stop();
      await Promise.all([shared, single].map((each) => each.destroy()));
    },
  };
}

/** The way to each origin; mostly there is one. */
function ways(open: (origin: string) => Way): Ways & { destroy(): Promise<unknown> } {
  const current = new Map<string, Way>();
  const left = new Set<Way>();
  return {
    to(origin) {
      const known = current.get(origin);
      if (known !== undefined) return known;
      const opened = open(origin);
      current.set(origin, opened);
      return opened;
    },
    leave(origin, way) {
      if (current.get(origin) !== way) return;
      current.delete(origin);
      left.add(way);
      void way.close().then(() => left.delete(way));
    },
    destroy: () => Promise.all([...current.values(), ...left].map((way) => way.destroy())),
  };
}
