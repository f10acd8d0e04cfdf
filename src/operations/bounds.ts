// What JSON Schema can say of each field of an input: lengths, numbers of items, patterns. A projection of the
// data for whoever reads the command line as data; what is judged is judged by the schema itself.

import * as z from 'zod/mini';
import type { Operation } from './operation.ts';

/** The bounds of one field. A list's pattern and values are those of its items. */
export interface Bounds {
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

const KEYS = ['pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'enum'];

/** The bounds of every field of an operation's input, by its name. */
export function boundsOf({ input }: Operation): Readonly<Record<string, Bounds>> {
  const whole: Schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const shared = (whole['$defs'] ?? {}) as Readonly<Record<string, Schema>>;
  const properties = Object.entries(whole['properties'] as Readonly<Record<string, Schema>>);
  return Object.fromEntries(properties.map(([name, schema]) => [name, within(schema, shared)]));
}

/** The bounds of a schema itself, of its items, and of what it refers to; of alternatives all count but null. */
function within(schema: Schema, shared: Readonly<Record<string, Schema>>): Bounds {
  const { $ref, items, anyOf = [] } = schema;
  const inner = [
    ...(typeof $ref === 'string' ? [shared[$ref.slice('#/$defs/'.length)]!] : []),
    ...(items === undefined ? [] : [items as Schema]),
    ...(anyOf as readonly Schema[]),
  ];
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => KEYS.includes(key)));
  return inner.reduceRight<Bounds>((bounds, each) => ({ ...within(each, shared), ...bounds }), own);
}
