// The input that a command line of this program stands for: of an example, or of a line that was suggested.

import type { Input } from '../../src/api/operations/define-operation.ts';
import type { Field } from '../../src/api/operations/fields.ts';
import { shortFlagOf } from '../../src/config/flags.ts';

/** The input in the words after a command, operands before flags, and the words that no field takes. */
export function inputInLine(
  words: readonly string[],
  fields: readonly Field[],
): { readonly input: Input; readonly rest: readonly string[] } {
  const operands = fields.filter(({ argument }) => argument !== undefined);
  const last = operands.at(-1);
  const start = words.findIndex((word) => word.startsWith('-'));
  const input: Record<string, unknown> = {};
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const isFlag = start >= 0 && i >= start;
    const operand = operands[i] ?? (last?.kind === 'list' ? last : undefined);
    const field = isFlag ? fields.find((each) => flagsOf(each).includes(word)) : operand;
    const { name = '', kind } = field ?? {};
    const value = isFlag && kind !== 'boolean' && field !== undefined ? words[++i] : word;
    if (field === undefined || value === undefined) rest.push(word);
    else if (kind === 'boolean') input[name] = word === `--${field.flag}`;
    else if (kind === 'list') input[name] = [...((input[name] as string[]) ?? []), value];
    else {
      if (name in input) rest.push(word);
      input[name] = value;
    }
  }
  return { input, rest };
}

const flagsOf = (field: Field) =>
  field.argument === undefined
    ? [`--${field.flag}`, `--${field.offFlag ?? field.flag}`, shortFlagOf(field)]
    : [];
