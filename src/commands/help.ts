// `help [command… | topic]`: the page of `--help`, or a topic.

import { usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quoteUnlessSecret } from '../base/sanitize.ts';
import type { Invocation, CommandBody } from '../cli/command-spec.ts';
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

async function help({ operands: words, program, runtime }: Invocation): Promise<void> {
  const [word = '', ...more] = words;
  const topic = more.length === 0 ? ownProperty(topics, word) : undefined;
  if (topic !== undefined) return program.showPage(topicPage(topic(), helpWidth(runtime.stdout)));
  const commands = Object.keys(program.words);
  if (word === '' || commands.includes(word)) return program.showHelp(words);
  const fault = {
    field: quoteUnlessSecret(word),
    problem: 'is not a command or a help topic',
    fix: `topics: ${names.join(', ')}`,
    among: { typed: word, choices: [...commands, ...names] },
  };
  throw usageFailure(fault, ['social', 'help']);
}
