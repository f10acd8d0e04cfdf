// Opens connections: TCP, TLS, or TLS in a tunnel through a proxy, each within a time limit. Closes all at once.

import { request } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { startTimeout } from '../../base/abort.ts';
import { portOf, withoutBrackets } from '../../base/url.ts';
import type { Connect } from './exchange.ts';
import { CONNECT_TIMEOUT, NO_CERTIFICATE, ProxyFault } from './errors.ts';

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
      const encrypted = () => {
        // Loaded only here, because it takes 15 ms, and plain http needs none of it.
        const tls = process.getBuiltinModule('node:tls');
        return tls.connect({
          ...tcp,
          socket: tunnel,
          secureContext: (secureContext ??= tls.createSecureContext({ ca: ca && [...ca] })),
          // A server name in TLS has no dot at its end (RFC 6066): some servers reject one.
          servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: true,
        });
      };
      const socket = isEncrypted ? encrypted() : connectTcp(tcp);
      let isOpen = false;
      opened.push(socket);
      sockets.add(socket);
      socket
        // This listener stays, because an error of an idle socket would end the process, and comes before those of the
        // HTTP client, which get the same error.
        .on('error', (error: NodeJS.ErrnoException) => {
          if (isEncrypted && wantsCertificate(socket as TLSSocket, error, isOpen))
            error.code = NO_CERTIFICATE;
          reject(error);
        })
        .once('close', () => {
          sockets.delete(socket);
          reject(new Error('closed'));
        })
        .once(isEncrypted ? 'secureConnect' : 'connect', () => {
          isOpen = true;
          resolve(socket);
        });
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

/** Alerts of TLS about the certificate of a client, and the general one, which some servers send instead. */
const CERTIFICATE_ALERT =
  /ALERT_(CERTIFICATE_\w+|(NO|BAD|UNSUPPORTED)_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

/**
 * True if a server has ended the handshake because this program has no certificate. With TLS 1.3 the connection is open
 * before the client learns that. The server cannot have read a request by then: these alerts belong to the handshake, and
 * they are encrypted, so only the server can send them. With TLS 1.2 a server may ask for a certificate after it has read a
 * request, so such an alert is clear only before the connection is open.
 */
function wantsCertificate(
  socket: TLSSocket,
  { code = '' }: NodeJS.ErrnoException,
  isOpen: boolean,
): boolean {
  // A server that has not sent its own certificate has asked for none: the two sides have no cipher in common.
  const hasShownItsOwn = Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
  const isInHandshake = !isOpen || socket.getProtocol() === 'TLSv1.3';
  return CERTIFICATE_ALERT.test(code) && hasShownItsOwn && isInHandshake;
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
    connecting.on('connect', ({ statusCode = 0, headers }, _socket, head) => {
      const hint = statusCode === 407 ? loginHint(proxy, headers['proxy-authenticate']) : undefined;
      if (statusCode < 200 || statusCode >= 300)
        reject(new ProxyFault('no tunnel', statusCode, undefined, hint));
      // The service does not speak first, so these bytes come from the proxy.
      else if (head.length > 0) reject(new ProxyFault('no tunnel'));
      else resolve();
    });
    connecting.on('error', (error) => reject(new ProxyFault('no tunnel', undefined, error)));
    connecting.end();
  });
}

/** Says how to log in to a proxy, from the methods that it offers: only Basic is supported. */
function loginHint(proxy: URL, challenge = 'Basic'): string {
  const methods = challenge.replaceAll(/"[^"]*"/g, '');
  if (!/(?:^|,)\s*basic\b(?!=)/i.test(methods)) {
    const method = /\b(digest|ntlm|negotiate|kerberos)\b/i.exec(methods)?.[0] ?? 'another method';
    return `it asks for ${method}, which is not supported, only Basic; a local proxy such as cntlm or px can log in to it`;
  }
  return hasLogin(proxy)
    ? 'it did not accept the user and password in its URL; special characters must be percent-encoded there'
    : 'set user and password in its URL, percent-encoded: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT';
}

const hasLogin = ({ username, password }: URL) => username !== '' || password !== '';

function authorization(proxy: URL): readonly string[] {
  if (!hasLogin(proxy)) return [];
  const { username, password } = proxy;
  const plain = decodeURIComponent(`${username}:${password}`);
  return ['proxy-authorization', `Basic ${Buffer.from(plain).toString('base64')}`];
}
