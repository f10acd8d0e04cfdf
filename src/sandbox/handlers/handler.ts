// The type of a handler, and what handlers share: deterministic IDs, timestamps, finding or refusing what a request
// names. An ID is derived from a text, so that examples and transcripts are the same everywhere. Such IDs can be
// guessed: no secret is made this way.

import { createHash } from 'node:crypto';
import type { InputOf, ResultOf } from '../../api/operations/define-operation.ts';
import type { AreaName, OperationsOf } from '../../api/operations/registry.ts';
import { conflict, invalid, notFound } from '../responses.ts';
import type { StoredKind, StoredKinds, StoredRecords, StoredAccount } from '../store/tables.ts';

/**
 * Handles one operation: reads and writes through the records and returns the result, or throws an `HttpError` to
 * refuse.
 */
export type Handler<Input, Result> = (input: Input, records: StoredRecords) => Result;

/** The handlers of one area, by the names of its operations. */
export type HandlersOf<A extends AreaName> = {
  readonly [V in keyof OperationsOf<A>]: Handler<
    InputOf<OperationsOf<A>[V]>,
    ResultOf<OperationsOf<A>[V]>
  >;
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Derives `length` characters of the alphabet (at most 32, from an alphabet of at most 256). */
function derive(text: string, alphabet: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Makes an ID of the API: 16 letters. */
export const makeId = (text: string): string => derive(text, LETTERS, 16);

/** Makes an ID of Mastodon, X, LinkedIn or Facebook: 18 digits, the first not zero. */
export const makeNumber = (text: string): string => `1${derive(text, '0123456789', 17)}`;

/** Makes a record key of Bluesky: 13 characters. */
export const makeKey = (text: string): string => `3k${derive(text, BASE32, 11)}`;

/** Makes a content identifier of Bluesky. */
export const makeCid = (text: string): string => `bafyrei${derive(text, BASE32, 32)}`;

/** Converts milliseconds since 1970 to a timestamp of the API. */
export const toTimestamp = (ms: number): string => new Date(ms).toISOString();

/** Returns the stored value. Throws a 404 that names it with `word`. */
export function find<K extends StoredKind>(
  records: StoredRecords,
  kind: K,
  id: string,
  word: string = kind,
): StoredKinds[K] {
  const found = records.get(kind, id);
  if (found === undefined) throw notFound(word, id);
  return found;
}

/**
 * Returns an account that can act on a platform. Throws 404 if it is unknown, 422 on another platform, 409 if it needs
 * reconnecting.
 */
export function accountOn(records: StoredRecords, platform: string, id: string): StoredAccount {
  const account = find(records, 'account', id);
  if (account.platform !== platform) {
    const message = `must be a ${platform} account; ${id} is on ${account.platform}`;
    throw invalid([{ field: 'accountId', message }]);
  }
  if (account.connected) return account;
  const message = `${account.displayName} (${id}) must be reconnected before it can act.`;
  throw conflict('reconnect_required', message);
}
