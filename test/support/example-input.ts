// Reads the input out of the command line of an example, without the parser of the program.

import { type CommandNames, type Field, fieldsOf } from '../../src/api/operations/fields.ts';
import type { Input, Operation } from '../../src/api/operations/define-operation.ts';
import { splitShellWords } from '../../src/base/shell.ts';
import { shortFlagOf } from '../../src/config/flags.ts';

/** Returns the input of an example's command line. Flags without a field (`--wait`) are ignored. */
export function exampleInput(operation: Operation, names: CommandNames, line: string): Input {
  const words = (splitShellWords(line) ?? []).slice(1 + names.words.length);
  return { ...inputInLine(words, fieldsOf(operation)), ...names.impliedFields };
}

/** Returns the input in the words after a command, operands before flags. */
function inputInLine(words: readonly string[], fields: readonly Field[]): Input {
  const operands = fields.filter(({ argument }) => argument !== undefined);
  const last = operands.at(-1);
  const start = words.findIndex((word) => word.startsWith('-'));
  const input: Record<string, unknown> = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const isFlag = start >= 0 && i >= start;
    const operand = operands[i] ?? (last?.kind === 'list' ? last : undefined);
    const field = isFlag ? fields.find((each) => flagsOf(each).includes(word)) : operand;
    if (field === undefined) continue;
    const { name, kind } = field;
    const value = isFlag && kind !== 'boolean' ? words[++i] : word;
    if (kind === 'boolean') input[name] = word === `--${field.flag}`;
    else if (kind === 'list') input[name] = [...((input[name] as string[]) ?? []), value];
    else input[name] = value;
  }
  return input;
}

const flagsOf = (field: Field) =>
  field.argument === undefined
    ? [`--${field.flag}`, `--${field.off?.flag ?? field.flag}`, shortFlagOf(field)]
    : [];
