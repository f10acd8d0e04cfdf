// `completion bash|zsh|fish|powershell`: the shell's script on stdout, how to install it on stderr. Writes no file.

import type { Command } from 'commander';
import { usageFailure } from '../../errors.ts';
import { toJsonText } from '../../output/format.ts';
import { closest } from '../closest.ts';
import { scripts } from '../completion/scripts.ts';
import { leaf, type LeafCall } from '../leaf.ts';
import type { Surroundings } from '../verb.ts';
import { shownWord } from '../typed-word.ts';

const shells = Object.keys(scripts);

export function add(program: Command, around: Surroundings): void {
  const words = {
    word: 'completion',
    summary: 'Print the completion script of a shell',
    details:
      'Completes commands, flags and their values, names of contexts, and ids that answers showed on this machine: at each TAB it asks the program. That needs no network, and nothing that was typed is evaluated. How to install it is said on stderr; -q keeps that back.',
    operands: [{ name: 'shell', description: `One of ${shells.join(', ')}`, values: shells }],
    example: 'social completion bash',
    config: 'none',
  } as const;
  leaf(program, words, around, print);
}

async function print({ operands, world, settings, form }: LeafCall): Promise<void> {
  const shell = shellOf(operands[0]);
  const { text: script, install } = scripts[shell]!;
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
