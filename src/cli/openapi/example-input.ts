// The input that the line of an example stands for. Reads what help shows; runs nothing.

import type { Input } from '../../call/request.ts';
import { fieldsOf, type Field } from '../../operations/field.ts';
import type { Example, Operation } from '../../operations/operation.ts';
import type { Spelling } from '../../operations/spelling.ts';
import { wordsOf } from '../words.ts';

/** The fields that the line gives, by its words, its operands and its flags; flags that are no field's (`--wait`) count for nothing. */
export function exampleInput(
  operation: Operation,
  { words, given }: Spelling,
  [, line]: Example,
): Input {
  const typed = (wordsOf(line) ?? []).slice(1 + words.length);
  const end = typed.findIndex((word) => word.startsWith('-'));
  const [operands, flags] = end < 0 ? [typed, []] : [typed.slice(0, end), typed.slice(end)];
  const fields = fieldsOf(operation);
  const positional = fields.filter(({ argument }) => argument !== undefined);
  const values = [
    ...positional.map((field, i) => [field.name, operands[i]] as const),
    ...fields
      .filter(({ argument }) => argument === undefined)
      .map((field) => [field.name, valueIn(flags, field)] as const),
  ].filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(values), ...given };
}

function valueIn(flags: readonly string[], { flag, offFlag, kind }: Field): unknown {
  if (kind === 'boolean')
    return flags.includes(`--${flag}`) ? true : flags.includes(`--${offFlag!}`) ? false : undefined;
  const names = [`--${flag}`, ...(flag === 'account' ? ['-a'] : [])];
  const values = flags.filter((_word, i) => i > 0 && names.includes(flags[i - 1]!));
  if (values.length === 0) return undefined;
  return kind === 'list' ? values : values.at(-1);
}
