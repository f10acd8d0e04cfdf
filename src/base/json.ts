// JSON from outside and for a terminal: `__proto__` stays a plain key, deep nesting is rejected, and output is safe to
// show. Numbers are JavaScript's; a result that is printed whole keeps its original text (`client/read-response.ts`).

import { INVISIBLE } from './sanitize.ts';

const MAX_DEPTH = 64;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a key from outside, and `undefined` for inherited names such as `constructor`. */
export const ownProperty = <T>(
  record: Readonly<Record<string, T>> | undefined,
  word: string,
): T | undefined =>
  record !== undefined && Object.hasOwn(record, word) ? record[word] : undefined;

/** Returns the value at a path of keys, such as the path of a zod issue. */
export const valueAtKeys = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(
    (from, key) => (from as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
    value,
  );

/** Copies the record without one of its keys. */
export const without = <T>(all: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

/** Applies `change` to every text of a JSON value, keys included, and to the digits of every number. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  changeKey = change,
): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const digits = String(value);
    const changed = change(digits);
    return changed === digits ? value : changed;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, changeKey));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      changeKey(key),
      mapTexts(inner, change, changeKey),
    ]),
  );
}

/**
 * Parses JSON text. Throws a `SyntaxError` whose message never quotes the text (it may hold secrets), and a
 * `RangeError` where it nests deeper than 64 levels: our own functions would overflow the stack.
 */
export function parseJson(text: string): unknown {
  const value = ownJson(text);
  if (value === undefined) throw new SyntaxError('not valid JSON');
  if (isDeeper(value, MAX_DEPTH)) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** True if a number in the value may differ from the text it was parsed from: doubles are exact only up to 2^53. */
export function hasUnsafeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsafeNumber);
}

/** Parses JSON that this program wrote; `undefined` if it is invalid. */
export function ownJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a value as JSON, with C1 controls, bidi controls and other invisible characters as \u escapes. */
export const toJson = (value: unknown, indent = 0): string =>
  escapeInvisible(JSON.stringify(value, undefined, indent) ?? 'null');

/** The tokens of JSON text, escapes within its strings, and space. An empty list or object is one token. */
const TOKEN = /\\.|"|[{[]\s*[}\]]|[{[}\],:]|\s+/g;

/** Indents JSON text by two spaces; its numbers keep their digits. */
export function indentJson(text: string): string {
  let margin = '\n';
  let isInString = false;
  return text.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || token === '"') return token;
    if (token === '{' || token === '[') return token + (margin += '  ');
    if (token === '}' || token === ']') return (margin = margin.slice(0, -2)) + token;
    if (token === ',') return `,${margin}`;
    return token === ':' ? ': ' : token.replace(/\s+/, '');
  });
}

// In JSON text these characters occur only inside strings, so a \u escape keeps the value. Joiners are escaped as well.
const ESCAPED = new RegExp(`${INVISIBLE.source}|[\\u200c\\u200d]`, 'gu');

/** Replaces invisible characters in JSON text by \u escapes, which keeps its value. */
export function escapeInvisible(text: string): string {
  return text.replace(ESCAPED, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
