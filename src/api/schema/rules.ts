// The building blocks of schemas: field metadata, and the rules for texts, enumerations and timestamps, each with the
// problem that follows the field's name: "must be …, got …".

import * as z from 'zod/mini';
import { ownProperty } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { notOneOf } from '../../base/suggestions.ts';

/**
 * The tone of a status, as its field declares it: good (green), bad (red), moving (yellow) or still. Colour and sign
 * follow from it in `output/color.ts`; the word itself is always shown.
 */
export type Tone = 'good' | 'bad' | 'moving' | 'still';

/** Field metadata besides the rule: how a field is typed on the command line, and how it is shown. */
export interface FieldMeta {
  /** The flag's name, if it is not the field's name in kebab-case; for a boolean, the flag that turns it on. */
  readonly flag?: string;
  /** For a boolean, the flag that turns it off, by default `no-` and its name. */
  readonly off?: { readonly flag: string; readonly description: string };
  /** The context setting that is the default; its short flag and variable work here too. */
  readonly fromContext?: 'account';
  /** A positional argument: exactly one, or any number, each for a separate call. */
  readonly argument?: 'one' | 'many';
  /** An ID: completion and prompts offer those shown on this machine before. */
  readonly isId?: true;
  /** A secret: never in argv, masked everywhere. */
  readonly secret?: true;
  /** A value that grants access: masked in every output except the result that is about it. */
  readonly sensitive?: true;
  /** A long text, which may also come from a file, standard input or an editor. */
  readonly prose?: true;
  /** The placeholder of the value in help. */
  readonly placeholder?: string;
  /** Noted for the user where a value is given. */
  readonly remark?: string;
  /** The title of the column in a table, if the field's name is unclear. */
  readonly label?: string;
  /** The tone of every value, or `status`: that of the status which it names. */
  readonly tones?: Tone | 'status';
  /**
   * The way to show a value. `alarm`: a count above zero needs attention. `color`: the number is a colour. `line`:
   * above a table, cut to one line. `below`: below its row if the table has no room for the column. `whole`: never
   * wrapped in a table. `notReady`: only the items of a list that are not ready. `clock`: a time by the clock, not
   * relative to now.
   */
  readonly look?: 'alarm' | 'color' | 'line' | 'below' | 'whole' | 'notReady' | 'clock';
}

/** The metadata of fields; what JSON Schema says of a schema is in zod's own registry. */
export const fieldMeta = z.registry<FieldMeta>();

/** Copies the schema with a description for this field; other fields use the same schema. */
export function described<S extends z.ZodMiniType>(
  schema: S,
  description: string,
  meta: FieldMeta = {},
): S {
  const copy = schema.clone();
  z.globalRegistry.add(copy, { description });
  fieldMeta.add(copy, meta);
  return copy;
}

/** An object in a response: fields may be missing, and others may appear. */
export const partialObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.partial(z.object(shape));

/** A partial object that is a resource of the API document, with its name there. */
export const resource = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
  partialObject(shape).register(z.globalRegistry, { id });

/** Counts Unicode code points ("Limits"; the API document does not name the unit): a surrogate pair is one. */
export const countCodePoints = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** The control characters of ASCII, without the tab and the line feed, which a text may contain. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** Returns why a text cannot be sent: an unpaired surrogate or a control character. */
export function unsendableReason(text: string): string | undefined {
  if (!text.isWellFormed()) return 'is not valid text (unpaired surrogate)';
  const at = text.search(CONTROL);
  if (at < 0) return undefined;
  const lineEnd = text.startsWith('\r\n', at) ? '; use LF line ends, not CRLF' : '';
  return `contains the control character ${codePointName(text, at)} at ${at + 1}${lineEnd}`;
}

