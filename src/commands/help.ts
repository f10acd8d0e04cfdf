// `help [command… | topic]`: the page of `--help`, or a topic.

import { type Failure, usageFailure } from '../base/errors.ts';
import { quoteUnlessSecret } from '../base/sanitize.ts';
import { didYouMean } from '../base/suggestions.ts';
import type { Call, CommandBody } from '../cli/command-spec.ts';
import { helpWidth, title, wrapPage } from '../cli/help.ts';
import { topics } from '../cli/help-topics.ts';

const names = Object.keys(topics);

export const helpCommand: CommandBody = {
  operands: [
    {
      name: 'command',
      description: `Command, or a topic: ${names.join(', ')}`,
      values: names,
      optional: true,
      many: true,
    },
  ],
  // Help works with any settings.
  config: 'own',
  run: help,
};

async function help({ operands: words, program, runtime }: Call): Promise<void> {
  const [word = '', ...more] = words;
  const topic = more.length === 0 ? topicOf(word) : undefined;
  if (topic === undefined) {
    const commands = Object.keys(program.words);
    if (word === '' || commands.includes(word)) return program.showHelp(words);
    throw unknown(word, [...commands, ...names]);
  }
  const [first = '', ...rest] = wrapPage(topic(), helpWidth(runtime.stdout));
  const lines = [title(first), ...rest.map((line) => (/^\w+:$/.test(line) ? title(line) : line))];
  program.showPage(`${lines.join('\n')}\n`);
}

/** Finds the topic of a word: `batches` means `batch`, `exitcodes` means `exit-codes`. */
const topicOf = (word: string) => topics[names.find((name) => stem(name) === stem(word)) ?? ''];

const stem = (text: string): string => text.replaceAll('-', '').replace(/(?:(?<=ch)es|s)$/, '');

function unknown(word: string, all: readonly string[]): Failure {
  const meant = didYouMean(word, all);
  const field = quoteUnlessSecret(word);
  const fix = meant?.fix ?? `topics: ${names.join(', ')}`;
  const problem = 'is not a command or a help topic';
  return usageFailure({ field, problem, fix }, `social help ${meant?.near ?? ''}`.trim());
}
