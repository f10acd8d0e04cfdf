// Validates an input, with messages in the words of the command line. It sends nothing.

import type * as z from 'zod/mini';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { Fault } from '../base/errors.ts';
import { valueAtKeys } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { clearFlag, flagName, missingFix } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { seenIds } from '../history/seen-ids.ts';

interface ValidationContext {
  /** Names of fields whose value could not be read, which has its own fault. */
  readonly unread?: ReadonlySet<string>;
  /** True if each message should quote the value that it is about. */
  readonly quoted?: boolean;
}

/** Returns all faults of an input, in the words of the command line. */
export function validateInput(
  operation: Operation,
  fields: readonly Field[],
  input: Input,
  { unread, quoted = false }: ValidationContext = {},
): readonly Fault[] {
  const issues = operation.input.safeParse(input).error?.issues ?? [];
  const faults = issues
    .filter(({ path }) => unread?.has(String(path[0])) !== true)
    .map((issue) => faultOf(issue, fields, input, quoted));
  // An update of a value that could not be read is not empty.
  if ((unread?.size ?? 0) > 0) return faults;
  return [...faults, ...emptyUpdate(operation, fields, input)];
}

/** Returns the fault of an update that has no new value. */
export function emptyUpdate(
  { method, command }: Operation,
  fields: readonly Field[],
  input: Input,
): readonly Fault[] {
  const changeable = fields.filter(({ argument }) => argument === undefined);
  if (method !== 'PATCH' || changeable.some(({ name }) => input[name] !== undefined)) return [];
  const fix = `use one of ${changeable.map(flagName).join(', ')}`;
  return [{ field: command, problem: 'has nothing to change', fix }];
}

/**
 * Returns the input with a missing value that follows from other fields. `note` gets what the user should know of it and
 * of the values that are given.
 */
export function completeInput(
  operation: Operation,
  fields: readonly Field[],
  input: Input,
  note: (line: string) => void,
): Input {
  for (const { name, remark } of fields)
    if (remark !== undefined && input[name] != null) note(remark);
  return operation.complete?.(input, note) ?? input;
}

/** Returns the problem with the value of one field, if there is one. */
export function validateField(
  operation: Operation,
  { name }: Field,
  value: unknown,
): string | undefined {
  const schema = operation.input.shape[name] as z.ZodMiniType;
  return schema.safeParse(value).error?.issues[0]?.message;
}

function faultOf(
  issue: z.core.$ZodIssue,
  fields: readonly Field[],
  input: Input,
  quoted: boolean,
): Fault {
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys);
  const field = fields.find(({ name }) => name === issue.path[0]);
  const label = field === undefined ? String(issue.path[0]) : labelOf(field);
  const value = valueAtKeys(input, issue.path);
  if (input[String(issue.path[0])] === undefined) {
    return { field: label, problem: 'is required', fix: field && missingFix(field) };
  }
  // A message that already quotes the value needs it only once.
  const quotesValue = (issue.path.length > 1 || quoted) && !issue.message.includes('"');
  const where =
    quotesValue && typeof value === 'string' && field?.secret !== true
      ? ` (in ${quote(value)})`
      : '';
  if (value === '-' && field?.argument !== undefined)
    return { field: label, problem: issue.message, fix: 'to read IDs from stdin, use --from -' };
  const fix =
    value === '' && field?.nullable === true ? `use ${clearFlag(field)} to remove it` : undefined;
  const choices = issue.code === 'invalid_value' ? field?.values : undefined;
  const among = choices && typeof value === 'string' ? { typed: value, choices } : undefined;
  return { field: label, problem: `${issue.message}${where}`, fix, among };
}

/** Makes the fault of names that are not fields of the operation. */
export const unknownFields = (names: readonly string[]): Fault => ({
  field: `unknown field${names.length === 1 ? '' : 's'}`,
  problem: names.map(quote).join(', '),
});

/** Names a field in a message: a positional argument by its words, all others by their flag. */
function labelOf(field: Field): string {
  return field.argument === undefined
    ? flagName(field)
    : field.placeholder.replaceAll('-', ' ').replace(/ id$/, ' ID');
}

/** True if a text consists only of spaces and invisible characters. */
const looksEmpty = (text: unknown) =>
  typeof text === 'string' && /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);

/**
 * Returns warnings about texts that look empty but may be sent; `''` is a fault already. `sourceOf` names the source of
 * a flag's value.
 */
export const inputWarnings = (
  fields: readonly Field[],
  input: Input,
  sourceOf: (flag: string) => string,
): readonly string[] =>
  fields
    .filter(({ prose, name }) => prose && input[name] !== '' && looksEmpty(input[name]))
    .map((field) => `warning: ${sourceOf(flagName(field))}: the text looks empty`);

/**
 * Makes the function that returns the fault of an input whose account is on another platform than the operation needs.
 * Platforms come from the context and from earlier responses; an account that is in neither has no fault. The files are
 * read once.
 */
export function accountFaults(
  operation: Operation,
  fields: readonly Field[],
  settings: Settings,
  runtime: Pick<Runtime, 'stateDir'>,
): (input: Input) => readonly Fault[] {
  const field = fields.find(({ fromContext }) => fromContext === 'account');
  const platform = strictPlatformOf(operation);
  if (platform === undefined || field === undefined) return () => [];
  let platformById: ReadonlyMap<string, string> | undefined;
  return (input) => {
    const account = input[field.name];
    if (typeof account !== 'string') return [];
    platformById ??= platformsOf(settings, runtime);
    const actual = platformById.get(account);
    if (actual === undefined || actual === platform) return [];
    const problem = `${account} is on ${actual}; this needs an account on ${platform}`;
    const alternative = [...platformById].find(([, other]) => other === platform)?.[0];
    return [
      {
        field: flagName(field),
        problem,
        fix: alternative && `known on ${platform}: ${alternative}`,
      },
    ];
  };
}

/** Returns accounts with their platforms; responses of the service take precedence over the context. */
function platformsOf(
  settings: Settings,
  runtime: Pick<Runtime, 'stateDir'>,
): ReadonlyMap<string, string> {
  const platformById = new Map<string, string>();
  for (const { id, owner } of seenIds('account', { ...settings, ...runtime }).values())
    if (owner !== '') platformById.set(id, owner);
  for (const [platform, id] of Object.entries(settings.stored?.accounts ?? {}))
    if (!platformById.has(id)) platformById.set(id, platform);
  return platformById;
}
