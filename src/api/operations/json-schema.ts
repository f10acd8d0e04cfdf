// Inputs and results of operations in JSON Schema (2020-12).

import * as z from 'zod/mini';
import { fieldMeta } from '../schema/rules.ts';
import type { Operation } from './define-operation.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Makes the schema of an input without the fields in `fixed`, with all definitions. */
export function inputSchema(
  { input, method }: Operation,
  fixed: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const open = Object.entries(input.shape).filter(([name]) => !Object.hasOwn(fixed, name));
  const schema = toJsonSchema(z.strictObject(Object.fromEntries(open)));
  // A PATCH needs at least one field besides the ID.
  const least = (schema['required'] as readonly string[] | undefined)?.length ?? 0;
  return method === 'PATCH' ? { ...schema, minProperties: least + 1 } : schema;
}

/**
 * Makes the schema of the `data` of a response, with all definitions. Values that an enumeration does not list may
 * occur too.
 */
export const resultSchema = ({ result }: Operation): JsonSchema => toJsonSchema(result);

/** Makes a JSON schema with everything that it refers to in `$defs`. */
export function toJsonSchema(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    // Parsing changes no value, so both sides have one schema; that of the input allows responses more fields.
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (fieldMeta.get(zodSchema)?.secret === true) jsonSchema.writeOnly = true;
      // The description of a yes/no flag says both sides: `Deliver events | Hold events back`.
      const [on, off] = jsonSchema.description?.split(' | ') ?? [];
      if (off !== undefined) jsonSchema.description = `true: ${on}; false: ${off}`;
    },
  });
}
