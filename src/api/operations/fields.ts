// An operation on a command line, derived from its data: the fields of its input and result with their names, values and
// metadata, and its commands. It neither reads nor validates values.

import * as z from 'zod/mini';
import { ownProperty } from '../../base/json.ts';
import { idKindOf } from '../schema/id-patterns.ts';
import { type FieldMeta, fieldMeta } from '../schema/rules.ts';
import type { Operation } from './define-operation.ts';

export type Field = Readonly<ReturnType<typeof fieldOf>>;

/** Returns the fields in the order of their declaration, without those that the command words determine. */
export function fieldsOf(operation: Operation): readonly Field[] {
  return Object.entries(operation.input.shape)
    .filter(([name]) => !operation.command.includes(`{${name}}`))
    .map(([name, schema]) => fieldOf(name, schema as z.ZodMiniType));
}

/** Returns the word for a part of an operation: `target`. */
export const partWord = (operation: Operation): string =>
  fieldsOf(operation).find(({ name }) => name === operation.partsField)?.idKind ?? 'part';

function fieldOf(name: string, schema: z.ZodMiniType) {
  const { core, meta, jsonSchema, wrappers } = unwrap(schema);
  const kind = kindOf(core, jsonSchema);
  const { flag = kebab(name) } = meta;
  // Only the operations of webhooks call their ID `id`.
  const fullName = name === 'id' ? 'webhookId' : name;
  const hidden = meta.secret === true || meta.sensitive === true;
  const isId = itemMeta(core, meta).isId === true && !hidden;
  return {
    ...meta,
    name,
    /** `map` accepts `K: V` pairs; a list accepts its flag several times, or values with commas. */
    kind,
    description: jsonSchema.description ?? '',
    required: !wrappers.has('optional'),
    /** True if `null` is a valid value, which clears the field. */
    nullable: wrappers.has('nullable'),
    /** The flag's name without dashes; for a boolean the word that turns it on. */
    flag,
    /** For a boolean, the flag that turns it off. */
    off:
      kind === 'boolean'
        ? (meta.off ?? { flag: `no-${flag}`, description: `The opposite of --${flag}` })
        : undefined,
    /** True if it is secret or sensitive: only the result shows the value. */
    hidden,
    /** The kind of resource that it identifies: `post`, `target`. Never set for a hidden field. */
    idKind: isId ? idKindOf(fullName) : undefined,
    /** The maximum length of a text in code points, if there is one. */
    maxLength: jsonSchema['maxLength'] as number | undefined,
    /** The placeholder of the value in help, without brackets. */
    placeholder:
      meta.argument === undefined ? (meta.placeholder ?? placeholderOf(name)) : kebab(fullName),
    /** The values of an enumeration, or of a list of one. */
    values: valuesOf(core),
  };
}

/** Unwraps `optional` and `nullable` down to the `core`. The metadata of an outer schema overrides that of an inner one. */
function unwrap(schema: z.ZodMiniType) {
  const wrappers = new Set<string>();
  let meta: FieldMeta = {};
  let jsonSchema: z.core.GlobalMeta = {};
  let core = schema;
  for (;;) {
    meta = { ...fieldMeta.get(core), ...meta };
    jsonSchema = { ...z.globalRegistry.get(core), ...jsonSchema };
    if (!(core instanceof z.ZodMiniOptional) && !(core instanceof z.ZodMiniNullable))
      return { core, meta, jsonSchema, wrappers };
    wrappers.add(core.def.type);
    core = core.def.innerType as z.ZodMiniType;
  }
}

function kindOf(
  core: z.ZodMiniType,
  jsonSchema: z.core.GlobalMeta,
): 'text' | 'boolean' | 'list' | 'map' {
  if (core instanceof z.ZodMiniArray) return 'list';
  if (core instanceof z.ZodMiniBoolean) return 'boolean';
  // A map is a custom schema, known only by its JSON Schema.
  return jsonSchema['type'] === 'object' ? 'map' : 'text';
}

function valuesOf(core: z.ZodMiniType): readonly string[] | undefined {
  const item = core instanceof z.ZodMiniArray ? core.def.element : core;
  return item instanceof z.ZodMiniEnum ? (item.options as string[]) : undefined;
}

/** Returns the metadata of a value; for a list, that of its items. */
const itemMeta = (core: z.ZodMiniType, meta: FieldMeta): FieldMeta =>
  core instanceof z.ZodMiniArray ? unwrap(core.def.element as z.ZodMiniType).meta : meta;

/** True if a field or key is an ID or a list of IDs, by its name. */
export const isIdName = (name: string): boolean => /(?:^id|Ids?)$/.test(name);

/** `parentStatusId` → `parent-status-id`. */
export const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const placeholderOf = (name: string): string =>
  isIdName(name) ? 'id' : kebab(name).split('-').at(-1)!;

/** Lists the dotted paths that the schema of the result has, also within lists: `status`, `targets`, `targets.id`. */
export const pathsOf = ({ result }: Operation): readonly string[] => pathsBelow(result);

