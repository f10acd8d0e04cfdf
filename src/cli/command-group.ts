// Commands that only hold others: typed alone they show their help, typed with an unknown word they say so.

import type { Command } from 'commander';
import type { Runtime } from '../base/runtime.ts';
import { addGlobalFlags, pathOf, typedFlags, typedWords } from './commander-options.ts';

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
  group.usage('<command> [flags]').commandsGroup('Commands:');
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
    const [word] = group.args;
    if (word === undefined) return group.outputHelp();
    throw new UnknownCommand(group);
  });
}

/** Lets a group of several commands for one operation ask which, at a terminal. */
export function askWhich(
  group: Command,
  what: string,
  choices: readonly { readonly name: string; run(): Promise<void> }[],
  runtime: Runtime,
): void {
  group.action(async () => {
    const [word] = group.args;
    if (word !== undefined) throw new UnknownCommand(group);
    const [{ resolveSettings }, { readConfig }, { announceAccessible, promptsFor }] =
      await Promise.all([
        import('../config/settings.ts'),
        import('../config/file.ts'),
        import('../prompts/policy.ts'),
      ]);
    const { settings } = resolveSettings(typedFlags(group), runtime.env, readConfig(runtime));
    const ask = await promptsFor(settings, runtime);
    if (ask === undefined) return group.outputHelp();
    await announceAccessible(settings, runtime);
    const chosen = await ask.choose({
      message: `Which ${what}?`,
      choices: choices.map((value) => ({ value, name: value.name })),
    });
    await chosen.run();
  });
}
