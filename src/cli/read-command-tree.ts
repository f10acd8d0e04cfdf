// The command line as plain data, read off the parser's own program. Loads every command, so only those that
// need them all load it. Runs none.

import type { Argument, Command, Option } from 'commander';
import { type Bounds, boundsOf } from '../api/operations/bounds.ts';
import { type Example, isChange, mutationOf } from '../api/operations/define-operation.ts';
import { type Field, fieldsOf } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/account-platforms.ts';
import { version } from '../base/version.ts';
import { flagName } from '../config/flags.ts';
import { factsOf, isRepeatable, pathOf } from './commander-options.ts';
import { deprecationOf } from './deprecations.ts';
import { exitCodesOf } from './exit-codes.ts';
import { exitCodeTable, variables } from './help-topics.ts';
import { topics } from './topic-names.ts';
import type { CommandFacts, CommandContext } from './command-context.ts';
import type { CommandTree, FlagNode, CommandNode, ArgumentNode } from './command-tree.ts';

/** Builds a program of these commands. */
type BuildProgram = (
  wanted: Required<Pick<CommandContext, 'describe' | 'named'>>,
) => Promise<Command>;

/** Builds the program with all its commands and reads it. */
export async function readCommandTree(build: BuildProgram): Promise<CommandTree> {
  const known = new Map<Command, CommandFacts>();
  const describe = (command: Command, facts: CommandFacts) => void known.set(command, facts);
  const program = await build({ describe, named: () => true });
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

function commandNode(command: Command, facts: CommandFacts | undefined): CommandNode {
  const { operation, examples = [], stdin: untold, effect = 'reads', failures } = facts ?? {};
  const bounds = operation === undefined ? {} : boundsOf(operation);
  const fields = operation === undefined ? [] : fieldsOf(operation);
  const known = fields.map((field): Known => ({ field, bounds: bounds[field.name] }));
  const positional = known.filter(({ field }) => field.argument !== undefined);
  const path = pathOf(command);
  return {
    path: path.slice(path.indexOf(' ') + 1),
    aliases: command.aliases(),
    summary: command.summary(),
    deprecated: deprecationOf(command),
    description: command.description(),
    usage: `${path} ${command.usage()}`,
    group: command.commands.length > 0,
    changes: operation !== undefined && isChange(operation),
    effect,
    exitCodes: exitCodesOf(failures),
    operation: operation && { method: operation.method, path: operation.path },
    mutation: operation && mutationOf(operation),
    danger: operation?.danger,
    platform: operation && strictPlatformOf(operation),
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
  known.find(({ field }) => field.argument === undefined && flagName(field) === long);

function argumentNode(
  argument: Argument & Pick<ArgumentNode, 'valuesAfter'>,
  known: Known | undefined,
): ArgumentNode {
  const { valuesAfter } = argument;
  return {
    name: argument.name(),
    description: argument.description,
    required: argument.required || known?.field.required === true,
    repeatable: argument.variadic,
    secret: known?.field.hidden === true || undefined,
    valuesAfter,
    ...told(argument.argChoices, known),
  };
}

function flagNode(option: Option, known: Known | undefined): FlagNode {
  const { long, short, flags, description, helpGroupHeading = '' } = option;
  const { deprecated, bounds, secret } = factsOf(option);
  return {
    long: long!,
    short,
    placeholder: /<(.+)>/.exec(flags)?.[1],
    description,
    deprecated,
    group: helpGroupHeading.replace(/:$/, ''),
    required: known?.field.required === true,
    repeatable: isRepeatable(option),
    secret,
    ...told(option.argChoices, known, bounds),
  };
}

function told(
  values: readonly string[] | undefined,
  known: Known | undefined,
  own: Bounds = {},
): Pick<FlagNode, 'values' | 'id' | 'bounds'> {
  const bounds = { ...own, ...known?.bounds };
  const isBounded = Object.keys(bounds).length > 0;
  return { values, id: known?.field.idKind, bounds: isBounded ? bounds : undefined };
}
