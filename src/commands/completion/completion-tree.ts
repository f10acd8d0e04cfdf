// The command line as completion needs it: words, flags and the kinds of their values. The build writes it to
// dist/completion.json, so that a TAB loads neither the commands nor the parser.

import type {
  CommandTree,
  FlagNode,
  CommandNode,
  ArgumentNode,
} from '../../cli/read-command-tree.ts';
import { ownProperty } from '../../base/json.ts';

export interface CompletionTree {
  /** The program itself. */
  readonly root: CompletionNode;
  /** The flags that can be typed everywhere. */
  readonly flags: readonly Flag[];
}

/** A command, or a group of them. */
export interface CompletionNode {
  /** Its last word, then the aliases of that. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly commands?: readonly CompletionNode[] | undefined;
  readonly flags?: readonly Flag[] | undefined;
  readonly operands?: readonly Value[] | undefined;
  /** The platform that its account is on. */
  readonly platform?: string | undefined;
  /** Whether it, or a command below it, has a schema. */
  readonly schema?: boolean | undefined;
  /** Which commands can follow it as operands (`help`, `schema`), instead of its own. */
  readonly reads?: 'all' | 'schemas' | undefined;
}

export interface Flag {
  /** `['-o', '--output']` */
  readonly names: readonly string[];
  readonly summary: string;
  /** What follows it; absent for a switch. */
  readonly value?: Value | undefined;
}

/** A value, and what completes it: nothing, where only the service or the user knows one. */
export interface Value {
  /** Its placeholder in help. */
  readonly label: string;
  readonly words?: readonly string[] | undefined;
  /** For an operand: the words behind each value of the one before. */
  readonly after?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The kind of `candidates` that this machine may know. */
  readonly known?: string | undefined;
  readonly files?: boolean | undefined;
  /** For a flag: comma-separated values. For an operand: it may be repeated. */
  readonly many?: boolean | undefined;
}

/** The kind of candidates of what is no ID of an operation, by its group and its name, or the name of the flag. */
const kinds: Readonly<Record<string, string>> = {
  'context name': 'context',
  'context old': 'context',
  'name id': 'id',
  'change-id': 'change',
  '--account': 'account',
  '--context': 'context',
};

/** The commands that take the words of a command. */
const readers: Readonly<Record<string, 'all' | 'schemas'>> = {
  commands: 'all',
  help: 'all',
  schema: 'schemas',
};

export function toCompletionTree(tree: CommandTree): CompletionTree {
  const global = new Set(tree.globalFlags.map(({ long }) => long));
  const isOwn = ({ long }: FlagNode) => !global.has(long);
  return {
    root: {
      words: [tree.name],
      summary: tree.summary,
      commands: commandsBelow('', tree.commands, isOwn),
      flags: tree.flags.map(prepareFlag),
    },
    flags: tree.globalFlags.map(prepareFlag),
  };
}

function commandsBelow(
  parent: string,
  all: readonly CommandNode[],
  isOwn: (flag: FlagNode) => boolean,
): readonly CompletionNode[] {
  const children = all.filter(({ path }) => parentOf(path) === parent);
  return children.map((command): CompletionNode => {
    const { path, aliases, summary, operation, platform } = command;
    const commands = commandsBelow(path, all, isOwn);
    return {
      words: [path.slice(parent.length).trim(), ...aliases],
      summary,
      commands: unlessEmpty(commands),
      flags: unlessEmpty(command.flags.filter(isOwn).map(prepareFlag)),
      operands: unlessEmpty(command.arguments.map((each) => prepareOperand(each, parent))),
      platform,
      schema: operation !== undefined || commands.some(({ schema }) => schema) || undefined,
      reads: ownProperty(readers, path),
    };
  });
}

// What is undefined is not in the file.
const unlessEmpty = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(' ')));

function prepareFlag({ long, short, description: summary, ...flag }: FlagNode): Flag {
  const { placeholder: label, values: words, repeatable, id } = flag;
  const names = short === undefined ? [long] : [short, long];
  if (label === undefined) return { names, summary };
  const known = words === undefined ? (id ?? ownProperty(kinds, long)) : undefined;
  const files = (words === undefined && label.startsWith('file')) || undefined;
  const many = (repeatable && (words ?? known) !== undefined) || undefined;
  return { names, summary, value: { label, words, known, files, many } };
}

function prepareOperand(
  { name: label, values: words, valuesAfter: after, repeatable, id }: ArgumentNode,
  parent: string,
): Value {
  const known = id ?? ownProperty(kinds, `${parent} ${label}`) ?? ownProperty(kinds, label);
  const many = repeatable || undefined;
  return { label, words, known: words === undefined ? known : undefined, after, many };
}
