// A command that is not an operation: the same flags, checks and help as the others, and a body of its own.

import type { Command } from 'commander';
import { usageFailure } from '../errors.ts';
import type { OutputForm } from '../output/format.ts';
import { quote } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import { pathOf } from './group.ts';
import { addGlobalFlags, typedFlags } from './options.ts';
import { resolveSettings, type RawFlags, type Settings } from './settings.ts';
import { formOf } from './show.ts';
import { unknownFlags } from './unknown.ts';
import type { Surroundings } from './verb.ts';

export interface LeafWords {
  readonly word: string;
  readonly summary: string;
  readonly details?: string;
  readonly example?: string;
  readonly options?: readonly { readonly flags: string; readonly description: string }[];
  /** Placeholders of the operands it may take. */
  readonly operands?: readonly string[];
}

export interface LeafCall {
  readonly world: World;
  readonly settings: Settings;
  readonly flags: RawFlags;
  readonly operands: readonly string[];
  readonly form: OutputForm;
}

/** Adds such a command below a group. */
export function leaf(
  parent: Command,
  words: LeafWords,
  around: Surroundings,
  body: (call: LeafCall) => Promise<void>,
): Command {
  const { word, summary, details, example, options = [], operands: taken = [] } = words;
  const command = parent
    .command(word)
    .summary(summary)
    .description([summary, ...(details === undefined ? [] : [details])].join('\n\n'));
  command
    .helpOption('-h, --help', 'Show this help')
    .usage([...taken.map((name) => `[${name}]`), '[flags]'].join(' '));
  for (const { flags, description } of options) command.option(flags, description);
  addGlobalFlags(command, false);
  if (example !== undefined) command.addHelpText('after', `\nExamples:\n  ${example}`);
  command.allowUnknownOption().allowExcessArguments();
  return command.action(async () => {
    const { world, argv } = around;
    const { operands, faults } = unknownFlags(command, argv);
    const flags = typedFlags(command);
    const resolved = resolveSettings(flags, world.env);
    const extra = operands
      .slice(taken.length)
      .map((each) => ({ field: quote(each), problem: `is not taken by ${pathOf(command)}` }));
    const all = [...faults, ...resolved.faults, ...extra];
    if (all.length > 0) throw usageFailure(all, `${pathOf(command)} --help`);
    await body({
      world,
      settings: resolved.settings,
      flags,
      operands,
      form: formOf(resolved.settings, world.stdout),
    });
  });
}
