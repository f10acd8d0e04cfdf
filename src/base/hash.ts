// A short hash that is the same on every machine. It recognises a text, and is not safe against an attacker.

import { createHash } from 'node:crypto';

/** Returns the first 64 bits of the SHA-256, in hexadecimal. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);
