// Who may talk to the sandbox at all: programs of this machine, not web pages. Judges raw headers, before any work.
// What it refuses learns nothing of the state.

import { createHash, timingSafeEqual } from 'node:crypto';
import { type HttpError, httpError } from './responses.ts';

// Whether a request has the sandbox's own token. Compares in constant time and tells nothing else.

/** Compares digests, which have one length, in constant time. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const given = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export interface RequestHead {
  /** As it came: `/path?query`, or something else. */
  readonly target: string;
  /** Names and values in turn, nothing joined or dropped. */
  readonly rawHeaders: readonly string[];
}

/** The refusal of a request to the port, or undefined when it may go on. */
export function rejectRequest(
  { target, rawHeaders }: RequestHead,
  port: number,
): HttpError | undefined {
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) {
    return httpError(400, 'bad_host', 'A request has exactly one Host header.');
  }
  // A page of another name that was made to lead to this machine (DNS rebinding) still says its own name.
  if (!namesFor(port).includes(hosts[0]!.toLowerCase())) {
    return httpError(421, 'misdirected', 'This is not a name of the sandbox.');
  }
  if (!target.startsWith('/')) {
    return httpError(400, 'bad_target', 'A request names a path that starts with a slash.');
  }
  if (!valuesOf(rawHeaders, 'origin').every((origin) => isOwnOrigin(origin, port))) {
    return httpError(403, 'foreign_origin', 'Web pages may not use the sandbox.');
  }
  if (
    !valuesOf(rawHeaders, 'sec-fetch-site').every((site) => ['same-origin', 'none'].includes(site))
  ) {
    return httpError(403, 'foreign_origin', 'Web pages may not use the sandbox.');
  }
  return undefined;
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
