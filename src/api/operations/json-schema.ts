// Inputs and results of operations in JSON Schema (2020-12). What is only for the
// command line is left out.

import * as z from 'zod/mini';
import type { Operation } from './define-operation.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const COMMAND_LINE = [
  'flag',
  'isId',
  'fromContext',
  'argument',
  'placeholder',
  'prose',
  'sensitive',
  'label',
  'tones',
  'look',
];

/** The input of an operation, less the fields that `given` gives; self-contained. */
export function inputSchema(
  { input, method }: Operation,
  given: Readonly<Record<string, unknown>> = {},
): JsonSchema {
  const open = Object.entries(input.shape).filter(([name]) => !Object.hasOwn(given, name));
  const schema = toJsonSchema(z.strictObject(Object.fromEntries(open)));
  // A change names what it changes, and something to change.
  const least = (schema['required'] as readonly string[] | undefined)?.length ?? 0;
  return method === 'PATCH' ? { ...schema, minProperties: least + 1 } : schema;
}

/** The `data` of an answer; self-contained. Values of enumerations that the document does not list may come too. */
export const resultSchema = ({ result }: Operation): JsonSchema => toJsonSchema(result);

/** A schema with everything that it refers to below `$defs`. */
function toJsonSchema(schema: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(schema, {
    // Parsing changes nothing here, and answers may bring more fields.
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => plain(jsonSchema),
  });
}

/** Takes out the words of the command line, and says the rest in those of JSON Schema. */
function plain(schema: Record<string, unknown>): void {
  for (const word of COMMAND_LINE) delete schema[word];
  if (schema['secret'] === true) schema['writeOnly'] = true;
  delete schema['secret'];
  const { description } = schema;
  if (typeof description !== 'string' || !description.includes(' | ')) return;
  const [on, off] = description.split(' | ');
  schema['description'] = `true: ${on!}; false: ${off!}`;
}
