// JSON that loses nothing: numbers a double cannot hold keep their digits, `__proto__` stays a plain key,
// and what is written is safe to show on a terminal. Refuses nesting deeper than a reader could follow.

import { INVISIBLE } from './sanitize.ts';

/** A JSON number that a double would change (9007199254740993, 1e400), kept as it was written. */
interface ExactNumber {
  readonly [exact]: string;
  toString(): string;
}

const exact = Symbol('exact number');
/** Thrown to stop the engine's own writer at a number that it would change. */
const keepsDigits = new Error('a number keeps its digits');
const refuseToRound = () => {
  throw keepsDigits;
};
const MAX_DEPTH = 64;
/** A text up to this length may be parsed before its depth is known: it has no room for nesting that does harm. */
const SHORT = 64 * 1024;
const SMALLEST_NORMAL = 2 ** -1022;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// Numbers with fewer than 16 digits and no exponent always survive. A number follows a bracket, a colon or a comma,
// so digits in the middle of a string (ids in URLs) cost nothing.
const RISKY_NUMBER = /(?:^|[[:,])\s*-?\d(?:[\d.]{15,}|[\d.]*[eE][+-]?\d)/;

/** Whether a value is a number kept by its digits. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && exact in value;
}

/** Whether a value is an object and no list; a number kept by its digits is one here, see `isMap`. */
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
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== key));

/** Whether a value is an object of JSON. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !isExactNumber(value);

/** A value of JSON with each of its texts changed, keys included; a number too, where its digits are changed. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  changeKey = change,
): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number' || isExactNumber(value)) {
    const digits = String(value);
    const changed = change(digits);
    return changed === digits ? value : changed;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, changeKey));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [changeKey(key), mapTexts(each, change, changeKey)]),
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
  // The text is searched only where the value leaves a doubt.
  if (!hasNumbers(value, 0) || !RISKY_NUMBER.test(text)) return value;
  refuseDepth(text);
  return parseExactly(text);
}

/** The value of JSON text that this program wrote; `undefined` where it is none. Of other text see `parseJson`. */
export function ownJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether there is a number in a value. Throws a `RangeError` where it nests deeper than the limit. */
function hasNumbers(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'number';
  if (depth === MAX_DEPTH) throw tooDeep();
  let found = false;
  if (Array.isArray(value)) {
    for (const item of value) if (hasNumbers(item, depth + 1)) found = true;
    return found;
  }
  for (const key in value)
    if (hasNumbers((value as Readonly<Record<string, unknown>>)[key], depth + 1)) found = true;
  return found;
}

/** Whether JSON text may stand in a line and on a terminal as it is: ASCII without control characters. */
export function isShowable(json: string): boolean {
  return isVisible(json) && !json.includes('\n') && !json.includes('\r') && !json.includes('\t');
}

/** Writes a value as JSON; C1 controls, bidi controls and other invisible characters leave as \u escapes. */
export function toJson(value: unknown, indent = 0): string {
  return escapeInvisible(writeFast(value, indent) ?? write(value, indent, ''));
}

/** By the engine's own writer, several times as fast; undefined where a number must keep its digits. */
function writeFast(value: unknown, indent: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (error === keepsDigits) return undefined;
    throw error;
  }
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

/** Puts each risky number into a string under a mark that the text does not contain, then takes it out again. */
function parseExactly(text: string): unknown {
  const decoded = text.replaceAll('\\u0023', '#');
  let mark = '#';
  while (decoded.includes(mark)) mark += '#';
  return JSON.parse(markNumbers(text, mark), (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark)
      ? exactNumber(value.slice(mark.length))
      : value,
  );
}

/** Strings are skipped by hand: a pattern that takes one of some megabytes overflows the stack. */
function markNumbers(text: string, mark: string): string {
  const markedIn = (part: string) =>
    part.replace(NUMBER, (token) => (survives(token) ? token : `"${mark}${token}"`));
  let marked = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('"', from);
    if (start < 0) return marked + markedIn(text.slice(from));
    const end = endOfString(text, start) + 1;
    marked += markedIn(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
}

function survives(digits: string): boolean {
  const value = Number(digits);
  if (/^-?\d+$/.test(digits)) return Number.isSafeInteger(value);
  const mantissa = digits.replace(/[-.]|[eE].*$/g, '');
  // Near zero a double loses digits, and then all of them.
  const holds = Math.abs(value) >= SMALLEST_NORMAL || /^0+$/.test(mantissa);
  return Number.isFinite(value) && holds && mantissa.length <= 15;
}

function exactNumber(digits: string): ExactNumber {
  return Object.defineProperty({ [exact]: digits, toString: () => digits }, 'toJSON', {
    value: refuseToRound,
  });
}

function write(value: unknown, indent: number, margin: string): string {
  if (isExactNumber(value)) return value[exact];
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = margin + ' '.repeat(indent);
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, indent, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(
          ([key, item]) =>
            `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}${write(item, indent, inner)}`,
        );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  if (indent === 0) return open + parts.join(',') + close;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${margin}${close}`;
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
