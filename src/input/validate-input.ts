// Validates an input, with messages in the words of the command line. It sends nothing.

import type * as z from 'zod/mini';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/fault.ts';
import { valueAtKeys } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { clearFlag, flagName, missingFix } from '../config/flags.ts';

interface Validation {
  /** Names a field that is set by a flag, as it was typed. */
  readonly nameOf?: (field: Field) => string;
  /** Names of fields whose value could not be read, which has its own fault. */
  readonly unread?: ReadonlySet<string>;
  /** True if each message should quote the value that it is about. */
  readonly quoted?: boolean;
  /** True if missing values are no faults, because a prompt or a record may supply them. */
  readonly isIncomplete?: boolean;
}

/** Returns all faults of an input, in the words of the command line. */
export function validateInput(
  operation: Operation,
  fields: readonly Field[],
  input: Input,
  { nameOf = flagName, unread, quoted = false, isIncomplete = false }: Validation = {},
): readonly Fault[] {
  const issues = operation.input.safeParse(input).error?.issues ?? [];
  const faults: Fault[] = [];
  for (const issue of issues) {
    const name = String(issue.path[0]);
    if (unread?.has(name) === true || (isIncomplete && input[name] === undefined)) continue;
    const field = fields.find((each) => each.name === name);
    faults.push(faultOf(issue, field, input, { nameOf, quoted }));
  }
  // An update of a value that could not be read is not empty.
  if (isIncomplete || (unread?.size ?? 0) > 0) return faults;
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
 * Returns the input with a missing value that follows from other fields. `note` receives remarks about this value and
 * about the typed ones.
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
  field: Field | undefined,
  input: Input,
  { nameOf, quoted }: Required<Pick<Validation, 'nameOf' | 'quoted'>>,
): Fault {
  if (issue.code === 'unrecognized_keys') {
    const unknown = `unknown field${issue.keys.length === 1 ? '' : 's'}`;
    return { field: unknown, problem: issue.keys.map(quote).join(', ') };
  }
  const name = String(issue.path[0]);
  const label = field === undefined ? name : labelOf(field, nameOf);
  if (input[name] === undefined)
    return { field: label, problem: 'is required', fix: field && missingFix(field) };
  const value = valueAtKeys(input, issue.path);
  if (typeof value !== 'string') return { field: label, problem: issue.message };
  if (value === '-' && field?.argument !== undefined)
    return { field: label, problem: issue.message, fix: 'to read IDs from stdin, use --from -' };
  // A message that already quotes the value needs it only once.
  const quotesValue = (issue.path.length > 1 || quoted) && !issue.message.includes('"');
  const where = quotesValue && field?.secret !== true ? ` (in ${quote(value)})` : '';
  const fix =
    value === '' && field?.nullable === true ? `use ${clearFlag(field)} to remove it` : undefined;
  const choices = issue.code === 'invalid_value' ? field?.values : undefined;
  const among = choices && { typed: value, choices };
  return { field: label, problem: `${issue.message}${where}`, fix, among };
}

/** Names a field in a message: a positional argument by its words, all others by their flag. */
const labelOf = (field: Field, nameOf: (field: Field) => string): string =>
  field.argument === undefined
    ? nameOf(field)
    : field.placeholder.replaceAll('-', ' ').replace(/ id$/, ' ID');

/** Returns warnings about texts of spaces and invisible characters alone, which may be sent. */
export const inputWarnings = (
  fields: readonly Field[],
  input: Input,
  nameOf: (field: Field) => string,
): readonly string[] =>
  fields
    .filter(({ prose, name }) => prose && looksEmpty(input[name]))
    .map((field) => `warning: ${nameOf(field)}: the text looks empty`);

const looksEmpty = (text: unknown) =>
  typeof text === 'string' && /^[\s\p{Default_Ignorable_Code_Point}\u2800]+$/u.test(text);
