// What is wrong with a value, in English. The small form of zod brings no words of its own, and a value that is right
// needs none.

import type * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

/** Everything in a value that its schema does not allow; empty where it fits. */
export function issuesOf(schema: z.ZodMiniType, value: unknown): readonly z.core.$ZodIssue[] {
  if (schema.safeParse(value).success) return [];
  return schema.safeParse(value, { error: en().localeError }).error?.issues ?? [];
}
