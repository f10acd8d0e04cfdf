// URLs: the rule for a base URL, and loopback addresses.

const BASE_URL_RULE = 'must be https://host[:port][/path]';

/** The part of the rule that JSON Schema can express. */
export const BASE_URL_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^/]';

/**
 * A base URL is http(s) with a host and nothing but a path after it. The fault never quotes it: it may hold a password.
 */
export function baseUrlFault(text: string): string | undefined {
  if (!new RegExp(BASE_URL_PATTERN).test(text) || !URL.canParse(text)) return BASE_URL_RULE;
  const { username, password, search, hash } = new URL(text);
  if (username + password !== '') return `${BASE_URL_RULE}, without a user name or password`;
  return search + hash === '' ? undefined : `${BASE_URL_RULE}, without a query or fragment`;
}

/** What a token may be sent to: https, or http to this machine. */
export function tokenUrlFault(text: string): string | undefined {
  return baseUrlFault(text) === undefined && mayCarryToken(new URL(text))
    ? undefined
    : BASE_URL_RULE;
}

export const mayCarryToken = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isLoopbackHost(hostname);

/** An address as a person types it: without spaces around it, and with a scheme. */
export function withScheme(typed: string): string {
  const text = typed.trim();
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

/** Paths of operations begin with a slash. */
export const withoutEndSlashes = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/** A base URL without a user name, password or query in it, for showing. What is no web address may lack its scheme. */
export function urlWithoutUserInfo(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = /[?#]/.test(url) ? url.replace(/[?#][^]*$/, '?[redacted]') : url;
  const isWeb = parsed !== undefined && /^https?:$/.test(parsed.protocol);
  if (isWeb && parsed.username + parsed.password === '') return plain;
  return plain.replace(/^(https?:\/*|[a-z][a-z\d+.-]*:\/+)?[^]*@/i, '$1[redacted]@');
}

/**
 * Whether a URL's `hostname` is a loopback address. Takes the host as the URL parser gives it, so that `127.1` counts
 * and `127.0.0.1.evil.com` does not.
 */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A URL's `hostname` as sockets take it: an IPv6 address has no brackets. */
export const withoutBrackets = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '');
