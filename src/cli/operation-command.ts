// An operation as a command: its words, arguments, flags and help, all read off its data.

import type { Command } from 'commander';
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { commandNamesOf, type CommandNames } from '../api/operations/command-names.ts';
import { batchFlags } from '../batch/options.ts';
import type { CommandHooks } from '../client/call-context.ts';
import { askWhich, groupOf } from './command-group.ts';
import { moreHelp } from './help.ts';
import { wrapExamples, wrapText, helpWidth } from '../output/wrap.ts';
import {
  addFieldFlags,
  addGlobalFlags,
  addPlainFlags,
  dashFaults,
  typedFlags,
} from './commander-options.ts';
import { unknownFlags } from './unknown-flags.ts';
import { waitFlags } from '../wait/options.ts';
import type { CommandContext } from './command-context.ts';

/** Whether a command waits when `--wait` is given, or whenever it runs. */
type Waits = 'asked' | 'always';

export interface OperationCommandOptions {
  /** Summaries of the groups that stand between the area and the command. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly hooks: CommandHooks;
  readonly waits?: Waits;
}

/** An operation with all that its commands share. */
interface Described {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: CommandHooks;
  readonly waits: Waits;
}

/** Adds the command, or commands, of an operation below the program. */
export function addOperationCommands(
  program: Command,
  operation: Operation,
  { groups = {}, hooks, waits = 'asked' }: OperationCommandOptions,
  commandContext: CommandContext,
): void {
  const fields = fieldsOf(operation);
  const spellings = commandNamesOf(operation);
  const parentOf = ({ words }: CommandNames) => groupOf(program, words.slice(0, -1), groups);
  for (const spelling of spellings)
    addSpelling(parentOf(spelling), { operation, fields, hooks, waits }, spelling, commandContext);
  if (spellings.length === 1) return;
  const { runtime, argv } = commandContext;
  const group = parentOf(spellings[0]!);
  const choices = spellings.map((spelling) => ({
    name: spelling.words.at(-1)!,
    async run() {
      const typed = { operands: [], flags: typedFlags(group) };
      const heard = { faults: [], announced: true };
      const call = { operation, fields, hooks, spelling, typed, argv, ...heard };
      await (await import('./run-operation.ts')).runOperation(call, runtime);
    },
  }));
  askWhich(group, Object.keys(spellings[0]!.given)[0]!, choices, runtime);
}

function addSpelling(
  parent: Command,
  { operation, fields, hooks, waits }: Described,
  spelling: CommandNames,
  { runtime, argv, named, describe: tell }: CommandContext,
): void {
  const names = [spelling.words.at(-1)!, ...spelling.aliases];
  const command = parent.command(names[0]!).aliases(names.slice(1)).summary(spelling.summary);
  if (!names.some(named)) return;
  command
    .description(describe(operation, spelling))
    .usage(usageOf(fields))
    .helpOption('-h, --help', 'Show this help');
  for (const field of fields.filter(({ argument }) => argument !== undefined)) {
    command.argument(
      `[${field.placeholder}${field.argument === 'many' ? '...' : ''}]`,
      field.description,
    );
  }
  addFieldFlags(command, fields);
  addPlainFlags(command, hooks.options ?? []);
  addPlainFlags(command, waitFlags(operation, waits === 'always'));
  addPlainFlags(command, batchFlags, 'Batch:');
  addGlobalFlags(command);
  command.addHelpText('after', () => epilogue(operation, spelling, helpWidth(runtime.stdout)));
  command.allowUnknownOption().allowExcessArguments();
  tell?.(command, { operation, examples: spelling.examples });
  command.action(async () => {
    const { operands, faults } = await unknownFlags(command, argv);
    const flags = typedFlags(command);
    const typed = { operands, flags: waits === 'always' ? { ...flags, wait: true } : flags };
    const { runOperation } = await import('./run-operation.ts');
    const wrong = [...faults, ...dashFaults(command, flags)];
    const call = { operation, fields, hooks, spelling, typed, argv, faults: wrong };
    await runOperation(call, runtime);
  });
}

function describe(operation: Operation, { summary }: CommandNames): string {
  const warnings =
    operation.danger === undefined ? [] : [`${operation.danger} You are asked first.`];
  return [summary, ...operation.details, ...warnings].join('\n\n');
}

function usageOf(fields: readonly Field[]): string {
  const words = fields
    .filter(({ argument, required }) => argument !== undefined || required)
    .map((field) => {
      if (field.argument !== undefined)
        return `<${field.placeholder}>${field.argument === 'many' ? '...' : ''}`;
      const value = `--${field.flag} <${field.placeholder}>`;
      return field.flag === 'account' ? `-a <${field.placeholder}>` : value;
    });
  return [...words, '[flags]'].join(' ');
}

/** What follows the flags: the examples last, where they are next to the prompt. */
function epilogue(operation: Operation, { examples }: CommandNames, width: number): string {
  const assumed = operation.assumes.map((each) => wrapText(each, width, '  '));
  const sections = [
    ...(assumed.length === 0 ? [] : [['Assumptions:', ...assumed]]),
    ['Examples:', ...wrapExamples(examples, width)],
    moreHelp(width),
  ];
  return `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}`;
}
