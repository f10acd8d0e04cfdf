// Access to the sandbox: its own token, and requests from programs of this machine, not from web pages. Checks raw
// headers before any work; a rejected client learns nothing of the state.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type HttpError, httpError } from './responses.ts';

/** Whether the header has the token. Compares digests, which have one length, in constant time. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const given = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The error for a request to the port, or undefined when it may pass. */
export function rejectRequest(
  { url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>,
  port: number,
): HttpError | undefined {
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) {
    return httpError(400, 'bad_host', 'The request must have exactly one Host header.');
  }
  // DNS rebinding: a page whose name was made to resolve to this machine still sends its own name.
  if (!namesFor(port).includes(hosts[0]!.toLowerCase())) {
    return httpError(421, 'misdirected', 'The Host header does not name the sandbox.');
  }
  if (!url.startsWith('/')) {
    return httpError(400, 'bad_target', 'The request path must start with a slash.');
  }
  const isOwn =
    valuesOf(rawHeaders, 'origin').every((origin) => isOwnOrigin(origin, port)) &&
    valuesOf(rawHeaders, 'sec-fetch-site').every((site) => ['same-origin', 'none'].includes(site));
  return isOwn
    ? undefined
    : httpError(403, 'foreign_origin', 'Web pages are not allowed to use the sandbox.');
}

const namesFor = (port: number): readonly string[] => {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  const withPort = names.map((name) => `${name}:${port}`);
  return port === 80 ? [...withPort, ...names] : withPort;
};

const isOwnOrigin = (origin: string, port: number): boolean =>
  namesFor(port).some((name) => origin.toLowerCase() === `http://${name}`);

function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name);
}
