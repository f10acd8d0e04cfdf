// `help [command… | topic]`: the page of `--help`, or a topic.

import { type Failure, usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quoteUnlessSecret } from '../base/sanitize.ts';
import { didYouMean } from '../base/suggestions.ts';
import type { Call, CommandBody } from '../cli/command-spec.ts';
import { helpWidth, topicPage } from '../cli/help.ts';
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
  const topic = more.length === 0 ? ownProperty(topics, word) : undefined;
  if (topic === undefined) {
    const commands = Object.keys(program.words);
    if (word === '' || commands.includes(word)) return program.showHelp(words);
    throw unknown(word, [...commands, ...names]);
  }
  program.showPage(topicPage(topic(), helpWidth(runtime.stdout)));
}

function unknown(word: string, all: readonly string[]): Failure {
  const meant = didYouMean(word, all);
  const field = quoteUnlessSecret(word);
  const fix = meant?.fix ?? `topics: ${names.join(', ')}`;
  const problem = 'is not a command or a help topic';
  return usageFailure({ field, problem, fix }, `social help ${meant?.near ?? ''}`.trim());
}
