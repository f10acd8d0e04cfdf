// `commands`: the whole command line, for reading as a list and for programs as data. Needs no settings.

import type { Command } from 'commander';
import { addLocalCommand } from '../cli/local-command.ts';
import { printRows } from '../output/write-result.ts';
import type { CommandContext } from '../cli/command-context.ts';

export function add(program: Command, commandContext: CommandContext): void {
  const words = {
    word: 'commands',
    summary: 'List every command',
    details:
      'With --json the whole command line as data: flags, values, bounds, examples, requests, exit codes.',
    example: 'social commands --json',
    config: 'none',
  } as const;
  addLocalCommand(program, words, commandContext, async (call) => {
    const tree = await commandContext.tree();
    const commands = tree.commands.filter(({ group }) => !group);
    await printRows(call, ['path', 'summary'], commands, tree);
  });
}
