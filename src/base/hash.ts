// Hashes of texts, the same on every machine, and random IDs. Node's cryptography is loaded with the first of them.

/** Returns the SHA-256 of a text. */
export const sha256 = (text: string, encoding: 'base64url' | 'hex'): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest(encoding);

/** Returns the first 64 bits in hexadecimal. They recognise a text, and are not safe against an attacker. */
export const hashOf = (text: string): string => sha256(text, 'hex').slice(0, 16);

/** Returns a random ID. The global `crypto` would load the Web Cryptography API, which costs a start more. */
export const randomId = (): string => process.getBuiltinModule('node:crypto').randomUUID();

const eightDigits = (): string =>
  Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');

/** Returns an ID like `randomId`, but one that can be guessed, without cryptography: that costs a start 4 ms. */
export function plainId(): string {
  const [second, third] = [eightDigits(), eightDigits()];
  const middle = `${second.slice(0, 4)}-4${second.slice(5)}-8${third.slice(1, 4)}`;
  return `${eightDigits()}-${middle}-${third.slice(4)}${eightDigits()}`;
}
