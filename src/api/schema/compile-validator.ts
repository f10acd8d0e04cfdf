// Whether a value fits a schema, as a test that is read off the schema once and copies nothing. zod's own parse builds
// everything anew: for a post of three targets 3 µs and as much again for the garbage, where this takes 2. What the
// test does not know it leaves to zod, and where it says no, zod says why.

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { isObject } from '../../base/json.ts';

export type Validator = (value: unknown) => boolean;

/** A test for a schema. What passes it has nothing that `safeParse` would complain of, as far as that is asked. */
export function compileValidator(schema: z.core.$ZodType): Validator {
  if (schema instanceof z.ZodMiniString) return checkedFit(isString, checksOf(schema));
  if (schema instanceof z.ZodMiniNumber) return checkedFit(Number.isFinite, checksOf(schema));
  if (hasOwnChecks(schema)) return byParsing(schema);
  if (schema instanceof z.ZodMiniObject) return objectFit(schema);
  if (schema instanceof z.ZodMiniArray) return arrayFit(compileValidator(schema.def.element));
  if (schema instanceof z.ZodMiniEnum) return setFit(new Set<unknown>(schema.options));
  if (schema instanceof z.ZodMiniRecord && isAnyRecord(schema.def)) return isObject;
  if (schema instanceof z.ZodMiniBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodMiniUnknown) return () => true;
  return byParsing(schema);
}

const isAnyRecord = ({ keyType, valueType }: z.ZodMiniRecord['def']) =>
  keyType instanceof z.ZodMiniString &&
  !keyType.def.checks?.length &&
  valueType instanceof z.ZodMiniUnknown;

/** Checks of anything but a text or a number may look at the whole of it, and are zod's. */
const hasOwnChecks = (schema: z.core.$ZodType): boolean =>
  (schema._zod.def.checks ?? []).length > 0;

type Check = z.core.$ZodCheck<unknown>;

/** The checks in zod's order: a format (`z.url()`, `z.int()`) is itself the first. */
const checksOf = (schema: z.core.$ZodType): readonly Check[] => [
  ...(schema instanceof z.core.$ZodCheck ? [schema as Check] : []),
  ...((schema._zod.def.checks ?? []) as Check[]),
];

function byParsing(schema: z.core.$ZodType): Validator {
  return (value) => z.safeParse(schema, value).success;
}

function objectFit(schema: z.ZodMiniObject): Validator {
  const { catchall } = schema.def;
  const closed = catchall instanceof z.ZodMiniNever;
  if (!closed && catchall !== undefined && !(catchall instanceof z.ZodMiniUnknown))
    return byParsing(schema);
  const entries = Object.entries(schema.shape).map(([name, field]) => {
    const optional = field instanceof z.ZodMiniOptional && !hasOwnChecks(field);
    const core = optional ? field.def.innerType : field;
    return [name, { optional, fits: compileValidator(core) }] as const;
  });
  const fields = new Map(entries);
  const needed = entries.filter(([, { optional }]) => !optional).length;
  // By the keys that are there: to ask for each that may be there takes twice as long.
  return (value) => {
    if (!isObject(value)) return false;
    let found = 0;
    for (const key in value) {
      const field = fields.get(key);
      const own = value[key];
      if (field === undefined) {
        if (closed) return false;
      } else if (!field.optional) {
        if (!field.fits(own)) return false;
        found++;
      } else if (own !== undefined && !field.fits(own)) return false;
    }
    return found === needed;
  };
}

const setFit =
  (values: ReadonlySet<unknown>): Validator =>
  (value) =>
    values.has(value);

function arrayFit(fits: Validator): Validator {
  return (value) => Array.isArray(value) && value.every(fits);
}

const isString = (value: unknown): boolean => typeof value === 'string';

function checkedFit(isKind: Validator, checks: readonly Check[]): Validator {
  const payload: z.core.ParsePayload = { value: '', issues: [] };
  return (value) => {
    if (!isKind(value)) return false;
    payload.value = value;
    for (const check of checks) void check._zod.check(payload);
    if (payload.issues.length === 0) return true;
    payload.issues.length = 0;
    return false;
  };
}

/**
 * Everything in a value that its schema does not allow, in English, which the small form of zod does not bring; empty
 * where it fits.
 */
export function issuesOf(schema: z.ZodMiniType, value: unknown): readonly z.core.$ZodIssue[] {
  if (schema.safeParse(value).success) return [];
  return schema.safeParse(value, { error: en().localeError }).error?.issues ?? [];
}
