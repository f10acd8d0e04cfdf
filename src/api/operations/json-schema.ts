// Inputs and results of operations in JSON Schema (2020-12).

import * as z from 'zod/mini';
import { fieldMeta } from '../schema/rules.ts';
import type { Operation } from './define-operation.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Makes the schema of an input without the fields in `fixed`, without references: many clients of agents follow none. */
export function inputSchema(
  { input, method }: Operation,
  fixed: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const open = Object.entries(input.shape).filter(([name]) => !Object.hasOwn(fixed, name));
  const schema = toJsonSchema(z.strictObject(Object.fromEntries(open)), unnamed);
  // A PATCH needs at least one field besides the ID.
  const least = (schema['required'] as readonly string[] | undefined)?.length ?? 0;
  return method === 'PATCH' ? { ...schema, minProperties: least + 1 } : schema;
}

/**
 * Makes the schema of the `data` of a response, with all definitions. Values that an enumeration does not list may
 * occur too.
 */
export const resultSchema = ({ result }: Operation): JsonSchema => toJsonSchema(result);

/** The registry of zod without names. A schema that has a name there becomes a definition. */
const unnamed = Object.assign(Object.create(z.globalRegistry) as typeof z.globalRegistry, {
  get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), id: undefined }),
});

/** Makes a JSON schema with the named schemas that it refers to in `$defs`. */
export function toJsonSchema(schema: z.ZodMiniType, metadata = z.globalRegistry): JsonSchema {
  return z.toJSONSchema(schema, {
    metadata,
    // Parsing changes no value, so both sides have one schema; that of the input allows responses more fields.
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { secret, off } = fieldMeta.get(zodSchema) ?? {};
      if (secret === true) jsonSchema.writeOnly = true;
      if (off !== undefined)
        jsonSchema.description = `true: ${jsonSchema.description}; false: ${off.description}`;
    },
  });
}
