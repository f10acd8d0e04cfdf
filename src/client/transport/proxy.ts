// The proxy variables of the environment: NO_PROXY, as curl, Node and undici's agent read it, and passwords.

import type { Runtime } from '../../base/runtime.ts';
import { withoutBrackets } from '../../base/url.ts';

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
    return [password, ...plainTexts(password)];
  });
}

/** A part of a URL as it was meant; nothing where its percent signs make no sense. */
export function plainTexts(encoded: string): readonly string[] {
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [];
  }
}
