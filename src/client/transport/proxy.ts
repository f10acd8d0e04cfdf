// The variables of the environment that name a proxy between this machine and the service.

import { usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { withoutBrackets } from '../../base/url.ts';

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
