// The service over the network: which connections there are, which requests share them, and when they end. What
// becomes of one request is in `network-exchange`.

import type { Pool } from 'undici';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import type { Send } from '../http.ts';
import { cuttingUp } from './cut-up.ts';
import { lookupHere } from './loopback.ts';
import { strictDecoder } from './network-answer.ts';
import { connecting } from './network-connect.ts';
import { Exchange, type Way, type Wire } from './network-exchange.ts';
import { guard } from './under-way.ts';

export interface NetworkOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Requests that may be under way at once. */
  readonly connections?: number;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[];
  readonly proxy?: Proxy;
  /** Refuses a name that leads away from this machine. */
  readonly loopbackOnly?: boolean;
}

/** A proxy in between: its host, for messages, and how connections go through it. */
export interface Proxy {
  readonly host: string;
  way(options: Pool.Options & { readonly connections: number }, tls: object): Way;
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
  const { timeoutMs, connections = 1, ca, proxy, loopbackOnly = false } = given;
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  const { connect, stop } = connecting({
    timeout: CONNECT_MS,
    autoSelectFamily: true,
    ...(loopbackOnly ? { lookup: lookupHere } : {}),
    ...tls,
  });
  const options = {
    connections,
    pipelining: 1,
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Time is kept in one place, `under-way`: undici's own limits restart with every byte that drips in.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const open = (origin: string) => proxy?.way(options, tls) ?? new UndiciPool(origin, options);
  // A change never rides on a connection that may have gone stale: not on one that a read has left either.
  const lanes = { read: lane(open), change: lane(open) };
  const wire: Wire = {
    wayFor: (method, origin) => (method === 'GET' ? lanes.read : lanes.change).to(origin),
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
      stop();
      await Promise.all([lanes.read, lanes.change].map((each) => each.destroy()));
    },
  };
}

/** The ways to each origin; mostly there is one. */
function lane(open: (origin: string) => Way) {
  const ways = new Map<string, Way>();
  return {
    to(origin: string): Way {
      const known = ways.get(origin);
      if (known !== undefined) return known;
      const opened = open(origin);
      ways.set(origin, opened);
      return opened;
    },
    destroy: () => Promise.all([...ways.values()].map((way) => way.destroy())),
  };
}