/** Formats the character at an index as `U+0007`. */
export function codePointName(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Makes a string schema with one rule: `problemOf` returns the problem, or nothing; `jsonSchema` describes it. */
export function stringRule(
  problemOf: (value: string) => string | undefined,
  jsonSchema: z.core.GlobalMeta,
  meta: FieldMeta = {},
): z.ZodMiniString<string> {
  return z
    .string({ error: ({ input }) => `must be text, got ${typeOf(input)}` })
    .check((context) => {
      const message = problemOf(context.value);
      if (message !== undefined) {
        context.issues.push({ code: 'custom', message, input: context.value });
      }
    })
    .register(z.globalRegistry, jsonSchema)
    .register(fieldMeta, meta);
}

/**
 * Makes a schema for free text of `min` to `max` code points: line breaks and tabs are allowed, other controls are not.
 */
export function textSchema(
  min: number,
  max: number,
  meta: FieldMeta = {},
): z.ZodMiniString<string> {
  return stringRule(
    (value) => {
      const length = countCodePoints(value);
      return length < min || length > max
        ? `must be ${min} to ${max} characters, got ${length}`
        : unsendableReason(value);
    },
    { minLength: min, maxLength: max },
    meta,
  );
}

/** A string of at least one character that may be sent in a query or a body. */
export const NonEmpty = stringRule(
  (value) => (value === '' ? 'must not be empty' : unsendableReason(value)),
  { minLength: 1 },
);

/** Names the type of a value for a message. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** An enumeration that the API document lists in full. It is strict in requests; responses may have other values. */
export function enumeration<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, { error: ({ input }) => notOneOf(values, textOrType(input)) });
}

/** A boolean of an input. A record of a batch may have another text instead, which the message quotes. */
export const StrictBoolean = z.boolean({
  error: ({ input }) => `must be true or false, got ${textOrType(input)}`,
});

/** Shows a value that is not one of the choices, for a message. */
const textOrType = (value: unknown): string =>
  typeof value === 'string' ? quote(value) : typeOf(value);

/** A text of which the API document lists one value and says that there are others ("Gaps"). */
export const sampled = (value: string, meta: FieldMeta = {}) =>
  z
    .string()
    .register(z.globalRegistry, { examples: [value] })
    .register(fieldMeta, meta);

/** ISO 8601 in UTC, `Z` required, seconds and fraction optional ("Conventions"). */
const FORM =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?Z$/;
/** The days that every month has. */
const COMMON_DAYS = 28;

/** True if a text is a timestamp of the API: form, ranges and calendar, leap years included. Every record has several. */
export function isTimestamp(text: string): boolean {
  if (!FORM.test(text)) return false;
  if (Number(text.slice(8, 10)) <= COMMON_DAYS) return true;
  // A `Date` makes 2 March of 30 February.
  return new Date(text).toISOString().startsWith(text.slice(0, 10));
}

export const Timestamp = stringRule(
  (value) => (isTimestamp(value) ? undefined : 'must be a UTC date-time such as 2026-03-01T09:30Z'),
  {
    id: 'Timestamp',
    // `format: date-time` would mean RFC 3339, which requires seconds.
    description: 'UTC date-time of ISO 8601 with Z; seconds and their fraction may be missing',
    pattern: FORM.source,
  },
);

/** The tones of statuses, of a post, a target, an account, a credential, a pairing or a check; all others are still. */
const statusTones: Readonly<Record<string, Tone>> = {
  connected: 'good',
  ok: 'good',
  published: 'good',
  ready: 'good',
  action_required: 'bad',
  denied: 'bad',
  expired: 'bad',
  fail: 'bad',
  failed: 'bad',
  missing: 'bad',
  partial: 'bad',
  refused: 'bad',
  rejected: 'bad',
  publishing: 'moving',
  scheduled: 'moving',
  warn: 'moving',
};

/** Returns the tone of a word, as its field declares it; pending is moving. */
export function statusTone(word: string, tones: FieldMeta['tones'] = 'status'): Tone {
  if (tones !== 'status') return tones;
  return ownProperty(statusTones, word) ?? (word.startsWith('pending') ? 'moving' : 'still');
}
