// The input of an agent, which is JSON as models write it: put into the form of the fields, validated, and typed as a
// command line.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import {
  type CommandNames,
  commandNamesOf,
  type Field,
  fieldsOf,
} from '../api/operations/fields.ts';
import { issuesOf } from '../api/schema/issues.ts';
import type { Fault } from '../base/fault.ts';
import { isObject, ownJson, toJson } from '../base/json.ts';
import { commandWords, flagWords, type Word } from '../base/shell.ts';
import { clearFlag } from '../config/flags.ts';
import { emptyUpdate } from './validate-input.ts';

/**
 * Returns the input in the order of the fields, with each value in the form of its field where that is certain: lists
 * may be JSON text, and numbers text; `null` is nothing, except where it clears the field.
 */
export function normalized(operation: Operation, given: Input): Input {
  const fields = new Map(fieldsOf(operation).map((field) => [field.name, field]));
  const names = new Set([...Object.keys(operation.input.shape), ...Object.keys(given)]);
  const values = [...names].map((name) => {
    const field = fields.get(name);
    return [name, field === undefined ? given[name] : valueOf(field, given[name])] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function valueOf({ kind, nullable }: Field, value: unknown): unknown {
  const cleared = nullable ? null : undefined;
  if (value === null) return cleared;
  // A number that JSON cannot represent is another one by now, and stays invalid.
  if (kind === 'text') return Number.isSafeInteger(value) ? toJson(value) : value;
  const parsed = typeof value === 'string' ? ownJson(value) : value;
  if (kind === 'list' && typeof value === 'string') return Array.isArray(parsed) ? parsed : [value];
  // No flag sends an empty map, and it means the same.
  if (kind === 'map' && isObject(parsed)) return Object.keys(parsed).length > 0 ? parsed : cleared;
  return kind === 'boolean' && typeof parsed === 'boolean' ? parsed : value;
}

/** Returns all faults of an input, by the names of its fields. */
export function faultsByName(operation: Operation, input: Input): readonly Fault[] {
  const names = Object.keys(operation.input.shape).join(', ');
  const unknown = `is an unknown field; the fields are: ${names}`;
  const faults = issuesOf(operation.input, input).flatMap((issue): readonly Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((field) => ({ field, problem: unknown }));
    const isMissing = input[String(issue.path[0])] === undefined;
    return [{ field: issue.path.join('.'), problem: isMissing ? 'is required' : issue.message }];
  });
  const isEmpty = emptyUpdate(operation, fieldsOf(operation), input).length > 0;
  return isEmpty ? [...faults, { field: 'input', problem: 'has nothing to change' }] : faults;
}

/** A command line, with what its flags read. */
export interface TypedInput {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The variable of a secret. A line has at most one. */
const SECRET = 'WEBHOOK_SECRET';

/** Types a valid input as the command line of its operation, followed by further flags. */
export function typedInput(
  operation: Operation,
  input: Input,
  more: readonly string[],
): TypedInput {
  const ids: string[] = [];
  const flags: Word[] = [];
  let stdin = '';
  const env: Record<string, string> = {};
  for (const field of fieldsOf(operation)) {
    const { flag, off, argument, secret, placeholder } = field;
    const value = input[field.name];
    if (value === undefined) continue;
    const unit = placeholder === 'seconds' ? 's' : '';
    const texts = [value as string | readonly string[]].flat().map((text) => `${text}${unit}`);
    if (argument !== undefined) ids.push(...texts);
    else if (value === null) flags.push(clearFlag(field));
    else if (typeof value === 'boolean') flags.push(`--${value ? flag : off!.flag}`);
    else if (isObject(value)) {
      flags.push(`--${flag}-file=-`);
      stdin = Object.entries(value)
        .map(([name, text]) => `${name}: ${String(text)}\n`)
        .join('');
    } else if (secret) {
      flags.push(`--${flag}-env=${SECRET}`);
      env[SECRET] = texts[0]!;
    } else flags.push(...flagWords(`--${flag}`, ...texts));
  }
  const isMeant = ({ impliedFields }: CommandNames) =>
    Object.entries(impliedFields).every(([name, value]) => input[name] === value);
  const { words } = commandNamesOf(operation).find(isMeant)!;
  return { argv: commandWords({ words, ids, flags: [...flags, ...more] }) as string[], stdin, env };
}
