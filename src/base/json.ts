// JSON from outside and to a terminal: `__proto__` stays a plain key, nesting deeper than a reader could follow is
// refused, and what is written is safe to show. A number is JavaScript's; the text of a result that is printed whole is
// passed through as it came (`client/read-response.ts`).

import { INVISIBLE } from './sanitize.ts';

const MAX_DEPTH = 64;
/** A text up to this length may be parsed before its depth is known: it has no room for nesting that does harm. */
const SHORT = 64 * 1024;

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key from outside: undefined for `constructor` and the like, which every object inherits. */
export const ownProperty = <T>(
  record: Readonly<Record<string, T>> | undefined,
  word: string,
): T | undefined =>
  record !== undefined && Object.hasOwn(record, word) ? record[word] : undefined;

/** The value at a path of keys, as zod gives it with an issue. */
export const valueAtKeys = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(
    (from, key) => (from as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
    value,
  );

/** The record less one of its keys. */
export const without = <T>(all: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

/** A value of JSON with each of its texts changed, keys included; a number too, where its digits are changed. */
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
 * Parses JSON text. Throws a `SyntaxError` whose message never quotes the text (it may hold secrets),
 * and a `RangeError` where it nests deeper than 64 levels.
 */
export function parseJson(text: string): unknown {
  if (text.length > SHORT) refuseDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuseDepth(text);
    throw new SyntaxError('not complete JSON');
  }
  if (text.length <= SHORT && isDeeper(value, MAX_DEPTH)) throw tooDeep();
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Whether a number in a value may not be the one that was written: a double holds no integer past 2^53 for sure. */
export function hasUnsafeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsafeNumber);
}

/** The value of JSON text that this program wrote; `undefined` where it is none. Of other text see `parseJson`. */
export function ownJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a value as JSON; C1 controls, bidi controls and other invisible characters leave as \u escapes. */
export const toJson = (value: unknown, indent = 0): string =>
  escapeInvisible(JSON.stringify(value, undefined, indent) ?? 'null');

/** JSON text in lines, indented by two; its numbers keep their digits. */
export function indentJson(text: string): string {
  let lines = '';
  let margin = '\n';
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      const end = endOfString(text, i);
      lines += text.slice(i, end + 1);
      i = end;
    } else if (c === '{' || c === '[') lines += c + (margin += '  ');
    else if (c === '}' || c === ']') {
      const isEmpty = lines.endsWith((c === '}' ? '{' : '[') + margin);
      margin = margin.slice(0, -2);
      lines = (isEmpty ? lines.trimEnd() : lines + margin) + c;
    } else if (c === ',') lines += c + margin;
    else if (c === ':') lines += ': ';
    else if (c !== ' ') lines += c;
  }
  return lines;
}

function refuseDepth(text: string): void {
  if (depthOf(text) > MAX_DEPTH) throw tooDeep();
}

const tooDeep = () => new RangeError(`nested deeper than ${MAX_DEPTH} levels`);

/** The deepest nesting of brackets outside strings; counts at most one past the limit. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length && deepest <= MAX_DEPTH; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) i = endOfString(text, i);
    else if (c === 0x7b || c === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (c === 0x7d || c === 0x5d) depth--;
  }
  return deepest;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i;
  }
  return text.length;
}

// In JSON text these can stand only inside strings, so a \u escape keeps the value. The joiners are escaped as well.
const ESCAPED = new RegExp(`${INVISIBLE.source}|[\\u200c\\u200d]`, 'gu');

/** Counting bytes is many times as fast as looking at each character; only DEL is both ASCII and invisible. */
const isVisible = (json: string): boolean =>
  Buffer.byteLength(json) === json.length && !json.includes('\x7f');

/** JSON text of the same value, with invisible characters as \u escapes. */
export function escapeInvisible(text: string): string {
  if (isVisible(text)) return text;
  return text.replace(ESCAPED, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
