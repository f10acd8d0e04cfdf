// Closed and half-known enumerations, and the one place that says how a value outside one is refused.

import * as z from 'zod/mini';
import { typeOf } from './text.ts';

/** An enumeration whose values the document lists in full. Strict in requests; answers may bring others. */
export function enumeration<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, {
    error: ({ input }) =>
      typeof input === 'string'
        ? `must be one of: ${values.join(', ')}; got ${JSON.stringify(input)}`
        : `must be one of: ${values.join(', ')}; got ${typeOf(input)}`,
  });
}

/** A text of which the document lists one value and says that others are not shown ("Gaps"). */
export const sampled = (value: string) =>
  z.string().register(z.globalRegistry, { examples: [value] });
