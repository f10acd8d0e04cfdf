// An operation as a command: its words, arguments, flags and help, all read off its data.

import type { Command } from 'commander';
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { spellingsOf, type Spelling } from '../api/operations/command-names.ts';
import { batchFlags } from '../batch/options.ts';
import type { Extra } from '../client/call-context.ts';
import { askWhich, groupOf } from './command-group.ts';
import { foldExamples, fold, helpWidth } from '../output/wrap.ts';
import {
  addFieldFlags,
  addGlobalFlags,
  addPlainFlags,
  dashFaults,
  typedFlags,
} from './commander-options.ts';
import { unknownFlags } from './unknown-flags.ts';
import { waitingOptions } from '../wait/options.ts';
import type { Surroundings } from './command-context.ts';

/** Whether a command waits when `--wait` is given, or whenever it runs. */
type Waits = 'asked' | 'always';

export interface CommandOptions {
  /** Summaries of the groups that stand between the area and the command. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly hooks: Extra;
  readonly waits?: Waits;
}

/** An operation with all that its commands share. */
interface Described {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly hooks: Extra;
  readonly waits: Waits;
}

/** Adds the command, or commands, of an operation below the program. */
export function addVerb(
  program: Command,
  operation: Operation,
  { groups = {}, hooks, waits = 'asked' }: CommandOptions,
  around: Surroundings,
): void {
  const fields = fieldsOf(operation);
  const spellings = spellingsOf(operation);
  const parentOf = ({ words }: Spelling) => groupOf(program, words.slice(0, -1), groups);
  for (const spelling of spellings)
    addSpelling(parentOf(spelling), { operation, fields, hooks, waits }, spelling, around);
  if (spellings.length === 1) return;
  const { world, argv, hide, mask } = around;
  const group = parentOf(spellings[0]!);
  const choices = spellings.map((spelling) => ({
    name: spelling.words.at(-1)!,
    async run() {
      const typed = { operands: [], flags: typedFlags(group) };
      const heard = { faults: [], hide, mask, announced: true };
      const call = { operation, fields, hooks, spelling, typed, argv, ...heard };
      await (await import('./run-operation.ts')).perform(call, world);
    },
  }));
  askWhich(group, Object.keys(spellings[0]!.given)[0]!, choices, world);
}

function addSpelling(
  parent: Command,
  { operation, fields, hooks, waits }: Described,
  spelling: Spelling,
  { world, argv, named, hide, mask, describe: tell }: Surroundings,
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
  addPlainFlags(command, waitingOptions(operation, waits === 'always'));
  addPlainFlags(command, batchFlags, 'Batch:');
  addGlobalFlags(command);
  command.addHelpText('after', () => epilogue(operation, spelling, helpWidth(world.stdout)));
  command.allowUnknownOption().allowExcessArguments();
  tell?.(command, { operation, examples: spelling.examples });
  command.action(async () => {
    const { operands, faults } = await unknownFlags(command, argv);
    const flags = typedFlags(command);
    const typed = { operands, flags: waits === 'always' ? { ...flags, wait: true } : flags };
    const { perform } = await import('./run-operation.ts');
    const wrong = [...faults, ...dashFaults(command, flags)];
    const call = { operation, fields, hooks, spelling, typed, argv, faults: wrong, hide, mask };
    await perform(call, world);
  });
}

function describe(operation: Operation, { summary }: Spelling): string {
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

function epilogue(operation: Operation, { examples }: Spelling, width: number): string {
  const assumed = operation.assumes.map((each) => fold(each, width, '  '));
  const sections = [
    ['Examples:', ...foldExamples(examples, width)],
    assumed.length === 0 ? [] : ['Assumptions:', ...assumed],
    [
      fold(
        'Every command also takes the global flags (--json, --dry-run, --context …): social --help',
        width,
        '',
      ),
    ],
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return `\n${filled.map((lines) => lines.join('\n')).join('\n\n')}`;
}
