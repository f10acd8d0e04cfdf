// The command line as plain data, read off the parser's own program: completion, the reference and `social commands`
// are made from it. Loads every command, so only those that need them all load it. Runs none.

import { type Argument, type Command, Help, type Option } from 'commander';
import {
  type Effect,
  type Example,
  isChange,
  type Operation,
} from '../api/operations/define-operation.ts';
import { type Field, fieldsOf } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import { version } from '../base/version.ts';
import { flagName } from '../config/flags.ts';
import { factsOf, pathOf, rootOf } from './commander-options.ts';
import { exitCodeTable, variables } from './help-topics.ts';

/** What a command stands for, for code that reads the program as data. */
interface CommandFacts {
  readonly examples: readonly Example[];
  readonly operation?: Operation;
  readonly effect: Effect;
}

/** What is asked of a program of all commands. */
export interface WholeProgram {
  /** Whether a word may stand for a command: what is not named is there by name and summary alone. */
  readonly named: (word: string) => boolean;
  /** Takes what is known of each command beyond what the parser keeps. */
  readonly describe: (command: Command, facts: CommandFacts) => void;
}

export type CommandTree = Awaited<ReturnType<typeof readCommandTree>>;
export type CommandNode = ReturnType<typeof commandNode>;
export type ArgumentNode = ReturnType<typeof argumentNode>;
export type FlagNode = ReturnType<typeof flagNode>;

/** Builds the program with all its commands and reads it. */
export async function readCommandTree(build: (wanted: WholeProgram) => Promise<Command>) {
  const known = new Map<Command, CommandFacts>();
  const program = await build({
    describe: (command, facts) => void known.set(command, facts),
    named: () => true,
  });
  const flags = flagsOf(program).map((option) => flagNode(option, undefined));
  return {
    name: program.name(),
    version,
    summary: program.description(),
    /** Every command and every group of commands, in the order of the help. */
    commands: below(program).map((command) => commandNode(command, known.get(command))),
    /** The flags that only the program itself takes. */
    flags: flags.filter((flag) => !isGlobal(flag)),
    /** The flags that every command takes as well. */
    globalFlags: flags.filter(isGlobal),
    environment: variables().map(([name, description]) => ({ name, description })),
    exitCodes: exitCodeTable(),
  };
}

/** The commands below one, each before those below it. */
const below = ({ commands }: Command): readonly Command[] =>
  commands.flatMap((command) => [command, ...below(command)]);

const isGlobal = ({ long }: FlagNode): boolean => long !== '--version';

function commandNode(command: Command, facts: CommandFacts | undefined) {
  const { operation, examples = [], effect = 'reads' } = facts ?? {};
  const fields = operation === undefined ? [] : fieldsOf(operation);
  const positional = fields.filter((field) => field.argument !== undefined);
  const path = pathOf(command);
  return {
    /** The words that are typed: `posts retry`. */
    path: path.slice(path.indexOf(' ') + 1),
    /** Other spellings of the last word. */
    aliases: command.aliases(),
    summary: command.summary(),
    /** The summary, and what else one should know, a paragraph each. */
    description: command.description(),
    usage: `${path} ${command.usage()}`,
    /** Whether it only holds other commands. */
    group: command.commands.length > 0,
    /** Whether it changes something at the service. */
    changes: operation !== undefined && isChange(operation),
    effect,
    operation: operation && { method: operation.method, path: operation.path },
    /** The platform that its account has to be on. */
    platform: operation && strictPlatformOf(operation),
    arguments: command.registeredArguments.map((each, i) => argumentNode(each, positional[i])),
    /** Its own flags; the global ones come on top. */
    flags: flagsOf(command)
      .filter(({ long }) => long !== '--help')
      .map((option) => flagNode(option, fieldOf(option, fields))),
    examples: examples.map(([purpose, line]: Example) => ({ purpose, line })),
  };
}

/** The flags of a command, less the global ones; of the program, all. */
const flagsOf = (command: Command): readonly Option[] => {
  const shared = command.parent === null ? [] : rootOf(command).options;
  return new Help().visibleOptions(command).filter((option) => !shared.includes(option));
};

const fieldOf = ({ long }: Option, fields: readonly Field[]): Field | undefined =>
  fields.find((field) => field.argument === undefined && flagName(field) === long);

function argumentNode(argument: Argument, field: Field | undefined) {
  return {
    name: argument.name(),
    description: argument.description,
    required: argument.required || field?.required === true,
    repeatable: argument.variadic,
    values: argument.argChoices,
    /** What it takes an ID of. */
    id: field?.idKind,
  };
}

function flagNode(option: Option, field: Field | undefined) {
  const { long, short, flags, description, helpGroupHeading = '' } = option;
  return {
    long: long!,
    short,
    /** What stands for its value in help; a flag without one is a switch. */
    placeholder: /<(.+)>/.exec(flags)?.[1],
    description,
    group: helpGroupHeading.replace(/:$/, ''),
    required: field?.required === true,
    repeatable: factsOf(option).repeatable === true,
    values: option.argChoices,
    /** What it takes an ID of. */
    id: field?.idKind,
  };
}
