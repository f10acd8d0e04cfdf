// The building blocks of schemas: the declarations of a field, and the rules of texts, enumerations and timestamps, each
// with the sentence that says what is wrong with a value. It follows the field's name: "must be …, got …".

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { quote } from '../../base/sanitize.ts';
import { notOneOf } from '../../base/suggestions.ts';
import type { Tone, Tones } from './status-tones.ts';

/** The declarations of a field besides its rule: how it is typed on the command line, and how it is shown. */
export interface FieldMeta {
  /**
   * The flag's name, where it is not the field's own in kebab-case; `on|off` names both words of a boolean,
   * and its description then says what each does, the same way: `Deliver events | Hold events back`.
   */
  readonly flag?: string;
  /**
   * The setting of the context that fills the field in where it is not typed; its short flag and variable hold here
   * too.
   */
  readonly fromContext?: 'account';
  /** A positional: exactly one, or as many as are typed (each is a call of its own). */
  readonly argument?: 'one' | 'many';
  /** An ID: those seen on this machine are offered for it. */
  readonly isId?: true;
  /** Never in argv, masked everywhere. */
  readonly secret?: true;
  /** Lets in whoever knows it: masked in every output but the result that is about it. */
  readonly sensitive?: true;
  /** A long text: also from a file, standard input or an editor. */
  readonly prose?: true;
  /** The word for the value in help. */
  readonly placeholder?: string;
  /** The title of its column in a table, where its name does not say it well. */
  readonly label?: string;
  /** The tones of its words: one for all, or one for each word. */
  readonly tones?: Tone | Tones;
  /**
   * How a value is shown. `alarm`: a count above zero needs attention. `color`: the number is a colour. `line`: above a
   * table, cut to one line. `below`: below its row where a table has no room for the column. `lacking`: of the items of
   * a list, those that are not ready.
   */
  readonly look?: 'alarm' | 'color' | 'line' | 'below' | 'lacking';
}

declare module 'zod/v4/core' {
  interface GlobalMeta extends FieldMeta {}
}

/** The schema with a description of what it is here. A copy: elsewhere the same schema may be something else. */
export function described<S extends z.ZodMiniType>(
  schema: S,
  description: string,
  meta: FieldMeta = {},
): S {
  const copy = schema.clone();
  z.globalRegistry.add(copy, { description, ...meta });
  return copy;
}

/** An object of an answer: any field may be missing, and others may come. */
export const partialObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.partial(z.object(shape));

/** A partial object that is a resource of the document, by its name there. */
export const resource = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  partialObject(shape).register(z.globalRegistry, { id });

/** Lengths count Unicode code points ("Limits"; the document does not name the unit): of a surrogate pair, one. */
export const codePoints = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** The reason why a text cannot be sent as it is: an unpaired surrogate or a control character. */
export function unsendable(text: string): string | undefined {
  if (!text.isWellFormed()) return 'is not valid text (unpaired surrogate)';
  const at = text.search(CONTROL);
  if (at < 0) return undefined;
  const lineEnd = text.startsWith('\r\n', at) ? '; use LF line ends, not CRLF' : '';
  return `contains the control character ${codePointName(text, at)} at ${at + 1}${lineEnd}`;
}

/** `U+0007` for the character at an index. */
export function codePointName(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * A string judged by one rule: `complaint` gives the clause that says what is wrong, or nothing.
 * `meta` is what JSON Schema and a reader can be told of the rule.
 */
export function stringRule(
  complaint: (value: string) => string | undefined,
  meta: z.core.GlobalMeta = {},
): z.ZodMiniString<string> {
  return z
    .string({ error: ({ input }) => `must be text, got ${typeOf(input)}` })
    .check((context) => {
      const message = complaint(context.value);
      if (message !== undefined) {
        context.issues.push({ code: 'custom', message, input: context.value });
      }
    })
    .register(z.globalRegistry, meta);
}

/** Free text of `min` to `max` code points: line breaks and tabs allowed, other controls refused. */
export function textSchema(
  min: number,
  max: number,
  meta: FieldMeta = {},
): z.ZodMiniString<string> {
  return stringRule(
    (value) => {
      const length = codePoints(value);
      return length < min || length > max
        ? `must be ${min} to ${max} characters, got ${length}`
        : unsendable(value);
    },
    { minLength: min, maxLength: max, ...meta },
  );
}

/** A string of at least one character that may travel in a query or a body. */
export const NonEmpty = stringRule(
  (value) => (value === '' ? 'must not be empty' : unsendable(value)),
  {
    minLength: 1,
  },
);

/** How a value that is not of the wanted type is named in a message. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** An enumeration whose values the document lists in full. Strict in requests; answers may bring others. */
export function enumeration<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, {
    error: ({ input }) => notOneOf(values, textOrType(input)),
  });
}

/** A boolean of an input, which a list may have as a word. */
export const strictBoolean = () =>
  z.boolean({ error: ({ input }) => `must be true or false, got ${textOrType(input)}` });

/** How a value that fits no choice is named in a message. */
const textOrType = (value: unknown): string =>
  typeof value === 'string' ? quote(value) : typeOf(value);

/** A text of which the document lists one value and says that others are not shown ("Gaps"). */
export const sampled = (value: string, meta: FieldMeta = {}) =>
  z.string().register(z.globalRegistry, { examples: [value], ...meta });

/** ISO 8601 in UTC, `Z` required, seconds and fraction optional ("Conventions"). */
const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;

/** Tells whether a text is a timestamp of the API: form, ranges and calendar, leap years included. */
export function isTimestamp(text: string): boolean {
  const at = FORM.test(text) ? Date.parse(text) : NaN;
  // `Date.parse` takes 30 February for 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 16));
}

export const Timestamp = stringRule(
  (value) => (isTimestamp(value) ? undefined : 'must be a UTC date-time such as 2026-03-01T09:30Z'),
  {
    id: 'Timestamp',
    // Not `format: date-time`, which is RFC 3339's and wants seconds.
    description: 'UTC date-time of ISO 8601 with Z; seconds and their fraction may be missing',
    pattern: FORM.source,
  },
);

/**
 * Everything in a value that its schema does not allow, in English, which the small form of zod does not bring; empty
 * where it fits.
 */
export function issuesOf(schema: z.ZodMiniType, value: unknown): readonly z.core.$ZodIssue[] {
  if (schema.safeParse(value).success) return [];
  return schema.safeParse(value, { error: en().localeError }).error?.issues ?? [];
}
