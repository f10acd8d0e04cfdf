// Identifiers that look like those of the platforms, made from a text: the same text gives the same identifier.
// Deterministic on purpose, so that examples and transcripts read the same everywhere. Never for secrets.

import { createHash } from 'node:crypto';
import { conflict, invalid, notFound } from '../responses.ts';
import type { StoredKind, StoredKinds, StoredRecords, StoredAccount } from '../store/tables.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** `length` characters of the alphabet (at most 32, from an alphabet of at most 256). */
function minted(text: string, alphabet: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** 16 letters: an identifier of the API's own things. */
export const makeId = (text: string): string => minted(text, LETTERS, 16);

/** 18 digits, the first no zero: Mastodon, X, LinkedIn, Facebook. */
export const makeNumber = (text: string): string => `1${minted(text, '0123456789', 17)}`;

/** 13 characters: a record key of Bluesky. */
export const makeKey = (text: string): string => `3k${minted(text, BASE32, 11)}`;

/** A content identifier of Bluesky. */
export const makeCid = (text: string): string => `bafyrei${minted(text, BASE32, 32)}`;

// Times as the API writes them.

/** Milliseconds since 1970 as a timestamp of the API. */
export const toTimestamp = (ms: number): string => new Date(ms).toISOString();

// Finding what a request names, or refusing: the same words for the same fault in every area.

/** The thing, or a 404 that calls it by `word`. */
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

/** An account that can act on a platform: 404 unknown, 422 of another platform, 409 when a person must reconnect it. */
export function accountOn(records: StoredRecords, platform: string, id: string): StoredAccount {
  const account = find(records, 'account', id);
  if (account.platform !== platform) {
    throw invalid([
      {
        field: 'accountId',
        message: `must be a ${platform} account, ${id} is on ${account.platform}`,
      },
    ]);
  }
  if (account.needsReconnect) {
    throw conflict(
      'reconnect_required',
      `${account.displayName} (${id}) must be reconnected before it can act.`,
    );
  }
  return account;
}
