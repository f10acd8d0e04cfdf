// The fields of an operation's input and result, read off their schemas: what each is called on a command line, what
// it takes, what is declared of it. A projection of the data; it neither reads values nor judges them.

import * as z from 'zod/mini';
import { ownProperty } from '../../base/json.ts';
import { idKindOf } from '../schema/id-patterns.ts';
import type { FieldMeta } from '../schema/rules.ts';
import type { Operation } from './define-operation.ts';

export type Field = Readonly<ReturnType<typeof fieldOf>>;

/** The fields in the order of their declaration. Those that the command's own words give are left out. */
export function fieldsOf(operation: Operation): readonly Field[] {
  return Object.entries(operation.input.shape)
    .filter(([name]) => !operation.command.includes(`{${name}}`))
    .map(([name, schema]) => fieldOf(name, schema as z.ZodMiniType));
}

/** The word for a part of an operation: `target`. */
export const partWord = (operation: Operation): string =>
  fieldsOf(operation).find(({ name }) => name === operation.parts)?.idKind ?? 'part';

function fieldOf(name: string, schema: z.ZodMiniType) {
  const { core, meta, wrappers } = unwrap(schema);
  const kind = kindOf(core, meta);
  const [flag, offFlag] = (meta.flag ?? kebab(name)).split('|');
  const fullName = name === 'id' ? 'webhookId' : name;
  const hidden = meta.secret === true || meta.sensitive === true;
  const isId = itemMeta(core, meta).isId === true && !hidden;
  return {
    name,
    /** `map` takes `K: V` pairs; a list takes the flag several times, or values with commas. */
    kind,
    description: meta.description ?? '',
    required: !wrappers.has('optional'),
    /** `null` is a value of its own, which clears. */
    nullable: wrappers.has('nullable'),
    /** Positional, once or many times; a flag otherwise. */
    argument: meta.argument,
    /** The flag's name without dashes; for a boolean the word that turns it on. */
    flag: flag!,
    /** For a boolean, the word that turns it off. */
    offFlag: kind === 'boolean' ? (offFlag ?? `no-${flag!}`) : undefined,
    /** The setting that fills it in where it is not typed. */
    fromContext: meta.fromContext,
    secret: meta.secret ?? false,
    /** An id that is a credential: see `FieldMeta`. */
    sensitive: meta.sensitive ?? false,
    /** Secret or sensitive: no output but the result shows the value. */
    hidden,
    /** The kind of thing that it is an ID of: `post`, `target`. Never set where it is hidden. */
    idKind: isId ? idKindOf(fullName) : undefined,
    prose: meta.prose ?? false,
    /** Code points that a text may have, where it is bounded. */
    maxLength: typeof meta['maxLength'] === 'number' ? meta['maxLength'] : undefined,
    /** The word for the value in help, without brackets. */
    placeholder:
      meta.argument === undefined ? (meta.placeholder ?? placeholderOf(name)) : kebab(fullName),
    /** The values of an enumeration, or of a list of one. */
    values: valuesOf(core),
  };
}

type Meta = z.core.GlobalMeta;

/** Takes off `optional` and `nullable`; what is said on the outside counts before what is said within. */
function unwrap(schema: z.ZodMiniType): {
  core: z.ZodMiniType;
  meta: Meta;
  wrappers: ReadonlySet<string>;
} {
  const wrappers = new Set<string>();
  let meta: Meta = {};
  let core = schema;
  for (;;) {
    meta = { ...z.globalRegistry.get(core), ...meta };
    if (!(core instanceof z.ZodMiniOptional) && !(core instanceof z.ZodMiniNullable))
      return { core, meta, wrappers };
    wrappers.add(core.def.type);
    core = core.def.innerType as z.ZodMiniType;
  }
}

function kindOf(core: z.ZodMiniType, meta: Meta): 'text' | 'boolean' | 'list' | 'map' {
  if (core instanceof z.ZodMiniArray) return 'list';
  if (core instanceof z.ZodMiniBoolean) return 'boolean';
  return meta['type'] === 'object' ? 'map' : 'text';
}

function valuesOf(core: z.ZodMiniType): readonly string[] | undefined {
  const item = core instanceof z.ZodMiniArray ? core.def.element : core;
  return item instanceof z.ZodMiniEnum ? (item.options as string[]) : undefined;
}

