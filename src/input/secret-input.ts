// The secrets of a command: read from a file, standard input or an environment variable, found in its input, and
// removed from the line that the history stores.

import type { Fault } from '../base/errors.ts';
import { type Field, isIdName } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { camelCase, globalFlags, keyOfFlag, type RawFlags } from '../config/flags.ts';
import { readText } from './text-input.ts';
import { isObject, ownProperty } from '../base/json.ts';
import { shellQuote } from '../base/shell.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Invocation } from './types.ts';

/** Reads the secret that the flags name; `undefined` if they name none, or the fault if it cannot be read. */
export async function secretFrom(
  field: Pick<Field, 'flag'>,
  flags: RawFlags,
  runtime: Runtime,
): Promise<string | Fault | undefined> {
  const [file, variable] = ['File', 'Env'].map((end) => flags[camelCase(field.flag) + end]);
  const flag = `--${field.flag}-file`;
  if (file !== undefined && variable !== undefined)
    return { field: flag, problem: `cannot be combined with --${field.flag}-env` };
  if (typeof file === 'string') return readText(file, flag, runtime);
  if (typeof variable === 'string') {
    return (
      ownProperty(runtime.env, variable) ?? {
        field: `--${field.flag}-env`,
        problem: `refers to ${variable}, which is not set`,
      }
    );
  }
  return undefined;
}

/**
 * Returns the texts of an input that only its result may show: secrets, values of secret maps, and IDs that are
 * credentials.
 */
export function secretValuesIn(fields: readonly Field[], input: Input): readonly string[] {
  return fields
    .filter(({ hidden }) => hidden)
    .flatMap(({ name }) => {
      const value = input[name];
      if (typeof value === 'string') return [value];
      return isObject(value) ? Object.values(value).map(String) : [];
    });
}

const MAX_OPERANDS = 5;
const MAX_LENGTH = 400;

/**
 * Makes the command line for the history: its words, IDs and flags, without a text, a secret or an address: `posts
 * retry --from failed.csv --wait`. Flags of the output, and those that name the service, are omitted.
 */
export function recordedLine({
  spelling,
  typed: { operands, flags },
  fields,
  hooks,
}: Pick<Invocation, 'spelling' | 'typed' | 'fields' | 'hooks'>): string {
  const secrets = (hooks.flags ?? []).filter(({ secret }) => secret).map(keyOfFlag);
  const hidden = new Set(
    fields.filter((field) => field.hidden || !isIdName(field.name)).map(({ flag }) => flag),
  );
  const left = new Set(['note', ...globalFlags.map(({ key }) => key)]);
  const words = Object.entries(flags).flatMap(([key, value]) => {
    if (left.has(key)) return [];
    const flag = key.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    if (typeof value === 'boolean') return [`--${flag}`];
    const values = Array.isArray(value) ? value : [value];
    return values.map(
      (text) =>
        `--${flag} ${hidden.has(flag) || secrets.includes(key) ? '…' : shellQuote(String(text))}`,
    );
  });
  const ids = operands.slice(0, MAX_OPERANDS).map(shellQuote);
  const more = operands.length > MAX_OPERANDS ? ['…'] : [];
  const line = [...spelling.words, ...ids, ...more, ...words].join(' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
