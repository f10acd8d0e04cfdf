// Opens connections: TCP, TLS, or TLS in a tunnel through a proxy, each within a time limit. Closes all at once.

import { request } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { startTimeout } from '../../base/abort.ts';
import { portOf, withoutBrackets } from '../../base/url.ts';
import type { Connect } from './exchange.ts';
import { CONNECT_TIMEOUT, ProxyFault } from './errors.ts';

export interface ConnectOptions {
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly proxy?: URL | undefined;
}

/**
 * The time for each of several addresses. Before version 26, Node gives all but the last a quarter of a second, which
 * is too short for a distant host, and never retries them.
 */
const ONE_ADDRESS_MS = 700;

/**
 * Makes the function that opens connections with these options, each within `timeoutMs`, also through a proxy. `stop`
 * closes every socket, also those that are being opened, and opens no other. All TLS connections share one context: by
 * default each makes its own, which takes a quarter of the time of a change and stays in memory as long as its socket.
 */
export function createConnector(
  { lookup, ca, proxy }: ConnectOptions,
  timeoutMs: number,
): { readonly connect: Connect; stop(): void } {
  const sockets = new Set<Socket>();
  let secureContext: SecureContext | undefined;
  let isStopped = false;

  /** Opens one socket, inside `tunnel` if there is one. `opened` collects the sockets of one connection. */
  const open = (url: URL, opened: Socket[], tunnel?: Socket) =>
    new Promise<Socket>((resolve, reject) => {
      const isEncrypted = url.protocol === 'https:';
      const host = withoutBrackets(url.hostname);
      const tcp = {
        host,
        port: portOf(url),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: ONE_ADDRESS_MS,
        noDelay: true,
        lookup,
      };
      const encrypted = () =>
        connectTls({
          ...tcp,
          socket: tunnel,
          secureContext: (secureContext ??= createSecureContext({ ca: ca && [...ca] })),
          // A server name in TLS has no dot at its end (RFC 6066): some servers reject one.
          servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: true,
        });
      const socket = isEncrypted ? encrypted() : connectTcp(tcp);
      opened.push(socket);
      sockets.add(socket);
      socket
        // This listener stays, because an error of an idle socket would end the process.
        .on('error', reject)
        .once('close', () => {
          sockets.delete(socket);
          reject(new Error('closed'));
        })
        .once(isEncrypted ? 'secureConnect' : 'connect', () => resolve(socket));
      if (isStopped) socket.destroy();
    });

  const openAll = async (url: URL, opened: Socket[]) => {
    if (proxy === undefined) return open(url, opened);
    const toProxy = await open(proxy, opened).catch((error: Error) => {
      throw new ProxyFault('unreachable', undefined, error);
    });
    await openTunnel(toProxy, proxy, url);
    return open(url, opened, toProxy);
  };

  return {
    async connect(url) {
      const opened: Socket[] = [];
      // The last socket is closed first, because its error is the one that is reported.
      const endAll = (error?: Error) =>
        opened.toReversed().forEach((socket) => socket.destroy(error));
      const cancelLimit = startTimeout(timeoutMs, () => endAll(tooLate()));
      try {
        return await openAll(url, opened);
      } catch (error) {
        endAll();
        throw error;
      } finally {
        cancelLimit();
      }
    },
    stop() {
      isStopped = true;
      // TLS is closed before the tunnel below it: in the other order, Node 20 crashes with a segmentation fault.
      for (const socket of [...sockets].toReversed()) socket.destroy();
    },
  };
}

const tooLate = () => Object.assign(new Error('connect timeout'), { code: CONNECT_TIMEOUT });

/**
 * Asks the proxy once for a tunnel to the service (CONNECT). TLS runs inside it, so the proxy sees only the host.
 * Rejects with a `ProxyFault` if it opens none.
 */
function openTunnel(socket: Socket, proxy: URL, url: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${portOf(url)}`;
    const connecting = request({
      method: 'CONNECT',
      path: target,
      headers: ['host', target, 'connection', 'keep-alive', ...authorization(proxy)],
      createConnection: () => socket,
      insecureHTTPParser: false,
    });
    connecting.on('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode >= 300) reject(new ProxyFault('no tunnel', statusCode));
      // The service does not speak first, so these bytes come from the proxy.
      else if (head.length > 0) reject(new ProxyFault('no tunnel'));
      else resolve();
    });
    connecting.on('error', (error) => reject(new ProxyFault('no tunnel', undefined, error)));
    connecting.end();
  });
}

function authorization({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return [];
  const plain = decodeURIComponent(`${username}:${password}`);
  return ['proxy-authorization', `Basic ${Buffer.from(plain).toString('base64')}`];
}
