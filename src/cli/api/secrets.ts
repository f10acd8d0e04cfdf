// What may be secret in a request or an answer of which nothing is known: it goes by names.

import { MASK } from '../../output/redact.ts';

const SECRET =
  /secret$|password$|(?:^|[-_]|access|refresh|api|auth|bearer)token$|(?:api|access|private)[-_]?key$|cookie|authorization/i;

/** Whether a field of this name, or a header, is likely to hold a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** Whether all values below this name are secrets, as those of a webhook's own headers are. */
const isSecretMap = (name: string): boolean => name === 'customHeaders';

/** Every text in a value that may be secret. */
export function secretTexts(value: unknown, within = false): readonly string[] {
  if (typeof value === 'string') return within ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, within));
  return Object.entries(value).flatMap(([name, inner]) =>
    secretTexts(inner, within || isSecretName(name) || isSecretMap(name)),
  );
}

/** The same value with a mask in place of every secret, for people to see. */
export function masked(value: unknown, within = false): unknown {
  if (typeof value === 'string') return within ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, within));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      masked(inner, within || isSecretName(name) || isSecretMap(name)),
    ]),
  );
}
