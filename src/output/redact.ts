// Secrets, taken out by value wherever they turn up: as they are, as base64, percent-encoded, or inside JSON.

/** What stands for a secret. */
export const MASK = '[redacted]';

/** Shorter texts would be found everywhere, and are no secrets. */
const SHORTEST = 4;

/** A function that masks each of the given secrets in a text. Longer ones first, so that none is left in part. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  const ordered = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(secret).toString('base64url'),
  ];
}
