// URLs: the rule for a base URL, loopback addresses, ports, and the variables that name a proxy.

const BASE_URL_RULE = 'must be https://host[:port][/path]';

/**
 * Checks that a base URL is http(s) with a host and only a path after it. The fault never quotes the URL: it may
 * contain a password.
 */
export function baseUrlFault(text: string): string | undefined {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return BASE_URL_RULE;
  const { username, password, search, hash } = new URL(text);
  if (username + password !== '') return `${BASE_URL_RULE}, without a user name or password`;
  return search + hash === '' ? undefined : `${BASE_URL_RULE}, without a query or fragment`;
}

/**
 * Returns an address that lacks only its scheme with one: http for this machine. Nothing of one that could have a
 * password is returned.
 */
export function completedUrl(typed: string): string | undefined {
  if (/:\/\/|[@\s]/.test(typed) || !/[.:]|^localhost/i.test(typed)) return undefined;
  const secure = `https://${typed.replace(/^\/+/, '')}`;
  if (baseUrlFault(secure) !== undefined) return undefined;
  return isLoopbackHost(new URL(secure).hostname) ? secure.replace('https', 'http') : secure;
}

/** Checks that a token may be sent to the URL: https, or http to this machine. */
export function tokenUrlFault(text: string): string | undefined {
  const fault = baseUrlFault(text);
  if (fault !== undefined || mayCarryToken(new URL(text))) return fault;
  return `${BASE_URL_RULE}, or http:// to this machine`;
}

export const mayCarryToken = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isLoopbackHost(hostname);

/** Completes an address typed by a person: trims spaces, and adds a missing scheme. */
export function withScheme(typed: string): string {
  const text = typed.trim();
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

/** Removes slashes at the end, because paths of operations start with one. */
export const withoutEndSlashes = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/**
 * Returns the base URL without the version in its path, if it has one: every path of the API begins with it.
 */
export function withoutVersion(baseUrl: string): string | undefined {
  const { origin, pathname } = new URL(baseUrl);
  const before = /^(.*?)\/v1(?:\/|$)/i.exec(pathname)?.[1];
  return before === undefined ? undefined : `${origin}${before}`;
}

/** Says that a base URL has the version of the API in its path, and what was probably meant. */
export function versionHint(baseUrl: string): string | undefined {
  const meant = withoutVersion(baseUrl);
  if (meant === undefined) return undefined;
  const [end] = /\/v1(?=\/|$).*$/i.exec(new URL(baseUrl).pathname)!;
  return `the base URL ends in ${end}: the paths of the API already begin with /v1; did you mean ${meant}`;
}

/**
 * Checks that a URL's `hostname` is a loopback address. It must come from the URL parser, so that `127.1` is accepted
 * and `127.0.0.1.evil.com` is not.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Returns the port of an http(s) URL, also if it is the default one. */
export const portOf = ({ protocol, port }: URL): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

/** The environment variables that may name a proxy, in curl's order; the first one that is not empty counts. */
export const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** Parses the address of a proxy: `host:port` alone is http. Throws if it is no URL. */
export const proxyUrl = (text: string): URL =>
  new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);

/** Converts a URL's `hostname` to the form of sockets: an IPv6 address without brackets. */
export const withoutBrackets = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '');
