// `help [command… | topic]`: the page of `--help`, or a topic.

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
  const topic = words.length === 1 ? topicOf(words[0]!) : undefined;
  if (topic === undefined) return program.showHelp(words);
  const [first = '', ...rest] = wrapPage(topic(), helpWidth(runtime.stdout));
  const lines = [title(first), ...rest.map((line) => (/^\w+:$/.test(line) ? title(line) : line))];
  program.showPage(`${lines.join('\n')}\n`);
}

/** Finds the topic of a word: `batches` means `batch`, `exitcodes` means `exit-codes`. */
const topicOf = (word: string) => topics[names.find((name) => stem(name) === stem(word)) ?? ''];

const stem = (text: string): string => text.replaceAll('-', '').replace(/(?:(?<=ch)es|s)$/, '');
