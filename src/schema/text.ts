// The rules that strings of the API obey, each with the sentence that says what is wrong with a value.
// A sentence follows the field's name: "must be …, got …". Values are quoted by whoever shows them.

import * as z from 'zod/mini';

/** Lengths count Unicode code points ("Limits"; the document does not name the unit). */
export function codePoints(text: string): number {
  let count = text.length;
  // Counted where it is: a list of the characters is the most costly thing that is done to a text of some length.
  for (let i = 1; i < text.length; i++) if (isSecondHalf(text, i)) count--;
  return count;
}

/** Whether the unit at an index ends a surrogate pair. Two in a row cannot both do so: the first would have to begin one. */
function isSecondHalf(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** What keeps a text from being sent as it is: an unpaired surrogate or a control character. */
export function unsendable(text: string): string | undefined {
  if (!text.isWellFormed()) return 'is not valid text (unpaired surrogate)';
  const at = text.search(CONTROL);
  if (at < 0) return undefined;
  return `contains the control character ${codePointName(text, at)} at ${at + 1}`;
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
export function ruled(
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
export function prose(min: number, max: number): z.ZodMiniString<string> {
  return ruled(
    (value) => {
      const length = codePoints(value);
      if (length < min || length > max) {
        return `must be ${min} to ${max} characters, got ${length}`;
      }
      return unsendable(value);
    },
    { minLength: min, maxLength: max },
  );
}

/** A string of at least one character that may travel in a query or a body. */
export const NonEmpty = ruled((value) => (value === '' ? 'must not be empty' : unsendable(value)), {
  minLength: 1,
});

/** How a value that is not of the wanted type is named in a message. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
