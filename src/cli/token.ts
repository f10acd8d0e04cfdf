// The bearer token: where it comes from, what it may contain, and to whom it may go. Never shows it.

import { Failure, type Fault } from '../errors.ts';
import { isLoopbackHost } from '../schema/address.ts';

const MAX_BYTES = 8 * 1024;

/**
 * A token as it was given, made ready to send: one final newline and a pasted `Bearer ` are taken off.
 * Gives the fault instead where it cannot be sent; the fault names a position, never the text.
 */
export function readToken(given: string, field: string): string | Fault {
  const text = given.replace(/\r?\n$/, '').replace(/^Bearer +/i, '');
  if (text.trim() === '') return { field, problem: 'is empty' };
  const at = text.search(/[^\x21-\x7e]/);
  if (at >= 0)
    return { field, problem: `contains a character that cannot be sent (position ${at + 1})` };
  return text.length > MAX_BYTES ? { field, problem: `is longer than ${MAX_BYTES} bytes` } : text;
}

/** Refuses to send a token in the clear: https, or http to this machine, as the URL parser sees it. */
export function checkTokenMayGo(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return;
  throw new Failure('usage', {
    what: `refusing to send a token over http to ${hostname}`,
    hint: 'use https://, or http to a loopback address such as 127.0.0.1',
    sent: false,
    retryable: false,
  });
}
