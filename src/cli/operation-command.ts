// An operation as a command: its words, arguments, flags and help, all read off its data.

import { noteFlag, shortFlagOf } from '../config/flags.ts';
import type { Command } from 'commander';
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import { effectOf, isChange, type Operation } from '../api/operations/define-operation.ts';
import { commandNamesOf, type CommandNames } from '../api/operations/command-names.ts';
import { batchFlags } from '../batch/options.ts';
import { askWhich, groupOf } from './command-group.ts';
import { moreHelp } from './help.ts';
import { wrapExamples, helpWidth } from '../output/wrap.ts';
import {
  addFieldFlags,
  addGlobalFlags,
  addPlainFlags,
  typingFaults,
  typedFlags,
} from './commander-options.ts';
import { unknownFlags } from './unknown-flags.ts';
import { waitFlags } from '../wait/options.ts';
import type { Invocation } from '../input/types.ts';
import type { CommandContext } from './command-context.ts';

type Facts = Pick<Invocation, 'operation' | 'fields' | 'hooks'>;

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
  const { argv, hooksFor, named, runtime } = commandContext;
  const spellings = commandNamesOf(operation);
  const parentOf = ({ words }: CommandNames) => groupOf(program, words.slice(0, -1), groups);
  let known: Facts | undefined;
  const facts = async () =>
    (known ??= {
      operation,
      fields: fieldsOf(operation),
      hooks: await hooksFor(operation.command),
    });
  const run = async (call: Pick<Invocation, 'spelling' | 'typed' | 'faults' | 'announced'>) => {
    const { runOperation } = await import('./run-operation.ts');
    await runOperation({ ...(await facts()), argv, ...call }, runtime);
  };
  for (const spelling of spellings) {
    const names = [spelling.words.at(-1)!, ...spelling.aliases];
    const command = parentOf(spelling).command(names[0]!).aliases(names.slice(1));
    command.summary(spelling.summary);
    // What the line does not name is there by name and summary alone.
    if (!names.some(named)) continue;
    const own = await facts();
    describe(command, own, spelling, commandContext);
    command.action(async () => {
      const { operands, faults } = unknownFlags(command, argv);
      const flags = typedFlags(command);
      const typed = { operands, flags: own.hooks.alwaysWaits ? { ...flags, wait: true } : flags };
      await run({ spelling, typed, faults: [...faults, ...typingFaults(command, flags)] });
    });
  }
  if (spellings.length === 1) return;
  const group = parentOf(spellings[0]!);
  const choices = spellings.map((spelling) => ({
    name: spelling.words.at(-1)!,
    run: () =>
      run({
        spelling,
        typed: { operands: [], flags: typedFlags(group) },
        faults: [],
        announced: true,
      }),
  }));
  askWhich(group, Object.keys(spellings[0]!.given)[0]!, choices, runtime);
}

/** Gives a command its arguments, flags and help. */
function describe(
  command: Command,
  { operation, fields, hooks }: Facts,
  spelling: CommandNames,
  { runtime, describe: tell }: CommandContext,
): void {
  command
    .description(descriptionOf(operation, spelling))
    .usage(usageOf(fields))
    .allowUnknownOption();
  for (const field of fields.filter(({ argument }) => argument !== undefined)) {
    command.argument(
      `[${field.placeholder}${field.argument === 'many' ? '...' : ''}]`,
      field.description,
    );
  }
  addFieldFlags(command, fields);
  addPlainFlags(command, hooks.options ?? []);
  addPlainFlags(command, waitFlags(operation, hooks.alwaysWaits === true));
  if (isChange(operation)) addPlainFlags(command, [noteFlag]);
  addPlainFlags(command, batchFlags(operation), 'Batch:');
  addGlobalFlags(command);
  command.addHelpText('after', () => epilogue(spelling, helpWidth(runtime.stdout)));
  const { examples } = spelling;
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

/** What follows the flags: the examples last, where they are next to the prompt. */
function epilogue({ examples }: CommandNames, width: number): string {
  const lines = ['Examples:', ...wrapExamples(examples, width), '', ...moreHelp(width)];
  return `\n${lines.join('\n')}`;
}
