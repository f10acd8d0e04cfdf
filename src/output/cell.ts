// Formats one value as text: for a person (signs, words, relative times) or for a pipe (as received).

import { isTimestamp, statusTone, type Tone } from '../api/schema/rules.ts';
import { momentText, relativeTime } from '../base/durations.ts';
import { isObject, toJson } from '../base/json.ts';
import { sanitizeCell, sanitizeLine } from '../base/sanitize.ts';
import type { Colors } from './color.ts';
import type { Column } from './table-view.ts';
import { GLUE } from './wrap.ts';

export interface CellContext {
  readonly colors: Colors;
  readonly now: number;
  /** Shows exact UTC times instead of relative ones. */
  readonly utc: boolean;
  /** Shows tables as lists of fields, a line for each, and status words without a sign. */
  readonly accessible?: boolean;
  /** Shows all columns, however wide. */
  readonly wide?: boolean;
}

/**
 * Formats a value for a terminal: one line of at most `longest` characters, sanitized, coloured where that helps.
 */
export function cellFor(
  { path, tones, look }: Column,
  value: unknown,
  { colors, now, utc, accessible = false }: CellContext,
  longest = Infinity,
): string {
  const key = path.split('.').at(-1)!;
  if (value === undefined || value === null) return colors.faint('-');
  const text = sanitizeLine(cut(textOf(value), longest));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (key === 'status' || tones !== undefined)
    return status(text, statusTone(text, tones), colors, accessible);
  if (typeof value === 'string' && isTime(path)) return time(text, now, utc, look === 'clock');
  if (key === 'error') return colors.bad(text);
  if (typeof value === 'number' && look === 'color') return hexColor(value, colors);
  if (typeof value === 'number' && look === 'alarm' && value > 0) return colors.bad(text);
  if (typeof value === 'number' && key.endsWith('Count')) return colors.strong(text);
  return text;
}

/** True if a column contains times, by its name. */
export const isTime = (path: string): boolean => /(At|For)$/.test(path);

/** Cuts a long text, and adds its length. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
  return `${start}… (${text.length} characters, use --json)`;
}

/** Makes the text of a value: an object as `name: value` pairs, a list of objects as their descriptions. */
function textOf(value: unknown): string {
  if (isObject(value)) return namedValues(value);
  if (!Array.isArray(value)) return plainText(value);
  const texts = value.map(itemText);
  return texts.length > 0 && !texts.includes(undefined) ? texts.join('; ') : plainText(value);
}

/** Formats `X-Team: [redacted], X-Key: [redacted]` if every value is plain. */
function namedValues(value: object): string {
  const pairs = Object.entries(value);
  if (pairs.length === 0) return '-';
  if (!pairs.every(([, item]) => isPlain(item))) return plainText(value);
  return pairs.map(([name, item]) => `${name}: ${plainText(item)}`).join(', ');
}

/** Formats the item of a list: `publish: ready`, or the message of an issue; `undefined` for any other object. */
function itemText(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { message, key, status: word, reason } = item as Readonly<Record<string, unknown>>;
  if (typeof message === 'string') return message;
  if (typeof key !== 'string' || typeof word !== 'string') return undefined;
  return `${key}: ${word}${typeof reason === 'string' ? ` (${reason})` : ''}`;
}

/** Formats Discord's colour number as `#rrggbb`; 0 means no colour. */
const hexColor = (value: number, colors: Colors): string =>
  value === 0 ? colors.faint('none') : `#${value.toString(16).padStart(6, '0')}`;

/** Formats a value for a pipe: nothing cut or changed, one line. */
export function rawCell(value: unknown): string {
  return sanitizeCell(plainText(value));
}

export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export function plainText(value: unknown): string {
  if (isAbsent(value)) return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every(isPlain))
    return value.length === 0 ? '-' : value.map(plainText).join(', ');
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : toJson(value);
}

const isPlain = (item: unknown): boolean => typeof item !== 'object' || item === null;

/**
 * Colours a status word and puts a sign before it; without the sign in accessible mode, where it would repeat the word.
 */
const status = (word: string, tone: Tone, colors: Colors, accessible: boolean): string =>
  colors[tone](accessible ? word : `${colors.signs[tone]}${GLUE}${word}`);

function time(text: string, now: number, utc: boolean, isClock: boolean): string {
  if (!isTimestamp(text)) return `${text} (invalid date)`;
  if (isClock) return momentText(Date.parse(text), now, utc);
  // The words are joined, because wrapping them would make each row longer, to save few columns.
  return utc ? text : relativeTime(Date.parse(text) - now).replaceAll(' ', GLUE);
}
