// The list of a run as a journal keeps it: the hash of each key, eight bytes of it, many to a line.

import type { Hash } from './hashes.ts';

const HASH_BYTES = 8;
/** Keeps a line far below what is read at once. */
const MOST_IN_LINE = 1000;

/** Hashes as texts, a line each. */
export function* packed(hashes: Iterable<Hash>): Generator<string> {
  const bytes = Buffer.allocUnsafe(MOST_IN_LINE * HASH_BYTES);
  let end = 0;
  for (const { high, low } of hashes) {
    bytes.writeUInt32BE(high, end);
    end = bytes.writeUInt32BE(low, end + 4);
    if (end < bytes.length) continue;
    yield bytes.toString('base64');
    end = 0;
  }
  if (end > 0) yield bytes.toString('base64', 0, end);
}

/** The hashes of such a line. */
export function* unpacked(text: string): Generator<Hash> {
  const bytes = Buffer.from(text, 'base64');
  for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES)
    yield { high: bytes.readUInt32BE(at), low: bytes.readUInt32BE(at + 4) };
}
