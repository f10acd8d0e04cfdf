// An operation as a command: its words, arguments, flags and help, all read off its data.

import type { Command } from 'commander';
import { fieldsOf, type Field } from '../api/operations/fields.ts';
import type { Example, Operation } from '../api/operations/define-operation.ts';
import { spellingsOf, type Spelling } from '../api/operations/command-names.ts';
import type { World } from '../base/runtime.ts';
import { batchFlags } from '../batch/options.ts';
import { extraOf } from '../commands/operation-hooks.ts';
import { askWhich, groupOf } from './command-group.ts';
import { foldExamples } from '../output/wrap.ts';
import { fold, helpWidth } from './help.ts';
import {
  addFieldFlags,
  addGlobalFlags,
  addPlainFlags,
  dashFaults,
  typedFlags,
} from './commander-options.ts';
import { unknownFlags } from './unknown-flags.ts';
import { waitingOptions } from '../wait/options.ts';

export interface Surroundings {
  readonly world: World;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** Whether a word may stand for a command: what is not named is there by name and summary alone. */
  readonly named: (word: string) => boolean;
  /** Takes texts that must not be shown anywhere, until the function that it gives is called. */
  readonly hide: (secrets: readonly string[]) => () => void;
  /** Takes those texts out of a line. */
  readonly mask: (text: string) => string;
  /** Takes the help that the parser writes. */
  readonly page?: (text: string) => void;
  /** Takes what is known of each command beyond what the parser keeps. */
  readonly describe?: (command: Command, facts: Facts) => void;
}

/** What a command stands for, for whoever reads the program as data. */
export interface Facts {
  readonly examples: readonly Example[];
  readonly operation?: Operation;
  /** What it reads from standard input without being told to. */
  readonly stdin?: string | undefined;
}

/** Whether a command waits when `--wait` is given, or whenever it runs. */
type Waits = 'asked' | 'always';

/** Adds the command, or commands, of an operation below the program. */
export function addVerb(
  program: Command,
  operation: Operation,
  groups: Readonly<Record<string, string>>,
  around: Surroundings,
  waits: Waits = 'asked',
): void {
  const fields = fieldsOf(operation);
  const spellings = spellingsOf(operation);
  const parentOf = ({ words }: Spelling) => groupOf(program, words.slice(0, -1), groups);
  for (const spelling of spellings)
    addSpelling(parentOf(spelling), operation, fields, spelling, waits, around);
  if (spellings.length === 1) return;
  const { world, argv, hide, mask } = around;
  const group = parentOf(spellings[0]!);
  const choices = spellings.map((spelling) => ({
    name: spelling.words.at(-1)!,
    async run() {
      const typed = { operands: [], flags: typedFlags(group) };
      const heard = { faults: [], hide, mask, announced: true };
      const call = { operation, fields, spelling, typed, argv, ...heard };
      await (await import('./run-operation.ts')).perform(call, world);
    },
  }));
  askWhich(group, Object.keys(spellings[0]!.given)[0]!, choices, world);
}

function addSpelling(
  parent: Command,
  operation: Operation,
  fields: readonly Field[],
  spelling: Spelling,
  waits: Waits,
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
  addPlainFlags(command, extraOf(operation.command).options ?? []);
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
    await perform({ operation, fields, spelling, typed, argv, faults: wrong, hide, mask }, world);
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