function pathsBelow(schema: z.ZodMiniType): readonly string[] {
  const inner = contentOf(schema);
  if (!(inner instanceof z.ZodMiniObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]) => [
    key,
    ...pathsBelow(value as z.ZodMiniType).map((path) => `${key}.${path}`),
  ]);
}

/** Unwraps `optional`, `nullable` and lists. */
function contentOf(schema: z.ZodMiniType): z.ZodMiniType {
  const { core } = unwrap(schema);
  return core instanceof z.ZodMiniArray ? contentOf(core.def.element as z.ZodMiniType) : core;
}

/** The paths to list for a person: those that are shown, then the others of the result itself. */
export const pathsToList = (operation: Operation): readonly string[] => [
  ...new Set([
    ...operation.shownPaths,
    ...pathsOf(operation).filter((path) => !path.includes('.')),
  ]),
];

/**
 * Resolves a field as it was typed to its full path; a field of the rows may omit the list's name. `undefined` if the
 * result has no such field. Below an object of unknown content every name is accepted.
 */
export function resolvePath(operation: Operation, typed: string): string | undefined {
  const candidates = operation.rows === undefined ? [typed] : [typed, `${operation.rows}.${typed}`];
  return candidates.find((path) => schemaAt(operation.result, path.split('.')) !== undefined);
}

/** Returns the path of the column whose heading is the last part of a path: `targets.url` is `targets.nativeUrl`. */
export const pathOfLabel = ({ shownPaths, result }: Operation, typed: string): string | undefined =>
  shownPaths.find((path) => resultFieldAt(result, path).label === typed.split('.').at(-1));

/**
 * Returns the schema at the keys, also within wrappers and lists; `undefined` if there is none. Below unknown content
 * it is the schema of that content, whatever the keys.
 */
function schemaAt(schema: z.ZodMiniType, keys: readonly string[]): z.ZodMiniType | undefined {
  const [key, ...rest] = keys;
  const inner = contentOf(schema);
  if (key === undefined || inner instanceof z.ZodMiniUnknown) return schema;
  if (inner instanceof z.ZodMiniRecord) return schemaAt(inner.def.valueType as z.ZodMiniType, rest);
  const shape = inner instanceof z.ZodMiniObject ? inner.shape : {};
  const next = ownProperty(shape as Readonly<Record<string, z.ZodMiniType>>, key);
  return next && schemaAt(next, rest);
}

/** Returns the names of the secret fields of an input. */
export const secretNamesOf = (operation: Operation): readonly string[] =>
  fieldsOf(operation)
    .filter(({ secret }) => secret)
    .map(({ name }) => name);

/** True for the ID of an operation that is a credential. */
export const isCredential = ({ argument, sensitive }: Field): boolean =>
  argument !== undefined && sensitive === true;

/** Returns the names of the fields of an input and its result that hold a credential. */
export function sensitiveNamesOf(operation: Operation): readonly string[] {
  const input = fieldsOf(operation).filter(({ sensitive }) => sensitive);
  const isSensitive = (path: string) => resultFieldAt(operation.result, path).sensitive;
  const result = pathsOf(operation).filter(isSensitive);
  const names = result.map((path) => path.split('.').at(-1)!);
  return [...new Set([...input.map(({ name }) => name), ...names])];
}

/** Returns the metadata of the field at a dotted path of a result; empty if there is none. */
export function resultFieldAt(result: z.ZodMiniType, path: string): FieldMeta {
  const field = schemaAt(result, path.split('.'));
  return field === undefined ? {} : unwrap(field).meta;
}

export type CommandNames = Readonly<ReturnType<typeof spell>>;

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  favourite: ['favorite'],
  unfavourite: ['unfavorite'],
  reblog: ['boost'],
  unreblog: ['unboost'],
};

/** Returns the commands of an operation: one, or one for each value of the field in its words (`{action}`). */
export function commandNamesOf(operation: Operation): readonly CommandNames[] {
  const field = /\{(\w+)\}/.exec(operation.command)?.[1];
  const schema: unknown = field === undefined ? undefined : operation.input.shape[field];
  if (field === undefined || !(schema instanceof z.ZodMiniEnum)) return [spell(operation, {})];
  return (schema.options as string[]).map((value) => spell(operation, { [field]: value }));
}

const upper = (text: string) => text[0]!.toUpperCase() + text.slice(1);

/** Puts the `values` of fields into the command words and texts of an operation. */
function spell(operation: Operation, values: Readonly<Record<string, string>>) {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  const words: readonly string[] = fill(operation.command).split(' ');
  return {
    /** `['accounts', 'mastodon', 'favourite']` */
    words,
    /** The fields that the command words imply. */
    impliedFields: values,
    summary: upper(fill(operation.summary)),
    examples: Object.fromEntries(
      Object.entries(operation.examples).map(([purpose, line]) => [
        upper(fill(purpose)),
        fill(line),
      ]),
    ),
    /** Other spellings of the last word. */
    aliases: ALIASES[words.at(-1)!] ?? [],
  };
}
