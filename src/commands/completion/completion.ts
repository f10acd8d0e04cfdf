// `completion bash|zsh|fish|powershell`: the shell's script on stdout, how to install it on stderr. Writes no file.

import type { Command } from 'commander';
import { usageFailure } from '../../base/errors.ts';
import { toJsonText } from '../../output/format.ts';
import { closest } from '../../base/closest.ts';
import { scripts } from './scripts.ts';
import { leaf, type LeafCall } from '../../cli/local-command.ts';
import { shownWord } from '../../base/secret-words.ts';
import type { Surroundings } from '../../cli/command-context.ts';
const shells = Object.keys(scripts);

export function add(program: Command, around: Surroundings): void {
  const words = {
    word: 'completion',
    summary: 'Print the completion script of a shell',
    details:
      'Completes commands, flags and their values; names of contexts, and ids that answers showed on this machine, it asks the program for. That needs no network, and nothing that was typed is evaluated. How to install it is said on stderr; -q keeps that back.',
    operands: [{ name: 'shell', description: `One of ${shells.join(', ')}`, values: shells }],
    example: 'social completion bash',
    config: 'none',
  } as const;
  leaf(program, words, around, (call) => print(call, around));
}

async function print({ operands, world, settings, form }: LeafCall, around: Surroundings) {
  const shell = shellOf(operands[0]);
  const { write, install } = scripts[shell]!;
  const script = write(await around.tree());
  const asJson = form === 'json' || form === 'ndjson';
  await world.stdout.write(asJson ? toJsonText({ shell, script }, false) : script);
  if (!settings.quiet) await world.stderr.write(`install: ${install}\n`);
}

function shellOf(typed: string | undefined): string {
  if (typed !== undefined && shells.includes(typed)) return typed;
  const problem = typed === undefined ? 'is required' : `is not known: ${shownWord(typed)}`;
  const near = typed === undefined ? undefined : closest(typed, shells);
  const fix = near === undefined ? `one of: ${shells.join(', ')}` : `did you mean ${near}?`;
  throw usageFailure([{ field: 'shell', problem, fix }]);
}
