// The command line as plain data, read off the parser's own program: completion, the reference and `social commands`
// are made from it. Loads every command, so only those that need them all load it. Runs none.

import type { Argument, Command, Option } from 'commander';
import { type Bounds, boundsOf } from '../api/operations/bounds.ts';
import {
  type Effect,
  type Example,
  isChange,
  mutationOf,
  type Operation,
} from '../api/operations/define-operation.ts';
import { type Field, fieldsOf } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { FailureKind } from '../base/exit-codes.ts';
import { version } from '../base/version.ts';
import { flagName } from '../config/flags.ts';
import { factsOf, isRepeatable, pathOf } from './commander-options.ts';
import { deprecationOf } from './deprecations.ts';
import { exitCodesOf } from './command-failures.ts';
import { exitCodeTable, variables } from './help-topics.ts';
import { topics } from './topic-names.ts';

/** What a command stands for, for code that reads the program as data. */
interface CommandFacts {
  readonly examples: readonly Example[];
  readonly operation?: Operation;
  readonly effect: Effect;
  /** How it can fail besides the ways of every command. */
  readonly failures: readonly FailureKind[];
  /** What it reads from standard input without being told to. */
  readonly stdin?: string | undefined;
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

function commandNode(command: Command, facts: CommandFacts | undefined) {
  const { operation, examples = [], stdin: untold, effect = 'reads', failures } = facts ?? {};
  const bounds = operation === undefined ? {} : boundsOf(operation);
  const fields = operation === undefined ? [] : fieldsOf(operation);
  const known = fields.map((field): Known => ({ field, bounds: bounds[field.name] }));
  const positional = known.filter(({ field }) => field.argument !== undefined);
  const path = pathOf(command);
  return {
    /** The words that are typed: `posts retry`. */
    path: path.slice(path.indexOf(' ') + 1),
    /** Other spellings of the last word. */
    aliases: command.aliases(),
    summary: command.summary(),
    /** Set where it still works, and something else is to be used; also below a deprecated group. */
    deprecated: deprecationOf(command),
    /** The summary, and what else one should know, a paragraph each. */
    description: command.description(),
    usage: `${path} ${command.usage()}`,
    /** Whether it only holds other commands. */
    group: command.commands.length > 0,
    /** Whether it changes something at the service. */
    changes: operation !== undefined && isChange(operation),
    effect,
    /** Those that it can end with, less those of a fault of the tool and of a signal, which every command has. */
    exitCodes: exitCodesOf(failures),
    operation: operation && { method: operation.method, path: operation.path },
    /** What sending it twice does; only for what sends something. */
    mutation: operation && mutationOf(operation),
    /** What is lost, where it takes something away: it asks before. */
    danger: operation?.danger,
    /** The platform that its account has to be on. */
    platform: operation && strictPlatformOf(operation),
    /** What it can read from standard input: the flags that do with `-`, or what it reads without being told to. */
    stdin: [
      ...flagsOf(command).flatMap((option) =>
        factsOf(option).stdin === true ? [`${option.long!} -`] : [],
      ),
      ...(untold === undefined ? [] : [untold]),
    ],
    arguments: command.registeredArguments.map((each, i) => argumentNode(each, positional[i])),
    /** Its own flags; the global ones come on top. */
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
  known.find(({ field }) => field.argument === undefined && flagName(field) === long);

function argumentNode(
  argument: Argument & { readonly valuesAfter?: Readonly<Record<string, readonly string[]>> },
  known: Known | undefined,
) {
  return {
    name: argument.name(),
    description: argument.description,
    required: argument.required || known?.field.required === true,
    repeatable: argument.variadic,
    /** Whether the value is a credential. */
    secret: known?.field.hidden === true || undefined,
    /** The values behind each value of the argument before it. */
    valuesAfter: argument.valuesAfter,
    ...told(argument.argChoices, known),
  };
}

function flagNode(option: Option, known: Known | undefined) {
  const { long, short, flags, description, helpGroupHeading = '' } = option;
  const { deprecated, bounds, secret } = factsOf(option);
  return {
    long: long!,
    short,
    /** What stands for its value in help; a flag without one is a switch. */
    placeholder: /<(.+)>/.exec(flags)?.[1],
    description,
    deprecated,
    group: helpGroupHeading.replace(/:$/, ''),
    required: known?.field.required === true,
    repeatable: isRepeatable(option),
    /** Whether the value, or what it names, is a secret. */
    secret,
    ...told(option.argChoices, known, bounds),
  };
}

function told(values: readonly string[] | undefined, known: Known | undefined, own: Bounds = {}) {
  const bounds: Bounds = { ...own, ...known?.bounds };
  return {
    values,
    /** What it takes an ID of. */
    id: known?.field.idKind,
    /** What JSON Schema says of a value; a number is typed in decimal digits. */
    bounds: Object.keys(bounds).length > 0 ? bounds : undefined,
  };
}
