// A secret's value without argv: from a file, standard input or an environment variable. Never printed.

import type { Fault } from '../base/errors.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { camelCase } from '../config/flags.ts';
import { readText } from './text-input.ts';
import { isObject, ownProperty } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { RawFlags } from '../config/choices.ts';

/** The secret that the flags name, `undefined` where none does, or the fault that keeps it from being read. */
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
 * The texts of an input that no output may show but the result: secrets, values of secret maps, and ids that are
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
