// `completion bash|zsh|fish|powershell`: the shell's script on stdout, how to install it on stderr. Writes no file.

import type { Command } from 'commander';
import { scripts } from './scripts.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { addLocalCommand, type LocalCall } from '../../cli/local-command.ts';
import { toJsonText } from '../../output/format.ts';
import { quoteUnlessSecret } from '../../base/secret-words.ts';
import { closestWord } from '../../base/closest.ts';
import { usageFailure } from '../../base/errors.ts';

const shells = Object.keys(scripts);

export function add(program: Command, around: CommandContext): void {
  const words = {
    word: 'completion',
    summary: 'Print the completion script of a shell',
    details:
      'Completes commands, flags and their values, names of contexts, and ids that answers showed on this machine: at each TAB it asks the program. That needs no network, and nothing that was typed is evaluated. How to install it is said on stderr; -q keeps that back.',
    operands: [{ name: 'shell', description: `One of ${shells.join(', ')}`, values: shells }],
    example: 'social completion bash',
    config: 'none',
  } as const;
  addLocalCommand(program, words, around, print);
}

async function print({ operands, runtime, settings, form }: LocalCall): Promise<void> {
  const shell = shellOf(operands[0]);
  const { text: script, install } = scripts[shell]!;
  const asJson = form === 'json' || form === 'ndjson';
  await runtime.stdout.write(asJson ? toJsonText({ shell, script }, false) : script);
  if (!settings.quiet) await runtime.stderr.write(`install: ${install}\n`);
}

function shellOf(typed: string | undefined): string {
  if (typed !== undefined && shells.includes(typed)) return typed;
  const problem = typed === undefined ? 'is required' : `is not known: ${quoteUnlessSecret(typed)}`;
  const near = typed === undefined ? undefined : closestWord(typed, shells);
  const fix = near === undefined ? `one of: ${shells.join(', ')}` : `did you mean ${near}?`;
  throw usageFailure([{ field: 'shell', problem, fix }]);
}
