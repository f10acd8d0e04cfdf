// The dotted paths of an operation's result that `--fields` may name, read off its schema.

import * as z from 'zod/mini';
import type { Operation } from './operation.ts';

/** Every path the document shows, lists looked through: `status`, `targets`, `targets.id`. */
export function pathsOf(operation: Operation): readonly string[] {
  return below(operation.result);
}

/**
 * The full path for a field as it was typed: a field of the rows may leave out the list's name.
 * `undefined` where the result has no such field; below an object of unknown content any name goes.
 */
export function resolvePath(operation: Operation, typed: string): string | undefined {
  const candidates = operation.rows === undefined ? [typed] : [typed, `${operation.rows}.${typed}`];
  return candidates.find((path) => leadsSomewhere(operation.result, path.split('.')));
}

function leadsSomewhere(schema: z.ZodMiniType, keys: readonly string[]): boolean {
  const inner = contentOf(schema);
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  if (inner instanceof z.ZodMiniObject) {
    const next = Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.ZodMiniType) : undefined;
    return next !== undefined && leadsSomewhere(next, rest);
  }
  return inner instanceof z.ZodMiniRecord || inner instanceof z.ZodMiniUnknown;
}

function below(schema: z.ZodMiniType): readonly string[] {
  const inner = contentOf(schema);
  if (!(inner instanceof z.ZodMiniObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]) => [
    key,
    ...below(value as z.ZodMiniType).map((path) => `${key}.${path}`),
  ]);
}

/** What is inside of `optional`, `nullable` and lists. */
function contentOf(schema: z.ZodMiniType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    return contentOf(schema.def.innerType as z.ZodMiniType);
  return schema instanceof z.ZodMiniArray ? contentOf(schema.def.element as z.ZodMiniType) : schema;
}
