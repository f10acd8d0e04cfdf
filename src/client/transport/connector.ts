// Connections to a service: each is opened within a time limit, and all end together.

import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { type Clock, setRunningTimeout } from '../../base/running-clock.ts';
import { withoutBrackets } from '../../base/url.ts';
import { CONNECT_TIMEOUT } from './network-errors.ts';
import { createFreeList } from './timeouts.ts';

/** Where a connection leads, in the words of a URL; an IPv6 address has no brackets. */
export interface ServerAddress {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty for the protocol's own. */
  readonly port: string;
}

/** The address that a URL names. */
export const addressOf = ({ protocol, hostname, port }: URL): ServerAddress => ({
  protocol,
  hostname: withoutBrackets(hostname),
  port,
});

export interface ConnectOptions {
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly lookup?: LookupFunction | undefined;
}

/** Watches over a socket from its beginning; gives it back. */
type Keep = (socket: Socket) => Socket;

/**
 * Opens one connection, over TLS where the protocol is https; `over` is one that stands already, as through a proxy.
 */
export type Open = (address: ServerAddress, keep: Keep, over?: Socket) => Promise<Socket>;

export interface Connector {
  connect(address: ServerAddress): Promise<Socket>;
  /** Ends every socket, also those that are being opened, and opens no other. */
  stop(): void;
}

const KEEP_ALIVE_MS = 60_000;
/**
 * How long an address of several is tried. Node gives each but the last a quarter of a second before version 26, which
 * is too short for a host far away, and never comes back to it.
 */
const ONE_ADDRESS_MS = 700;

/**
 * Opens connections with these options. All that use TLS share one context: by itself each makes its own, which takes a
 * quarter of the time of a change and stays in memory for as long as its socket. A later one resumes the TLS session of
 * one before it.
 */
export function createOpen({ ca, lookup }: ConnectOptions): Open {
  let secureContext: SecureContext | undefined;
  const sessions = new Map<string, Buffer>();
  const encrypted = (host: string, port: number, over: Socket | undefined) => {
    secureContext ??= createSecureContext({ ca: ca && [...ca] });
    return connectTls({
      ...tcp(host, port || 443),
      socket: over,
      secureContext,
      session: sessions.get(host),
      // A name in TLS has no dot at its end (RFC 6066): some servers refuse one.
      servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    }).on('session', (session) => sessions.set(host, session));
  };
  const tcp = (host: string, port: number) => ({
    host,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ONE_ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    lookup,
  });
  return ({ protocol, hostname, port }, keep, over) =>
    new Promise((resolve, reject) => {
      const isEncrypted = protocol === 'https:';
      const socket = isEncrypted
        ? encrypted(hostname, Number(port), over)
        : connectTcp(tcp(hostname, Number(port) || 80));
      keep(socket)
        // Stays: an error between two users of a socket would end the process.
        .on('error', reject)
        .once('close', () => reject(new Error('closed')))
        .once(isEncrypted ? 'secureConnect' : 'connect', () => resolve(socket));
    });
}

/** Opens connections by one or several steps, all within `timeoutMs` of the time in which this process runs. */
export function createConnector(open: Open, timeoutMs: number, clock: Clock): Connector {
  const begun = createFreeList<Socket>();
  let isStopped = false;
  return {
    async connect(address) {
      const made: Socket[] = [];
      const keep: Keep = (socket) => {
        made.unshift(socket);
        const slot = begun.put(socket);
        socket.once('close', () => begun.take(slot));
        if (isStopped) socket.destroy();
        return socket;
      };
      // The outermost one first: its error is the one that is reported.
      const endAll = (error?: Error) => made.forEach((socket) => socket.destroy(error));
      const limit = setRunningTimeout(timeoutMs, () => endAll(tooLate()), clock);
      try {
        return await open(address, keep);
      } catch (error) {
        endAll();
        throw error;
      } finally {
        limit();
      }
    },
    stop() {
      isStopped = true;
      for (const socket of begun.all()) socket.destroy();
    },
  };
}

const tooLate = () => Object.assign(new Error('connect timeout'), { code: CONNECT_TIMEOUT });
