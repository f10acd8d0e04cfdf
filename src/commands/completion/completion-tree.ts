// The command line as completion needs it: words, flags and what completes a value. The build keeps it as
// dist/completion.json, so that a TAB loads neither the commands nor the parser.

import type { CommandTree, FlagNode, CommandNode, ArgumentNode } from '../../cli/command-tree.ts';
import { ownProperty } from '../../base/json.ts';

export interface CompletionTree {
  /** The program itself. */
  readonly root: CompletionNode;
  /** The flags that can be typed everywhere. */
  readonly flags: readonly Flag[];
}

/** A command, or a group of them. */
export interface CompletionNode {
  /** Its last word, then other spellings of that. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly places?: readonly CompletionNode[];
  readonly flags?: readonly Flag[];
  readonly operands?: readonly Value[];
  /** Whether it, or a command below it, has a schema. */
  readonly schema?: boolean;
  /** Which commands can follow it as words to be read about, instead of its own. */
  readonly reads?: 'all' | 'schemas';
}

export interface Flag {
  /** `['-o', '--output']` */
  readonly names: readonly string[];
  readonly summary: string;
  /** What follows it; absent for a switch. */
  readonly value?: Value;
}

/** A value, and what completes it: nothing, where only the service or only the user knows one. */
export interface Value {
  /** What stands for it in help. */
  readonly label: string;
  readonly words?: readonly string[];
  /** What this machine may know: the kind of `candidates`. */
  readonly known?: string;
  readonly files?: boolean;
  /** Of a flag: several values, with commas between them. Of an operand: that it may be typed many times. */
  readonly many?: boolean;
}

/** The kind that is known on this machine, by the name of the argument or the flag. */
const kinds: Readonly<Record<string, string>> = {
  'audience-id': 'audience',
  'channel-id': 'channel',
  'conversation-id': 'conversation',
  'change-id': 'change',
  'credential-id': 'credential',
  'guild-id': 'guild',
  'message-id': 'message',
  'post-id': 'post',
  'status-id': 'status',
  'tag-id': 'tag',
  'webhook-id': 'webhook',
  '--account': 'account',
  '--board': 'board',
  '--context': 'context',
  '--parent-status-id': 'status',
  '--profile': 'profile',
  '--target': 'target',
};

/** The commands that take the words of a command. */
const readers: Readonly<Record<string, 'all' | 'schemas'>> = { help: 'all', schema: 'schemas' };

export function toCompletionTree(tree: CommandTree): CompletionTree {
  const global = new Set(tree.globalFlags.map(({ long }) => long));
  const isOwn = ({ long }: FlagNode) => !global.has(long);
  return {
    root: {
      words: [tree.name],
      summary: tree.summary,
      places: placesBelow('', tree.commands, isOwn),
      flags: tree.flags.map(prepareFlag),
    },
    flags: tree.globalFlags.map(prepareFlag),
  };
}

type Choice = (flag: FlagNode) => boolean;

function placesBelow(
  parent: string,
  all: readonly CommandNode[],
  isOwn: Choice,
): readonly CompletionNode[] {
  const children = all.filter(({ path }) => parentOf(path) === parent);
  return children.map((command): CompletionNode => {
    const { path, aliases, summary, operation } = command;
    const places = placesBelow(path, all, isOwn);
    const flags = command.flags.filter(isOwn).map(prepareFlag);
    const operands = command.arguments.map((argument) => prepareOperand(argument, parent));
    const reads = ownProperty(readers, path);
    return {
      words: [path.slice(parent.length).trim(), ...aliases],
      summary,
      ...(places.length === 0 ? {} : { places }),
      ...(flags.length === 0 ? {} : { flags }),
      ...(operands.length === 0 ? {} : { operands }),
      ...(operation === undefined && !places.some(({ schema }) => schema) ? {} : { schema: true }),
      ...(reads === undefined ? {} : { reads }),
    };
  });
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(' ')));

function prepareFlag({ long, short, description, ...flag }: FlagNode): Flag {
  const names = short === undefined ? [long] : [short, long];
  const { placeholder: label, values: words, repeatable } = flag;
  if (label === undefined) return { names, summary: description };
  const files = words === undefined && label.startsWith('file');
  const value = {
    label,
    ...completed(words, ownProperty(kinds, long)),
    ...(files ? { files } : {}),
  };
  const isList = repeatable && (value.words ?? value.known) !== undefined;
  return { names, summary: description, value: isList ? { ...value, many: true } : value };
}

function prepareOperand({ name, values, repeatable }: ArgumentNode, parent: string): Value {
  const known = name === 'name' && parent === 'context' ? 'context' : ownProperty(kinds, name);
  return { label: name, ...completed(values, known), ...(repeatable ? { many: true } : {}) };
}

const completed = (words: readonly string[] | undefined, known: string | undefined) => ({
  ...(words === undefined ? {} : { words }),
  ...(words !== undefined || known === undefined ? {} : { known }),
});
