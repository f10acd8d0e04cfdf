// The command line as plain data: completion, the reference and `social commands` are made from it.

import { isChange } from '../api/operations/define-operation.ts';
import { pathsOf } from '../api/operations/fields.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import { version } from '../base/version.ts';
import { globalFlags, longName, type FlagSpec } from '../config/flags.ts';
import {
  type CommandSpec,
  descriptionOf,
  examplesOf,
  type Operand,
  pathOf,
  specsOfWord,
  SUMMARY,
  argumentsOf,
  valuesOf,
  type Words,
  wordsAfter,
} from './command-spec.ts';
import { exitCodeTable, variables } from './help-topics.ts';

export type CommandTree = Awaited<ReturnType<typeof readCommandTree>>;
export type CommandNode = ReturnType<typeof commandNode>;
export type ArgumentNode = ReturnType<typeof argumentNode>;
export type FlagNode = ReturnType<typeof flagNode>;

/** The flags that commander itself handles, and that are in no spec. */
const versionFlag = { flags: '-V, --version', description: 'Show the version' };
const helpFlag = { flags: '-h, --help', description: 'Show this help' };

/** Reads the command line of these words; loads every command. */
export async function readCommandTree(words: Words) {
  const nodes = Object.entries(words).map(async ([name, word]) => {
    const specs = await specsOfWord(name, word);
    const summaries = { ...word.groups, [name]: word.summary };
    return nodesBelow([], specs, summaries);
  });
  return {
    name: 'social',
    version,
    summary: SUMMARY,
    /** All commands and groups, in the order of the help. */
    commands: (await Promise.all(nodes)).flat(),
    /** The flags of the program without a command. */
    flags: [flagNode(versionFlag)],
    globalFlags: [...globalFlags, helpFlag].map(flagNode),
    environment: variables().map(([name, description]) => ({ name, description })),
    exitCodes: exitCodeTable(),
  };
}

/** Lists the commands below some words, each group before its commands. `summaries` has those of the groups. */
function nodesBelow(
  parent: readonly string[],
  specs: readonly CommandSpec[],
  summaries: Readonly<Record<string, string>>,
): readonly CommandNode[] {
  return wordsAfter(parent, specs).flatMap(({ name, inside, itself }) => {
    const words = [...parent, name];
    const node = itself ? commandNode(itself) : groupNode(words, summaries[name] ?? '');
    const below = inside.filter((spec) => spec !== itself);
    return [node, ...nodesBelow(words, below, summaries)];
  });
}

const groupNode = (words: readonly string[], summary: string): CommandNode => ({
  ...commandNode({ words, summary, run: () => undefined }),
  usage: `social ${words.join(' ')} <command> [flags]`,
  group: true,
});

function commandNode(spec: CommandSpec) {
  const { operation, aliases = [], summary, effect = 'reads', operands = [], flags = [] } = spec;
  const path = pathOf(spec);
  return {
    path,
    aliases,
    summary,
    /** The summary and the details, one paragraph each. */
    description: descriptionOf(spec),
    usage: `social ${path} ${argumentsOf(spec)}`,
    /** True if it only contains other commands. */
    group: false,
    /** True if it changes something at the service. */
    changes: operation !== undefined && isChange(operation),
    effect,
    operation: operation && { method: operation.method, path: operation.path },
    /** The platform on which its account must be. */
    platform: operation && strictPlatformOf(operation),
    /** The fields of its result that --fields can name. */
    fields: operation && pathsOf(operation),
    arguments: operands.map(argumentNode),
    /** Its flags, without the global ones. */
    flags: flags.map((flag) => ({
      ...flagNode(flag),
      description: `${flag.description}${flag.repeatable === true ? '; repeatable' : ''}`,
    })),
    examples: Object.entries(examplesOf(spec)).map(([purpose, line]) => ({ purpose, line })),
  };
}

const argumentNode = ({ name, description, optional, many, values, id }: Operand) => ({
  name,
  description,
  required: optional !== true,
  repeatable: many === true,
  values,
  id,
});

const flagNode = (flag: FlagSpec) => ({
  long: longName(flag.flags),
  short: /^-\w\b/.exec(flag.flags)?.[0],
  /** The placeholder of its value in help; a flag without one is a switch. */
  placeholder: /<(.+)>/.exec(flag.flags)?.[1],
  description: flag.description,
  group: flag.group ?? 'Flags',
  required: flag.required === true,
  repeatable: flag.repeatable === true,
  values: valuesOf(flag),
  id: flag.id,
});
