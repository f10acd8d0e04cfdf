// Whether a request has the sandbox's own token. Compares in constant time and tells nothing else.

import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares digests, which have one length, in constant time. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const given = /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
