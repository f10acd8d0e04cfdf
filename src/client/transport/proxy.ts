// The proxy of the environment: which variable names it, and which hosts are reached without it.

import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ifPossible, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import type { Runtime } from '../../base/runtime.ts';
import { portOf, PROXY_VARIABLES, proxyUrl, withoutBrackets } from '../../base/url.ts';

/** Returns the proxy for an https URL. Throws `usage` if the variable is invalid, without showing its value. */
export function proxyFor(url: URL, env: Runtime['env']): URL | undefined {
  const name = PROXY_VARIABLES.find((variable) => env[variable]?.trim());
  if (name === undefined || isProxyBypassed(url, env)) return undefined;
  const text = env[name]!;
  const fault = proxyFault(text);
  if (fault !== undefined) throw usageFailure({ field: name, ...fault });
  return proxyUrl(text);
}

const invalid = (why = '', fix?: string) => ({
  problem: `is not a valid http(s) proxy URL${why}`,
  fix,
});

/** Says what is wrong with the address of a proxy, and how to write it. */
function proxyFault(text: string): Omit<Fault, 'field'> | undefined {
  if (/\r\n?$/.test(text))
    return invalid(
      ': it ends with a carriage return',
      'save the file that sets it with Unix line ends',
    );
  if (/^["'`“”‘’]|["'`“”‘’]$/.test(text))
    return invalid(': it is in quotation marks', 'set the address without them');
  if (/^socks/i.test(text))
    return invalid(
      ': SOCKS is not supported',
      'set HTTPS_PROXY to an http proxy, or name this host in NO_PROXY',
    );
  const encode = text.includes('@') ? ENCODE : undefined;
  if (/[\s\p{Cc}]/u.test(text)) return invalid(': it contains a space or a line break', encode);
  const proxy = ifPossible(() => proxyUrl(text));
  const { protocol = '', username, password, pathname, search, hash } = proxy ?? {};
  // The parser takes a / or # in a password for the end of the host.
  const isWhole = `${pathname}${search}${hash}` === '/';
  const isDecodable = ifPossible(() => decodeURIComponent(`${username}:${password}`)) !== undefined;
  return /^https?:$/.test(protocol) && isWhole && isDecodable ? undefined : invalid('', encode);
}

const ENCODE =
  'percent-encode special characters of the user and the password: % as %25, # as %23, / as %2F, a space as %20';

/** This machine is always reached without a proxy: a token for it stays on it. */
const THIS_MACHINE = 'localhost 127.0.0.0/8 ::1';

/**
 * True if the host of an https URL is this machine, or NO_PROXY has an entry for it: `*` for every host, a name, which
 * includes its subdomains (`example.com`, `.example.com`, `*.example.com`), an IP address, or a network
 * (`10.66.0.0/16`). A name or an address may have a port; an IPv6 address without one needs no brackets. Commas or
 * spaces separate entries. Networks match only addresses: no name is resolved.
 */
export function isProxyBypassed(url: URL, env: Runtime['env']): boolean {
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  const host = withoutDot(withoutBrackets(url.hostname));
  return `${THIS_MACHINE} ${list}`.split(/[,\s]+/).some((entry) => {
    const [, name = entry, itsPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
    if (itsPort !== undefined && Number(itsPort) !== portOf(url)) return false;
    if (name === '*') return true;
    return isIP(host) === 0 ? isInDomain(host, name) : isInNetwork(host, name);
  });
}

function isInDomain(host: string, name: string): boolean {
  const domain = withoutDot(domainToASCII(name.replace(/^\*?\./, '')));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** True if an address is `network`, `10.66.0.0/16` or a single address. An IPv4 address may be written as IPv6. */
function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits, ...rest] = withoutBrackets(network).split('/');
  if (isIP(base) === 0 || rest.length > 0 || (bits !== undefined && !/^\d+$/.test(bits)))
    return false;
  const networks = new BlockList();
  const family = familyOf(base);
  // A prefix that is longer than an address is no network.
  return (
    ifPossible(() => {
      if (bits === undefined) networks.addAddress(base, family);
      else networks.addSubnet(base, Number(bits), family);
      return networks.check(address, familyOf(address));
    }) ?? false
  );
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const withoutDot = (name: string): string => name.replace(/\.$/, '');
