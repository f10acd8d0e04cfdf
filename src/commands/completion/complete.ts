// Where TAB can be pressed, and what is offered there: the common ground of the four scripts. Words are known when the
// script is written; for names of contexts and for ids the scripts ask the program (`candidates`).

import type { ArgumentNode, CommandNode, FlagNode, CommandTree } from '../../cli/command-tree.ts';
import { ownProperty } from '../../base/json.ts';

/** What completes a value. `nothing` is where only the service, or only the user, knows one. */
export type Wanted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'files' }
  /** `list`: several of the words, with commas between them. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly list: boolean }
  /** What this machine may know: what to ask the program for. */
  | { readonly kind: 'asked'; readonly what: string; readonly list: boolean };

/** What the program is asked for, by the name of the argument or the flag. */
const asked: Readonly<Record<string, string>> = {
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

export interface Offer {
  readonly word: string;
  readonly summary: string;
}

export interface Place {
  /** The command: its words without `social`; empty for the program itself. */
  readonly path: string;
  /** Other spellings of its last word. */
  readonly aliases: readonly string[];
  /** The commands below it, and other words of its first operand. */
  readonly offers: readonly Offer[];
  /** Its own flags; the global ones can be typed everywhere. */
  readonly flags: readonly FlagNode[];
  readonly operands: readonly ArgumentNode[];
}

/** A word typed at a place, after the place's own words, and the command that it leads to. */
export interface Step {
  readonly typed: string;
  readonly to: string;
}

/** The commands that take the words of a command, and which of the commands each of them is about. */
const about: Readonly<Record<string, (command: CommandNode) => boolean>> = {
  help: () => true,
  schema: ({ operation }) => operation !== undefined,
};

/** The tree with what can be typed after `help` and `schema`: the commands again, without flags and operands. */
export function withReaders(tree: CommandTree): CommandTree {
  const { commands } = tree;
  const again = Object.entries(about).flatMap(([reader, isOne]) => {
    const ones = commands.filter((command) => !command.group && isOne(command));
    const isShown = ({ path }: CommandNode) =>
      ones.some((one) => one.path === path || one.path.startsWith(`${path} `));
    return commands.filter(isShown).map((command) => ({
      ...command,
      path: `${reader} ${command.path}`,
      flags: [],
      arguments: [],
    }));
  });
  return { ...tree, commands: [...commands, ...again] };
}

/** The program itself, then each command. */
export function placesOf(tree: CommandTree): readonly Place[] {
  const top = offersBelow('', tree);
  const root: Place = { path: '', aliases: [], offers: top, flags: tree.flags, operands: [] };
  const rest = tree.commands.map((command): Place => {
    const { path, aliases, arguments: operands } = command;
    const [first] = operands;
    const flags = command.flags.filter((flag) => !isGlobal(flag, tree));
    const below = offersBelow(path, tree);
    const values = (first?.values ?? []).filter(
      (word) => !below.some((each) => each.word === word),
    );
    const offers = [...below, ...values.map((word) => ({ word, summary: '' }))];
    return { path, aliases, offers, flags, operands };
  });
  return [root, ...rest];
}

/** Every way from a command to one below it. */
export function stepsOf({ commands }: CommandTree): readonly Step[] {
  return commands.flatMap(({ path, aliases }): Step[] => {
    const before = path.includes(' ') ? path.slice(0, path.lastIndexOf(' ') + 1) : '';
    return [path, ...aliases.map((alias) => before + alias)].map((typed) => ({ typed, to: path }));
  });
}

/** What completes the value of a flag; `undefined` for a switch. */
export function wantedBy({ long, placeholder, values, repeatable }: FlagNode): Wanted | undefined {
  if (placeholder === undefined) return undefined;
  if (values !== undefined) return { kind: 'words', words: values, list: repeatable };
  const what = ownProperty(asked, long);
  if (what !== undefined) return { kind: 'asked', what, list: repeatable };
  return placeholder.startsWith('file') ? { kind: 'files' } : { kind: 'nothing' };
}

/** What the program is asked for at each operand of a place, empty where nothing; the last may be typed many times. */
export function asksOf({ path, operands }: Place): readonly string[] {
  const asks = operands.map(({ name }) =>
    name === 'name' && path.startsWith('context ') ? 'context' : (ownProperty(asked, name) ?? ''),
  );
  return asks.every((what) => what === '') ? [] : asks;
}

/** Whether the last operand of a place may be typed many times. */
export const takesMany = ({ operands }: Place): boolean => operands.at(-1)?.repeatable === true;

/** `['-o', '--output']` */
export const namesOf = ({ short, long }: FlagNode): readonly string[] =>
  short === undefined ? [long] : [short, long];

const isGlobal = ({ long }: FlagNode, { globalFlags }: CommandTree): boolean =>
  globalFlags.some((each) => each.long === long);

function offersBelow(path: string, { commands }: CommandTree): readonly Offer[] {
  const children = commands.filter(
    (each) => each.path.slice(0, Math.max(0, each.path.lastIndexOf(' '))) === path,
  );
  return children.flatMap(({ path: whole, aliases, summary }) =>
    [whole.slice(whole.lastIndexOf(' ') + 1), ...aliases].map((word) => ({ word, summary })),
  );
}
