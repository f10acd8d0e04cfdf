// `help [command… | topic]`: the page of `--help`, or a topic.

import { didYouMean } from '../base/suggestions.ts';
import { usageFailure } from '../base/errors.ts';
import { quoteUnlessSecret } from '../base/sanitize.ts';
import type { Call, CommandBody } from '../cli/command-spec.ts';
import { title } from '../cli/help.ts';
import { topics } from '../cli/help-topics.ts';
import { helpWidth, wrapPage } from '../output/wrap.ts';

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
  if (topic !== undefined) {
    const [first = '', ...rest] = wrapPage(topic(), helpWidth(runtime.stdout));
    const lines = [title(first), ...rest.map((line) => (/^\w+:$/.test(line) ? title(line) : line))];
    return program.showPage(`${lines.join('\n')}\n`);
  }
  const lost = await program.showHelp(words);
  if (lost === undefined) return;
  const word = words[lost.index]!;
  const meant = didYouMean(word, lost.index === 0 ? [...lost.names, ...names] : lost.names);
  const fix = meant?.fix ?? `topics: ${names.join(', ')}`;
  const corrected = meant === undefined ? [] : [...words.slice(0, lost.index), meant.near];
  throw usageFailure(
    { field: quoteUnlessSecret(word), problem: 'is not a command or a help topic', fix },
    ['social help', ...corrected].join(' '),
  );
}

/** Finds the topic of a word in singular or plural: `batches` means `batch`. */
const topicOf = (word: string) => topics[names.find((name) => stem(name) === stem(word)) ?? ''];

const stem = (text: string): string => text.replace(/(?:(?<=ch)es|s)$/, '');
