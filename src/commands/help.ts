// `help [command…|topic]`: the help of a command, or a page on a topic that concerns all commands.

import { Argument, type Command } from 'commander';
import { usageFailure } from '../base/errors.ts';
import { didYouMean } from '../base/closest.ts';
import { helpWidth, wrapPage } from '../output/wrap.ts';
import { topicOf, topics } from '../cli/topic-names.ts';
import { quoteUnlessSecret } from '../base/secret-words.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { addGlobalFlags } from '../cli/commander-options.ts';
import type { AddCommand } from '../cli/local-command.ts';
import { unknownFlags } from '../cli/unknown-flags.ts';

export const add: AddCommand = (program, { runtime, argv, page }, { word, summary }) => {
  const operand = new Argument(
    '[command...]',
    `Command, or a topic: ${Object.keys(topics).join(', ')}`,
  );
  operand.argChoices = Object.keys(topics);
  const help = program
    .command(word)
    .summary(summary)
    .description(summary)
    .usage('[<command>... | <topic>]')
    .addArgument(operand)
    .helpOption('-h, --help', 'Show this help')
    .allowUnknownOption();
  addGlobalFlags(help);
  help.action(async () => {
    const { operands: words, faults } = unknownFlags(help, argv);
    if (faults.length > 0) throw usageFailure(await withSuggestions(faults), 'social help --help');
    const topic = words.length === 1 ? topicOf(words[0]!) : undefined;
    if (topic === undefined) return find(program, words).outputHelp();
    const lines = wrapPage(await topic(), helpWidth(runtime.stdout));
    page(`${lines.join('\n')}\n`);
  });
};

function find(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word, i) => {
    const found = parent.commands.find(
      (command) => command.name() === word || command.aliases().includes(word),
    );
    if (found !== undefined) return found;
    const names = parent.commands.map((command) => command.name());
    const topicNames = Object.keys(topics);
    const meant = didYouMean(word, parent === program ? [...names, ...topicNames] : names);
    const fix = meant?.fix ?? `topics: ${topicNames.join(', ')}`;
    throw usageFailure(
      { field: quoteUnlessSecret(word), problem: 'is not a command or a help topic', fix },
      ['social help', ...(meant === undefined ? [] : [...words.slice(0, i), meant.near])].join(' '),
    );
  }, program);
}
