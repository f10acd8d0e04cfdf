// Strict UTF-8: bytes that are not UTF-8 are rejected, never replaced.

import { isUtf8 } from 'node:buffer';

/** Decodes bytes as UTF-8; `undefined` if they are not UTF-8. A byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Removes the byte order mark at the start of a text. */
export const withoutBom = (text: string): string =>
  text.startsWith('\ufeff') ? text.slice(1) : text;

/**
 * True if the bytes begin with the byte order mark of UTF-16, which never begins UTF-8. PowerShell's `>` and Excel
 * write it.
 */
export const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Returns the index of the first byte that is not UTF-8, in bytes of which some are not. */
export function firstInvalidByte(bytes: Uint8Array): number {
  // In the decoded text U+FFFD stands for what is not UTF-8, so that is where the bytes differ.
  const repaired = Buffer.from(Buffer.from(bytes).toString('utf8'));
  const at = bytes.findIndex((byte, i) => byte !== repaired[i]);
  // A character that is cut off at the end may have the first bytes of U+FFFD, and then no byte differs.
  return at < 0 ? bytes.length - 1 : at;
}
