// The tool call that does what a suggested command line does, for an agent without a shell.

import { commandNamesOf } from '../../api/operations/command-names.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { splitShellWords } from '../../base/shell.ts';
import { inputInLine } from '../../input/line-input.ts';
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
      const own = words.slice(spelling.words.length);
      const { input, rest } = inputInLine(own, fieldsOf(operation));
      // A tool answers at once; another waits.
      if (rest.some((word) => word !== '--wait')) return undefined;
      return { name, arguments: { ...spelling.given, ...input } };
    }
  return undefined;
}
