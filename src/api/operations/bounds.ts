// What JSON Schema can say of each field of an input: lengths, numbers of items, patterns. A projection of the
// data for whoever reads the command line as data; what is judged is judged by the schema itself.

import { inputSchema, type JsonSchema } from './json-schema.ts';
import type { Operation } from './define-operation.ts';

/** The bounds of one value, as JSON Schema spells them. A list's pattern and values are those of its items. */
export interface Bounds {
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly not?: { readonly enum: readonly string[] };
}

const KEYS = [
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'enum',
  'not',
];

/** The bounds of every field of an operation's input, by its name. */
export function boundsOf(operation: Operation): Readonly<Record<string, Bounds>> {
  const { properties, $defs = {} } = inputSchema(operation);
  const shared = $defs as Readonly<Record<string, JsonSchema>>;
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(fields.map(([name, schema]) => [name, within(schema, shared)]));
}

/** The bounds of a schema itself, of its items, and of what it refers to; of alternatives all count but null. */
function within(schema: JsonSchema, shared: Readonly<Record<string, JsonSchema>>): Bounds {
  const { $ref, items, anyOf = [] } = schema;
  const inner = [
    ...(typeof $ref === 'string' ? [shared[$ref.slice('#/$defs/'.length)]!] : []),
    ...(items === undefined ? [] : [items as JsonSchema]),
    ...(anyOf as readonly JsonSchema[]),
  ];
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => KEYS.includes(key)));
  return inner.reduceRight<Bounds>((bounds, each) => ({ ...within(each, shared), ...bounds }), own);
}
