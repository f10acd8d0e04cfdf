// The command line as plain data, read off the parser's own program. Loads every command, so only those that
// need them all load it. Runs none.

import type { Argument, Command, Option } from 'commander';
import { type Bounds, boundsOf } from '../api/operations/bounds.ts';
import {
  type Example,
  isChange,
  type Mutation,
  mutationOf,
} from '../api/operations/define-operation.ts';
import { type Field, fieldsOf } from '../api/operations/fields.ts';
import { version } from '../base/version.ts';
import { flagOf } from '../config/flags.ts';
import { buildProgram } from '../program.ts';
import { factsOf, isRepeatable, pathOf } from './commander-options.ts';
import { exitCodeTable, variables } from './help-topics.ts';
import type { Facts, Surroundings } from './operation-command.ts';
import { topics } from './topic-names.ts';

// What the whole command line is as plain data: completion, the reference and `social commands` are made from it.
// Types alone; `read-tree` fills them.

export interface Tree {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Every command and every group of commands, in the order of the help. */
  readonly commands: readonly CommandNode[];
  /** The flags that only the program itself takes. */
  readonly flags: readonly FlagNode[];
  /** The flags that every command takes as well. */
  readonly globalFlags: readonly FlagNode[];
  readonly environment: readonly { readonly name: string; readonly description: string }[];
  readonly exitCodes: readonly {
    readonly code: number;
    /** The `code` of an error object that the service gave no code of its own. */
    readonly name: string;
    readonly meaning: string;
  }[];
  readonly topics: readonly string[];
}

export interface CommandNode {
  /** The words that are typed: `posts retry`. */
  readonly path: string;
  /** Other spellings of the last word. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** The summary, and what else one should know, a paragraph each. */
  readonly description: string;
  readonly usage: string;
  /** Whether it only holds other commands. */
  readonly group: boolean;
  /** Whether it changes something at the service. */
  readonly changes: boolean;
  /** What sending it twice does; only for what sends something. */
  readonly mutation?: Mutation;
  /** What is lost, where it takes something away: it asks before. */
  readonly danger?: string;
  /** What it can read from standard input: the flags that do with `-`, or what it reads without being told to. */
  readonly stdin: readonly string[];
  readonly operation?: { readonly method: string; readonly path: string };
  readonly arguments: readonly ArgumentNode[];
  /** Its own flags; the global ones come on top. */
  readonly flags: readonly FlagNode[];
  readonly assumes: readonly string[];
  readonly examples: readonly { readonly purpose: string; readonly line: string }[];
}

export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly values?: readonly string[];
  readonly bounds?: Bounds;
}

export interface FlagNode {
  readonly long: string;
  readonly short?: string;
  /** What stands for its value in help; a flag without one is a switch. */
  readonly placeholder?: string;
  readonly description: string;
  readonly group: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly values?: readonly string[];
  /** What JSON Schema says of a value; a number is typed in decimal digits. */
  readonly bounds?: Bounds;
}

/** Builds the program with all its commands and reads it. */
export async function readTree(around: Surroundings): Promise<Tree> {
  const known = new Map<Command, Facts>();
  const describe = (command: Command, facts: Facts) => void known.set(command, facts);
  const program = await buildProgram({ ...around, describe, named: () => true });
  const flags = flagsOf(program).map((option) => flagNode(option, undefined));
  return {
    name: program.name(),
    version,
    summary: program.description(),
    commands: below(program).map((command) => commandNode(command, known.get(command))),
    flags: flags.filter((flag) => !isGlobal(flag)),
    globalFlags: flags.filter(isGlobal),
    environment: variables().map(([name, description]) => ({ name, description })),
    exitCodes: exitCodeTable(),
    topics: Object.keys(topics),
  };
}

/** The commands below one, each before those below it; hidden ones are left out. */
function below(command: Command): readonly Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.flatMap((each) => [each, ...below(each)]);
}

const isGlobal = ({ long }: FlagNode): boolean => long !== '--version';

interface Known {
  readonly field: Field;
  readonly bounds: Bounds | undefined;
}

function commandNode(command: Command, facts: Facts | undefined): CommandNode {
  const { operation, examples = [], stdin: untold } = facts ?? {};
  const bounds = operation === undefined ? {} : boundsOf(operation);
  const fields = operation === undefined ? [] : fieldsOf(operation);
  const known = fields.map((field): Known => ({ field, bounds: bounds[field.name] }));
  const positional = known.filter(({ field }) => field.argument !== undefined);
  const path = pathOf(command);
  return {
    path: path.slice(path.indexOf(' ') + 1),
    aliases: command.aliases(),
    summary: command.summary(),
    description: command.description(),
    usage: `${path} ${command.usage()}`,
    group: command.commands.length > 0,
    changes: operation !== undefined && isChange(operation),
    ...(operation === undefined
      ? {}
      : {
          operation: { method: operation.method, path: operation.path },
          mutation: mutationOf(operation),
          ...(operation.danger === undefined ? {} : { danger: operation.danger }),
        }),
    stdin: [
      ...flagsOf(command).flatMap((option) =>
        factsOf(option).stdin === true ? [`${option.long!} -`] : [],
      ),
      ...(untold === undefined ? [] : [untold]),
    ],
    arguments: command.registeredArguments.map((each, i) => argumentNode(each, positional[i])),
    flags: flagsOf(command)
      .filter(({ long }) => long !== '--help')
      .map((option) => flagNode(option, knownOf(option, known))),
    assumes: operation?.assumes ?? [],
    examples: examples.map(([purpose, line]: Example) => ({ purpose, line })),
  };
}

const flagsOf = (command: Command): readonly Option[] =>
  command.createHelp().visibleOptions(command);

const knownOf = ({ long }: Option, known: readonly Known[]): Known | undefined =>
  known.find(({ field }) => field.argument === undefined && flagOf(field) === long);

function argumentNode(argument: Argument, known: Known | undefined): ArgumentNode {
  return {
    name: argument.name(),
    description: argument.description,
    required: argument.required || known?.field.required === true,
    repeatable: argument.variadic,
    ...told(argument.argChoices, known),
  };
}

function flagNode(option: Option, known: Known | undefined): FlagNode {
  const { long, short, flags, description, helpGroupHeading = '' } = option;
  const placeholder = /<(.+)>/.exec(flags)?.[1];
  return {
    long: long!,
    ...(short === undefined ? {} : { short }),
    ...(placeholder === undefined ? {} : { placeholder }),
    description,
    group: helpGroupHeading.replace(/:$/, ''),
    required: known?.field.required === true,
    repeatable: isRepeatable(option),
    ...told(option.argChoices, known, factsOf(option).bounds),
  };
}

function told(
  values: readonly string[] | undefined,
  known: Known | undefined,
  own: Bounds = {},
): { values?: readonly string[]; bounds?: Bounds } {
  const bounds = { ...own, ...known?.bounds };
  return {
    ...(values === undefined ? {} : { values }),
    ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
  };
}
