// Sends requests to a service over the network: which HTTP client sends a request, and which connections it may use.
// Certificate authorities and a proxy come from flags and environment. Certificate checks cannot be turned off.

import { constants } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { Failure, ifPossible, unsentFailure } from '../../base/errors.ts';
import type { Send } from '../../base/http.ts';
import type { Runtime } from '../../base/runtime.ts';
import { isLoopbackHost } from '../../base/url.ts';
import type { Settings } from '../../config/settings.ts';
import { codeOf } from '../../fs/io-errors.ts';
import { readRange, withFile } from '../../fs/safe-read.ts';
import { type ConnectOptions, createConnector } from './connect.ts';
import { isContinue, NOT_THIS_MACHINE } from './errors.ts';
import { type HttpClient, sendThrough } from './exchange.ts';
import { proxyFor } from './proxy.ts';
import { createNodeClient } from './single.ts';

export interface TransportOptions extends ConnectOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the response. */
  readonly timeoutMs: number;
  /** The maximum number of connections that the requests of a batch share; `undefined` for a single call. */
  readonly connections?: number | undefined;
  /** Says where to name an authority that is not trusted. */
  readonly authorityHint?: string | undefined;
}

/**
 * Returns the options for a base URL. Throws `local_io` for an unusable CA file, `usage` for an unusable proxy.
 */
export function transportOptions(
  baseUrl: string,
  { cacert, timeoutMs }: Settings,
  runtime: Runtime,
  connections?: number,
): TransportOptions {
  const url = new URL(baseUrl);
  const isEncrypted = url.protocol === 'https:';
  if (isEncrypted && runtime.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    runtime.note('ignoring NODE_TLS_REJECT_UNAUTHORIZED=0');
  return {
    timeoutMs,
    connections,
    lookup: isEncrypted ? undefined : loopbackLookup,
    // Like curl and kubectl, --cacert replaces all other authorities; without it Node's own and NODE_EXTRA_CA_CERTS are
    // used.
    ca: isEncrypted && cacert !== undefined ? [readCaFile(cacert)] : undefined,
    authorityHint: authorityAdvice(cacert !== undefined, runtime.program.node),
    proxy: isEncrypted ? proxyFor(url, runtime.env) : undefined,
  };
}

/** Says where to name an authority, for a version of Node; `--cacert` replaces all others. */
export function authorityAdvice(hasOwnCa: boolean, node: string): string {
  if (hasOwnCa) return 'its authority is not in the --cacert file, which replaces all others';
  const own = 'specify its authority with --cacert FILE or NODE_EXTRA_CA_CERTS';
  const [major = 0, minor = 0] = node.split('.').map(Number);
  // The option came with 23.8, and in the line of 22 with 22.15.
  const readsSystem = major > 23 || (major === 23 && minor >= 8) || (major === 22 && minor >= 15);
  return readsSystem ? `${own}; NODE_OPTIONS=--use-system-ca trusts those of this system` : own;
}

const MAX_CONNECT_MS = 10_000;

/**
 * Opens connections with the first request, and undici's pool with the first request of a batch that may share. `close`
 * closes every connection at once.
 */
export function openTransport(options: TransportOptions): { readonly send: Send; close(): void } {
  const { timeoutMs, connections, proxy, authorityHint } = options;
  const connectMs = Math.min(MAX_CONNECT_MS, timeoutMs);
  // Requests share an attempt to connect. Without a limit of its own, the next request would join one that is dead; with
  // 10 ms more than the limit of the request, the request fails first, and its message is shown.
  const { connect, stop } = createConnector(options, connectMs + 10);
  const limits = { timeoutMs, connectMs, proxyHost: proxy?.host, authorityHint };
  const fresh = createNodeClient(connect, { keepAlive: false });
  const shared = createNodeClient(connect, { keepAlive: true });
  let pool: HttpClient | undefined;
  let endsAtContinue = false;
  /** Returns the client for requests that may share a connection. A single call does not need undici. */
  const sharingClient = async (): Promise<HttpClient> => {
    if (connections === undefined || endsAtContinue) return shared;
    if (pool !== undefined) return pool;
    const { createPoolClient } = await import('./pool.ts');
    return (pool ??= createPoolClient(connect, connections));
  };
  return {
    async send(request, signal) {
      // A change whose outcome could not be found out never uses a kept connection: the server may close that while the
      // request leaves.
      if (request.sharesConnection !== true) return sendThrough(fresh, request, signal, limits);
      // A read is sent once more, on a connection of its own, if a kept connection was closed before its response, or
      // if undici failed at an unrequested `100 Continue`. A lost change is not sent again.
      const fallback = request.method === 'GET' ? fresh : undefined;
      try {
        return await sendThrough(await sharingClient(), request, signal, { ...limits, fallback });
      } catch (error) {
        // Only a change gets here with that failure. All later requests that share connections use Node's client, which
        // ignores a `100 Continue`.
        endsAtContinue ||= error instanceof Failure && isContinue(error.facts.cause);
        throw error;
      }
    },
    close: stop,
  };
}

/** The maximum size of a file of authorities; that of a system has some hundred KiB. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Reads the certificates of a PEM file. Throws `local_io` if it cannot be read, has none, or has a damaged one. */
function readCaFile(path: string): string {
  const cannot = (why: string, cause?: unknown) =>
    unsentFailure('local_io', { what: `cannot read CA file ${path}: ${why}`, cause });
  let text: string;
  try {
    const bytes = withFile(path, constants.O_RDONLY, (fd) => readRange(fd, 0, MOST_BYTES + 1));
    text = bytes.toString('latin1');
  } catch (error) {
    throw error instanceof Failure ? error : cannot(codeOf(error) ?? 'unreadable', error);
  }
  if (text.length > MOST_BYTES) throw cannot(`larger than ${MOST_BYTES} bytes`);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw cannot('no certificate found');
  // TLS silently ignores a certificate that it cannot read.
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  if (damaged >= 0) throw cannot(`certificate ${damaged + 1} of ${blocks.length} is damaged`);
  return text;
}

function isCertificate(block: string): boolean {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  return ifPossible(() => new X509Certificate(block)) !== undefined;
}

/**
 * Resolves like the system, and fails if any address is not a loopback one: for `localhost` over plain http, where the
 * name alone is not trusted with a token.
 */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  const { lookup } = process.getBuiltinModule('node:dns');
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
