// `help [command… | topic]`: the same page as `--help`, or a topic.

import { Argument, type Command } from 'commander';
import { didYouMean } from '../base/closest.ts';
import { usageFailure } from '../base/errors.ts';
import { quoteUnlessSecret } from '../base/secret-words.ts';
import { addGlobalFlags } from '../cli/commander-options.ts';
import { title } from '../cli/help.ts';
import { topics } from '../cli/help-topics.ts';
import type { AddCommand } from '../cli/local-command.ts';
import { unknownFlags } from '../cli/unknown-words.ts';
import { helpWidth, wrapPage } from '../output/wrap.ts';

const names = Object.keys(topics);

export const add: AddCommand = (program, { argv, runtime }, { word, summary }) => {
  const operand = new Argument('[command...]', `Command, or a topic: ${names.join(', ')}`);
  operand.argChoices = names;
  const help = program
    .command(word)
    .summary(summary)
    .description(summary)
    .usage('[<command>... | <topic>]')
    .addArgument(operand)
    .allowUnknownOption();
  addGlobalFlags(help);
  help.action(async () => {
    const { operands: words, faults } = unknownFlags(help, argv);
    if (faults.length > 0) throw usageFailure(faults, 'social help --help');
    const topic = words.length === 1 ? topicOf(words[0]!) : undefined;
    if (topic === undefined) return find(program, words).outputHelp();
    const [first = '', ...rest] = wrapPage(topic(), helpWidth(runtime.stdout));
    const lines = [title(first), ...rest.map((line) => (/^\w+:$/.test(line) ? title(line) : line))];
    // As help, which commander prints with colour or without.
    help.configureHelp({ formatHelp: () => `${lines.join('\n')}\n` }).outputHelp();
  });
};

/** The topic of a word, in its singular or plural: `batches` is `batch`. */
const topicOf = (word: string) => topics[names.find((name) => stem(name) === stem(word)) ?? ''];

const stem = (text: string): string => text.replace(/(?:(?<=ch)es|s)$/, '');

function find(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word, i) => {
    const found = parent.commands.find(
      (command) => command.name() === word || command.aliases().includes(word),
    );
    if (found !== undefined) return found;
    const below = parent.commands.map((command) => command.name());
    const meant = didYouMean(word, parent === program ? [...below, ...names] : below);
    const fix = meant?.fix ?? `topics: ${names.join(', ')}`;
    throw usageFailure(
      { field: quoteUnlessSecret(word), problem: 'is not a command or a help topic', fix },
      ['social help', ...(meant === undefined ? [] : [...words.slice(0, i), meant.near])].join(' '),
    );
  }, program);
}
