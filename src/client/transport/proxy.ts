// The proxy between this machine and the service: the variables of the environment that name it, and the tunnel that it
// opens (CONNECT). TLS runs inside the tunnel, so the proxy learns the host and nothing else.

import type { Socket } from 'node:net';
import { usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { withoutBrackets } from '../../base/url.ts';
import type { OpenTunnel } from './connect.ts';
import { MAX_HEADER_BYTES } from './contract.ts';
import { ProxyFault } from './errors.ts';

/** The proxy that the environment names for https. Throws `usage` where it is none. */
export function proxyFromEnv({ env }: Pick<Runtime, 'env'>): URL | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => env[each]);
  if (name === undefined) return undefined;
  const url = env[name]!;
  // The value may hold a password, so it is not shown.
  if (!URL.canParse(url) || !isProxyUrl(new URL(url)))
    throw usageFailure({ field: name, problem: 'is not a valid http(s) proxy URL' });
  return new URL(url);
}

/** Its user and password must be decodable: they are sent to it. */
const isProxyUrl = ({ protocol, username, password }: URL): boolean =>
  ['http:', 'https:'].includes(protocol) &&
  [username, password].every((part) => decoded(part) !== undefined);

/**
 * Tells whether NO_PROXY names the host of a URL: itself, a domain that it is in (`example.com`, `.example.com`,
 * `*.example.com`), either with a port, or `*` for every host. Names are separated by commas or spaces. An IPv6 address
 * without a port needs no brackets.
 */
export function isProxyBypassed({ protocol, hostname, port }: URL, env: Runtime['env']): boolean {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  if (list.trim() === '*') return true;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  const host = withoutBrackets(hostname);
  return list.split(/[,\s]+/).some((entry) => {
    const [, name = entry, itsPort = ownPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    const domain = withoutBrackets(name.replace(/^\*?\./, '').toLowerCase());
    const isNamed = host === domain || host.endsWith(`.${domain}`);
    return domain !== '' && isNamed && Number(itsPort) === Number(ownPort);
  });
}

/** The passwords of the proxies in the environment, to be masked. */
export function proxySecrets({ env }: Pick<Runtime, 'env'>): readonly string[] {
  return ['https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const url = env[name];
    if (url === undefined || !URL.canParse(url)) return [];
    const { password } = new URL(url);
    return [password, decoded(password)].filter((text) => text !== undefined);
  });
}

/** A part of a URL as it was meant; undefined where its percent signs make no sense. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Asks the proxy once for a tunnel. Rejects with a `ProxyFault` where it opens none. */
export const tunnelThrough =
  (proxy: URL): OpenTunnel =>
  (socket: Socket, { hostname, port }: URL) =>
    new Promise((resolve, reject) => {
      const { request } = process.getBuiltinModule('node:http');
      const target = `${hostname}:${port || 443}`;
      const asking = request({
        method: 'CONNECT',
        path: target,
        headers: ['host', target, 'connection', 'keep-alive', ...authorization(proxy)],
        createConnection: () => socket,
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
      });
      asking.on('connect', ({ statusCode = 0 }, _socket, head) => {
        if (statusCode < 200 || statusCode >= 300) reject(new ProxyFault({ status: statusCode }));
        // The service does not speak first: whatever comes now is the proxy's.
        else if (head.length > 0) reject(new ProxyFault({ problem: 'talkative' }));
        else resolve();
      });
      asking.on('error', (error: NodeJS.ErrnoException) => {
        const { code = '' } = error;
        const problem =
          code === 'HPE_HEADER_OVERFLOW'
            ? 'too large'
            : code.startsWith('HPE_')
              ? 'not HTTP'
              : 'silent';
        reject(new ProxyFault({ problem }, error));
      });
      asking.end();
    });

function authorization({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return [];
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return ['proxy-authorization', `Basic ${Buffer.from(plain).toString('base64')}`];
}