/** The declaration of a value; for a list, that of its items. */
const itemMeta = (core: z.ZodMiniType, meta: Meta): Meta =>
  core instanceof z.ZodMiniArray ? unwrap(core.def.element as z.ZodMiniType).meta : meta;

/** Tells whether a field, or the key of an answer, is an ID or a list of them by its name. */
export const isIdName = (name: string): boolean => /(?:^id|Ids?)$/.test(name);

/** `parentStatusId` → `parent-status-id`. */
export const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const placeholderOf = (name: string): string =>
  isIdName(name) ? 'id' : kebab(name).split('-').at(-1)!;

/**
 * Every dotted path of the result that `--fields` may name, lists looked through: `status`, `targets`, `targets.id`.
 */
export const pathsOf = ({ result }: Operation): readonly string[] => below(result);

/** The fields that are shown: the header's, then those of a row. */
export const shownPaths = ({ header, rows, columns }: Operation): readonly string[] => [
  ...header,
  ...columns.map((path) => (rows === undefined ? path : `${rows}.${path}`)),
];

/** The fields to name to a person: those that are shown, then the others of the result itself. */
export const pathsToList = (operation: Operation): readonly string[] => [
  ...new Set([
    ...shownPaths(operation),
    ...pathsOf(operation).filter((path) => !path.includes('.')),
  ]),
];

/**
 * The full path for a field as it was typed: a field of the rows may leave out the list's name.
 * `undefined` where the result has no such field; below an object of unknown content any name goes.
 */
export function resolvePath(operation: Operation, typed: string): string | undefined {
  const candidates = operation.rows === undefined ? [typed] : [typed, `${operation.rows}.${typed}`];
  return candidates.find((path) => leadsSomewhere(operation.result, path.split('.')));
}

function leadsSomewhere(schema: z.ZodMiniType, [key, ...rest]: readonly string[]): boolean {
  const inner = contentOf(schema);
  if (key === undefined) return true;
  const next = fieldIn(inner, key);
  if (next !== undefined) return leadsSomewhere(next, rest);
  return inner instanceof z.ZodMiniRecord || inner instanceof z.ZodMiniUnknown;
}

/** The field of the object that a schema, or what it wraps, is; `undefined` where it has none. */
function fieldIn(schema: z.ZodMiniType, key: string): z.ZodMiniType | undefined {
  const inner = contentOf(schema);
  const shape = inner instanceof z.ZodMiniObject ? inner.shape : {};
  return ownProperty(shape as Readonly<Record<string, z.ZodMiniType>>, key);
}

/** The names of the secret fields of an input. */
export const secretNamesOf = (operation: Operation): readonly string[] =>
  fieldsOf(operation).flatMap(({ name, secret }) => (secret ? name : []));

/** The names of the fields of an input and its result that hold a credential. */
export function sensitiveNamesOf(operation: Operation): readonly string[] {
  const input = fieldsOf(operation).flatMap(({ name, sensitive }) => (sensitive ? name : []));
  const isSensitive = (path: string) => resultFieldAt(operation.result, path).sensitive;
  const result = pathsOf(operation).filter(isSensitive);
  return [...new Set([...input, ...result.map((path) => path.split('.').at(-1)!)])];
}

/** The declaration of the field at a dotted path of a result; empty where it has none. */
export function resultFieldAt(result: z.ZodMiniType, path: string): FieldMeta {
  const field = path
    .split('.')
    .reduce<z.ZodMiniType | undefined>((schema, key) => schema && fieldIn(schema, key), result);
  return field === undefined ? {} : unwrap(field).meta;
}

function below(schema: z.ZodMiniType): readonly string[] {
  const inner = contentOf(schema);
  if (!(inner instanceof z.ZodMiniObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]) => [
    key,
    ...below(value as z.ZodMiniType).map((path) => `${key}.${path}`),
  ]);
}

/** The schema inside of `optional`, `nullable` and lists. */
function contentOf(schema: z.ZodMiniType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    return contentOf(schema.def.innerType as z.ZodMiniType);
  return schema instanceof z.ZodMiniArray ? contentOf(schema.def.element as z.ZodMiniType) : schema;
}
