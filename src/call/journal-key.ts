// What a record is called in a journal: a part of its SHA-256, from which the record cannot be read back.

import { createHash } from 'node:crypto';
import type { Hash } from './hashes.ts';

/** 132 bits of the SHA-256 of a text, in base64url. */
const KEY_LENGTH = 22;

/** The key of a record, from its input in one certain order. */
export function keyOf(text: string): string {
  return fingerprintOf(text).slice(0, KEY_LENGTH);
}

/** The whole SHA-256 of a text, in base64url. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The first 64 bits of a key. */
export function keyHash(key: string): Hash {
  const bytes = Buffer.from(key, 'base64url');
  return { high: bytes.readUInt32BE(0), low: bytes.readUInt32BE(4) };
}
