// Compares a value with a schema, and compiles a schema that is used often.

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

/** A single command makes fewer checks; compiling costs as much as about twenty, and makes the next ones faster. */
const COMPILED_FROM = 20;

interface Used {
  checks: number;
  schema: z.core.$ZodType;
}

const english = { error: en().localeError };
const used = new WeakMap<z.core.$ZodType, Used>();

/** Returns all schema errors of a value, in English, which zod/mini does not include; empty if it is valid. */
export function issuesOf(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  const use = used.get(schema) ?? { checks: 0, schema };
  used.set(schema, use);
  if (++use.checks === COMPILED_FROM) use.schema = compiled(schema);
  return z.safeParse(use.schema, value, english).error?.issues ?? [];
}

/**
 * Copies a schema with zod's compiler for its objects, which zod/mini leaves out. Where a process may not compile code
 * at run time, zod interprets the copy.
 */
function compiled(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodMiniObject) {
    const shape: Record<string, z.core.$ZodType> = {};
    for (const [key, inner] of Object.entries<z.core.$ZodType>(schema.def.shape))
      shape[key] = compiled(inner);
    return new z.core.$ZodObjectJIT({ ...schema.def, shape });
  }
  if (schema instanceof z.ZodMiniArray)
    return z.core.clone(schema, { ...schema.def, element: compiled(schema.def.element) });
  if (schema instanceof z.ZodMiniOptional)
    return z.core.clone(schema, { ...schema.def, innerType: compiled(schema.def.innerType) });
  return schema;
}
