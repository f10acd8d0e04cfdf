// `commands`: the whole command line, for reading as a list and for programs as data. Needs no settings.

import type { Command } from 'commander';
import { leaf } from '../cli/local-command.ts';
import { printRows } from '../output/write-result.ts';
import type { Surroundings } from '../cli/command-context.ts';

export function add(program: Command, around: Surroundings): void {
  const words = {
    word: 'commands',
    summary: 'List every command',
    details:
      'With --json the whole command line as data: flags, values, bounds, examples, requests, exit codes.',
    example: 'social commands --json',
    config: 'none',
  } as const;
  leaf(program, words, around, async (call) => {
    const tree = await around.tree();
    const commands = tree.commands.filter(({ group }) => !group);
    await printRows(call, ['path', 'summary'], commands, tree);
  });
}
