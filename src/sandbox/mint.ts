// Identifiers that look like those of the platforms, made from a text: the same text gives the same identifier.
// Deterministic on purpose, so that examples and transcripts read the same everywhere. Never for secrets.

import { createHash } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** `length` characters of the alphabet (at most 32, from an alphabet of at most 256). */
function minted(text: string, alphabet: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

/** 16 letters: an identifier of the API's own things. */
export const mintId = (text: string): string => minted(text, LETTERS, 16);

/** 18 digits, the first no zero: Mastodon, X, LinkedIn, Facebook. */
export const mintNumber = (text: string): string => `1${minted(text, '0123456789', 17)}`;

/** 13 characters: a record key of Bluesky. */
export const mintKey = (text: string): string => `3k${minted(text, BASE32, 11)}`;

/** A content identifier of Bluesky. */
export const mintCid = (text: string): string => `bafyrei${minted(text, BASE32, 32)}`;
