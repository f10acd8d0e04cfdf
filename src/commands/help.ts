// `help [command…|topic]`: the help of a command, or a page on something that all commands share.

import { Argument, type Command } from 'commander';
import { usageFailure } from '../base/errors.ts';
import { closestWord } from '../base/closest.ts';
import { wrapPage } from '../output/wrap.ts';
import { topics } from '../cli/topic-names.ts';
import { ownProperty } from '../base/json.ts';
import { quoteUnlessSecret } from '../base/secret-words.ts';
import type { CommandContext } from '../cli/command-context.ts';
import { forLocale } from '../output/locale.ts';

export function add(program: Command, { runtime }: CommandContext): void {
  const command = program
    .command('help')
    .summary('Help on a command or a topic')
    .usage('[<command>... | <topic>]');
  command.description('Help on a command or a topic');
  const operand = new Argument(
    '[command...]',
    `Words of a command, or a topic: ${Object.keys(topics).join(', ')}`,
  );
  operand.argChoices = Object.keys(topics);
  command.addArgument(operand).helpOption('-h, --help', 'Show this help');
  command.action(async (words: readonly string[]) => {
    const topic = words.length === 1 ? ownProperty(topics, words[0]!) : undefined;
    if (topic !== undefined) {
      const lines = wrapPage(await topic(), runtime.stdout.columns ?? 80);
      return runtime.stdout.write(forLocale(`${lines.join('\n')}\n`, runtime.env));
    }
    find(program, words).outputHelp();
  });
}

function find(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word, i) => {
    const found = parent.commands.find(
      (command) => command.name() === word || command.aliases().includes(word),
    );
    if (found !== undefined) return found;
    const names = [
      ...parent.commands.map((command) => command.name()),
      ...(parent === program ? Object.keys(topics) : []),
    ];
    const near = closestWord(word, names);
    const fix =
      near === undefined ? `topics: ${Object.keys(topics).join(', ')}` : `did you mean ${near}?`;
    throw usageFailure(
      [{ field: quoteUnlessSecret(word), problem: 'is neither a command nor a topic', fix }],
      near === undefined ? 'social help' : ['social help', ...words.slice(0, i), near].join(' '),
    );
  }, program);
}
