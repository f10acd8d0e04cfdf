// The environment variables that name a proxy between this machine and the service.

import { ifPossible, usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { withoutBrackets } from '../../base/url.ts';

/** Returns the proxy for https from the environment. Throws `usage` if it is invalid. */
export function proxyFromEnv({ env }: Pick<Runtime, 'env'>): URL | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((variable) => env[variable]);
  if (name === undefined) return undefined;
  const url = env[name]!;
  // The value may contain a password, so it is not shown.
  if (!URL.canParse(url) || !isProxyUrl(new URL(url)))
    throw usageFailure({ field: name, problem: 'is not a valid http(s) proxy URL' });
  return new URL(url);
}

/** The user and password must be decodable, because they are sent to the proxy. */
const isProxyUrl = ({ protocol, username, password }: URL): boolean =>
  ['http:', 'https:'].includes(protocol) &&
  [username, password].every((part) => decoded(part) !== undefined);

/**
 * True if NO_PROXY names the host of a URL: the host itself, a domain that contains it (`example.com`, `.example.com`,
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

/** Returns the passwords of the proxies in the environment, for masking. */
export function proxySecrets({ env }: Pick<Runtime, 'env'>): readonly string[] {
  const passwords: (string | undefined)[] = [];
  for (const url of [env['https_proxy'], env['HTTPS_PROXY']])
    if (url !== undefined && URL.canParse(url)) {
      const { password } = new URL(url);
      passwords.push(password, decoded(password));
    }
  return passwords.filter((text) => text !== undefined);
}

/** Decodes a part of a URL; `undefined` if its percent signs are invalid. */
const decoded = (part: string): string | undefined => ifPossible(() => decodeURIComponent(part));
