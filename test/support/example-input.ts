import { type CommandNames, fieldsOf } from '../../src/api/operations/fields.ts';
import type { Input, Operation } from '../../src/api/operations/define-operation.ts';
import { splitShellWords } from '../../src/base/shell.ts';
import { inputInLine } from './line-input.ts';

/** The input of an example's command line. Flags of no field (`--wait`) are ignored. */
export function exampleInput(operation: Operation, names: CommandNames, line: string): Input {
  const words = (splitShellWords(line) ?? []).slice(1 + names.words.length);
  return { ...inputInLine(words, fieldsOf(operation)).input, ...names.given };
}
