// The tool call that does what a suggested command line does, for an agent without a shell.

import { commandNamesOf } from '../../api/operations/command-names.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { fieldsOf, type Field } from '../../api/operations/fields.ts';
import { splitShellWords } from '../../base/shell.ts';
import type { Tool } from './tools.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Input;
}

/** Flags that name the service, which is the server's own; each takes a value. */
const SERVICE = ['-C', '--base-url', '--cacert'];

/** The call of one of these tools; `undefined` where none does the same as the line. */
export function nextCall(line: string, tools: readonly Tool[]): ToolCall | undefined {
  const [program, ...words] = splitShellWords(line) ?? [];
  if (program !== 'social') return undefined;
  while (SERVICE.includes(words[0]!)) words.splice(0, 2);
  for (const { name, operation } of tools)
    for (const spelling of commandNamesOf(operation)) {
      if (!spelling.words.every((word, i) => words[i] === word)) continue;
      const given = argumentsOf(words.slice(spelling.words.length), fieldsOf(operation));
      return given && { name, arguments: { ...spelling.given, ...given } };
    }
  return undefined;
}

/** The input that the words after a command stand for; `undefined` where a tool has no such input. */
function argumentsOf(words: readonly string[], fields: readonly Field[]): Input | undefined {
  const input: Record<string, unknown> = {};
  const set = ({ name, kind }: Field, value: string) =>
    (input[name] = kind === 'list' ? [...((input[name] as string[]) ?? []), value] : value);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    // The tool answers at once; another waits.
    if (word === '--wait') continue;
    const isFlag = word.startsWith('-');
    const field = fields.find(({ argument, flag, fromContext }) => {
      if (!isFlag) return argument !== undefined;
      return word === `--${flag}` || (word === '-a' && fromContext === 'account');
    });
    const value = isFlag ? words[++i] : word;
    if (field === undefined || value === undefined) return undefined;
    if (field.kind !== 'list' && input[field.name] !== undefined) return undefined;
    set(field, value);
  }
  return input;
}
