// Commands that only hold others: typed alone they show their help, typed with an unknown word they say so. Also what
// every command is given when it is built.

import type { Command } from 'commander';
import type { Runtime } from '../base/runtime.ts';
import type { CommandHooks } from '../client/call-context.ts';
import { addGlobalFlags, pathOf, typedWords } from './commander-options.ts';
import type { CommandTree, WholeProgram } from './read-command-tree.ts';

export interface CommandContext extends Pick<WholeProgram, 'named'> {
  /** The whole command line as data; loads every command. */
  readonly tree: () => Promise<CommandTree>;
  readonly runtime: Runtime;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** What a command does beyond its operation, loaded when the line names it. */
  readonly hooksFor: (command: string) => Promise<CommandHooks>;
  readonly describe?: WholeProgram['describe'];
}

/** The group that these words lead to below the program, made where it is missing. */
export function groupOf(
  program: Command,
  words: readonly string[],
  summaries: Readonly<Record<string, string>>,
): Command {
  return words.reduce((parent, word) => {
    const found = parent.commands.find((command) => command.name() === word);
    return found ?? makeGroup(parent, word, summaries[word] ?? '');
  }, program);
}

/** A command that holds others. */
export function makeGroup(parent: Command, word: string, summary: string): Command {
  const group = parent.command(word).summary(summary).description(summary);
  group.usage('<command> [flags]');
  addGlobalFlags(group);
  return requireSubcommand(group);
}

/** A word below a group that is none of its commands; the program says what was probably meant. */
export class UnknownCommand extends Error {
  readonly group: Command;

  constructor(group: Command) {
    super(`unknown command of ${pathOf(group)}`);
    this.group = group;
  }
}

/** What a group does when no command of it was named. */
export function requireSubcommand(group: Command): Command {
  group.allowUnknownOption().allowExcessArguments();
  // The help of a group answers no question about a command that it does not have.
  group.on('beforeHelp', () => {
    const [word] = typedWords(group);
    const isKnown = group.commands.some((command) => command.name() === word);
    if (word !== undefined && !word.startsWith('-') && !isKnown) throw new UnknownCommand(group);
  });
  return group.action(async () => {
    if (group.args.length === 0) return group.outputHelp();
    throw new UnknownCommand(group);
  });
}
