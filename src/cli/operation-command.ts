// An operation as a command: its words, arguments, flags and help, all read off its data.

import type { Command } from 'commander';
import { type CommandNames, commandNamesOf } from '../api/operations/command-names.ts';
import { effectOf, isChange, type Operation } from '../api/operations/define-operation.ts';
import { type Field, fieldsOf } from '../api/operations/fields.ts';
import { batchFlags } from '../batch/options.ts';
import { noteFlag, shortFlagOf } from '../config/flags.ts';
import type { Invocation } from '../input/types.ts';
import type { ListCommand } from './run-operation.ts';
import { helpWidth } from '../output/wrap.ts';
import { waitFlags } from '../wait/options.ts';
import { type CommandContext, groupOf } from './command-group.ts';
import {
  addFieldFlags,
  addGlobalFlags,
  addPlainFlags,
  typedFlags,
  typingFaults,
} from './commander-options.ts';
import { addEpilogue, BATCH } from './help.ts';
import { unknownFlags } from './unknown-words.ts';

/**
 * Adds the command, or commands, of an operation below the program; `groups` are the summaries of those between the
 * area and the command.
 */
export async function addOperationCommands(
  program: Command,
  operation: Operation,
  commandContext: CommandContext,
  groups: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { hooksFor, named } = commandContext;
  for (const spelling of commandNamesOf(operation)) {
    const names = [spelling.words.at(-1)!, ...spelling.aliases];
    const group = groupOf(program, spelling.words.slice(0, -1), groups);
    const command = group.command(names[0]!).aliases(names.slice(1)).summary(spelling.summary);
    // What the line does not name is there by name and summary alone.
    if (!names.some(named)) continue;
    const hooks = await hooksFor(operation.command);
    addRun(command, { operation, hooks }, spelling, commandContext);
  }
}

/** Adds a command of its own over the reader of lists below its group. */
export function addListCommand(
  group: Command,
  list: ListCommand,
  commandContext: CommandContext,
): void {
  const [spelling] = commandNamesOf(list.operation);
  const command = group.command(spelling!.words.at(-1)!).summary(spelling!.summary);
  addRun(command, list, spelling!, commandContext);
}

/** Gives a command its arguments, flags and help, and what it does. */
function addRun(
  command: Command,
  list: ListCommand,
  spelling: CommandNames,
  commandContext: CommandContext,
): void {
  const { operation, hooks } = list;
  const { argv, runtime } = commandContext;
  const facts = { operation, fields: fieldsOf(operation), hooks, spelling, argv };
  describe(command, facts, list.waits === true, commandContext);
  command.action(async () => {
    const { operands, faults } = unknownFlags(command, argv);
    const flags = typedFlags(command);
    const typed = { operands, flags: list.waits === true ? { ...flags, wait: true } : flags };
    const { runOperation } = await import('./run-operation.ts');
    const all = [...faults, ...typingFaults(command, flags)];
    await runOperation({ ...facts, typed, faults: all }, runtime, list.gather);
  });
}

function describe(
  command: Command,
  { operation, fields, hooks, spelling }: Omit<Invocation, 'typed' | 'faults'>,
  alwaysWaits: boolean,
  { runtime, describe: tell }: CommandContext,
): void {
  const { examples } = spelling;
  command
    .description(descriptionOf(operation, spelling))
    .usage(usageOf(fields))
    .allowUnknownOption();
  for (const field of fields.filter(({ argument }) => argument !== undefined)) {
    const many = field.argument === 'many' ? '...' : '';
    command.argument(`[${field.placeholder}${many}]`, field.description);
  }
  addFieldFlags(command, fields);
  addPlainFlags(command, hooks.options ?? []);
  addPlainFlags(command, waitFlags(operation, alwaysWaits));
  if (isChange(operation)) addPlainFlags(command, [noteFlag]);
  addPlainFlags(command, batchFlags(operation), BATCH);
  addGlobalFlags(command);
  addEpilogue(command, helpWidth(runtime.stdout), { examples });
  tell?.(command, { operation, examples, effect: effectOf(operation) });
}

function descriptionOf(operation: Operation, { summary }: CommandNames): string {
  const warnings =
    operation.danger === undefined ? [] : [`${operation.danger} Asks for confirmation first.`];
  return [summary, ...operation.details, ...warnings].join('\n\n');
}

function usageOf(fields: readonly Field[]): string {
  const words = fields
    .filter(({ argument, required }) => argument !== undefined || required)
    .map((field) => {
      if (field.argument !== undefined)
        return `<${field.placeholder}>${field.argument === 'many' ? '...' : ''}`;
      return `${shortFlagOf(field) ?? `--${field.flag}`} <${field.placeholder}>`;
    });
  return [...words, '[flags]'].join(' ');
}
