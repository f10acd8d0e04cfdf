// A word that is no command: the failure that names the command which was probably meant. Verbs that the API lacks and
// commands that were removed are known here. Loaded only for this failure.

import type { Command, CommanderError } from 'commander';
import { closestWord } from '../base/closest.ts';
import { type Failure, usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { IN_HISTORY, looksLikeSecret, quoteUnlessSecret } from '../base/secret-words.ts';
import { shellQuote } from '../base/shell.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { urlWithoutUserInfo } from '../base/url.ts';
import type { CommandNode, CommandTree } from './read-command-tree.ts';
import { isHelpFlag, pathOf, typedWords } from './commander-options.ts';
import { unknownFlag } from './unknown-flags.ts';

/** The failure for the words that follow a group, the first of which is none of its commands or flags. */
export async function unknownCommand(
  group: Command,
  argv: readonly string[],
  tree: CommandTree,
): Promise<Failure> {
  const [word = '', ...rest] = typedWords(group);
  const path = pathOf(group);
  if (word.startsWith('-'))
    return usageFailure(await withSuggestions([unknownFlag(word, group)]), `${path} --help`);
  const [, ...words] = path.split(' ');
  const meant = meantCommand(tree, [...words, word, ...operandsOf(rest)], words.length);
  const secret = meant === undefined && looksLikeSecret(word);
  const names = group.commands.map((command) => command.name());
  // The commands of the program itself are for its help to list.
  const choices = group.parent === null ? {} : { fix: `commands: ${names.join(', ')}` };
  const fix = secret ? { fix: IN_HISTORY } : meant === undefined ? choices : { fix: meant.fix };
  const fault = {
    field: secret ? quoteUnlessSecret(word) : quote(word),
    problem: `is not a command of ${path}`,
    ...fix,
  };
  return usageFailure(fault, nextLine(path, meant, { argv, word, group: words }, tree));
}

/** A complaint of the parser: a flag whose value is missing. Its own words are less any value that was typed. */
export function parserFailure(
  { message }: CommanderError,
  argv: readonly string[],
  tree: CommandTree,
): Failure {
  const next = `${['social', ...commandWords(argv, tree)].join(' ')} --help`;
  const [, flag, value] =
    /option '(?:-\w, )?(--[\w-]+) (<[^>]+>)' argument missing/.exec(message) ?? [];
  const fault =
    flag === undefined
      ? { field: 'the command line', problem: `is invalid: ${message.replace(/^error: /, '')}` }
      : { field: flag, problem: 'needs a value', fix: `write ${flag} ${value}` };
  return usageFailure(fault, next);
}

function commandWords(argv: readonly string[], tree: CommandTree): readonly string[] {
  const words = wordPlaces(argv, tree).map((at) => argv[at]!);
  const paths = words.map((_word, i) => words.slice(0, i + 1));
  const isKnown = (path: readonly string[]) =>
    tree.commands.some((each) => `${each.path} `.startsWith(`${path.join(' ')} `));
  return paths.findLast(isKnown) ?? [];
}

/** The words before the first flag: only the right command knows which of its flags take a value. */
function operandsOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith('-'));
  return end < 0 ? words : words.slice(0, end);
}

interface TypedLine {
  readonly argv: readonly string[];
  /** The unknown word, and the words of its group. */
  readonly word: string;
  readonly group: readonly string[];
}

/**
 * The line that was meant, with all that was typed: without a flag it could do something else. The help of the
 * command, where a word may be secret or a flag is unknown to it.
 */
function nextLine(
  path: string,
  meant: MeantCommand | undefined,
  { argv, word, group }: TypedLine,
  tree: CommandTree,
): string {
  if (meant?.words === undefined) return `${path} --help`;
  const { words, takesRest, onlyHelp } = meant;
  if (onlyHelp === true) return ['social', ...words, '--help'].join(' ');
  if (takesRest !== true) return ['social', ...words].join(' ');
  const places = wordPlaces(argv, tree);
  const at = places[group.length] ?? argv.indexOf(word);
  const first = argv.slice(0, at).filter((_word, i) => !places.includes(i));
  const before = first.filter((each) => !isHelpFlag(each));
  // A flag for help asks about the words before it.
  const after = [...argv.slice(at + 1), ...first.filter(isHelpFlag)];
  const isKnown = areKnown([...before, ...after], [...words, ...operandsOf(after)], tree);
  return isKnown
    ? ['social', ...before.map(shellQuote), ...words, ...after.map(shellQuote)].join(' ')
    : ['social', ...words, '--help'].join(' ');
}

/** Where the words of a line are that are neither a flag nor the value of one. */
function wordPlaces(argv: readonly string[], { globalFlags }: CommandTree): readonly number[] {
  const valued = globalFlags.filter(({ placeholder }) => placeholder !== undefined);
  const names = valued.flatMap(({ long, short = long }) => [long, short]);
  return argv.flatMap((word, i) =>
    word.startsWith('-') || names.includes(argv[i - 1] ?? '') ? [] : [i],
  );
}

/** Whether the command that these words begin with knows all flags of a line, and no word of it may be secret. */
function areKnown(
  line: readonly string[],
  words: readonly string[],
  { commands, globalFlags }: CommandTree,
): boolean {
  const paths = words.map((_word, i) => words.slice(0, i + 1).join(' '));
  const node = commands.findLast(({ path }) => paths.includes(path));
  const flags = [...(node?.flags ?? []), ...globalFlags, HELP];
  const named = (word = '') =>
    flags.find(({ long, short }) => [long, short].includes(word.split('=')[0]));
  return line.every((word, i) => {
    const text = word.replace(/^--[\w-]+=/, '');
    if (looksLikeSecret(text) || urlWithoutUserInfo(text) !== text) return false;
    const isValue = named(line[i - 1])?.placeholder !== undefined;
    if (!word.startsWith('-')) return isValue || words[0] !== 'auth';
    const flag = named(word);
    const hasValue = word.includes('=') || line[i + 1] !== undefined;
    return flag !== undefined && (flag.placeholder === undefined || hasValue);
  });
}

const HELP = { long: '--help', short: '-h', placeholder: undefined };

/** What to say of an unknown word, and the words of the command to run instead. */
interface MeantCommand {
  readonly fix: string;
  /** Words after `social`; nothing where no single command does the same. */
  readonly words?: readonly string[];
  /** Whether the operands that were typed after the unknown word follow them. */
  readonly takesRest?: boolean;
  /** Whether the line to type next is its help. */
  readonly onlyHelp?: boolean;
}

const POST_IDS =
  'post IDs come from the service, a webhook delivery or an export; IDs used here: social history list';
const ACCOUNT_IDS = 'account IDs are in the targets of a post: social posts get <post-id> --json';

/** Commands that do not exist: operations that the API does not have, and what was removed. With what to do instead. */
const absent: Readonly<Record<string, MeantCommand>> = {
  'posts list': { fix: `the API cannot list posts; ${POST_IDS}`, words: ['history', 'list'] },
  'posts create': { fix: 'the API cannot create posts; create them in the service' },
  'posts update': { fix: 'the API cannot change posts; change them in the service' },
  'posts delete': { fix: 'the API cannot delete posts; delete them in the service' },
  'webhooks list': {
    fix: 'the API cannot list webhooks; IDs of those created here: social history list',
    words: ['history', 'list'],
  },
  'webhooks get': { fix: 'the API cannot show a webhook' },
  'webhooks delete': {
    fix: 'the API cannot delete a webhook; webhooks update <webhook-id> --inactive deactivates it',
    words: ['webhooks', 'update'],
    onlyHelp: true,
  },
  'accounts list': { fix: `the API cannot list accounts; ${ACCOUNT_IDS}` },
  'accounts get': { fix: `the API cannot show an account; ${ACCOUNT_IDS}` },
  'credentials list': { fix: 'the API cannot list credentials' },
  'credentials enable': { fix: 'the API cannot enable a credential; enable it in the service' },
  'discord pins list': { fix: 'the API cannot list pinned messages' },
  'discord pins remove': { fix: 'the API cannot unpin a message; unpin it in Discord' },
  'ads audiences list': { fix: 'the API cannot list audiences' },
  name: { fix: 'keep an ID in a shell variable: post=<post-id>; social posts get $post' },
  'sandbox trigger': { fix: 'send a delivery of your own: curl -d \'{"event":…}\' <url>' },
  'config get': { fix: 'config list shows every value', words: ['config', 'list'] },
  'config unset': {
    fix: 'config set <setting> "" clears a value',
    words: ['config', 'set'],
    onlyHelp: true,
  },
  'config path': {
    fix: 'doctor shows the path of the settings file',
    words: ['doctor', '--offline'],
  },
  'context rename': {
    fix: 'create it under the new name with context set and auth login, then delete the old one',
    words: ['context', 'set'],
    onlyHelp: true,
  },
};

/**
 * The command that an unknown word probably meant; `undefined` when nothing is near. `typed` has the words of the
 * group, the unknown word at `at`, and the operands after it. Within a group only its own commands are suggested, and
 * a command whose last words are all that was typed: never one of another area that happens to have the same verb.
 */
function meantCommand(
  { commands }: CommandTree,
  typed: readonly string[],
  at: number,
): MeantCommand | undefined {
  const group = typed.slice(0, at);
  const word = typed[at]!;
  const missing = ownProperty(absent, [...group, word].join(' '));
  if (missing !== undefined) return missing;
  const elsewhere = endingWith(commands, typed.slice(0, at + 1));
  if (elsewhere !== undefined) {
    const onlyHelp = elsewhere.some(({ effect }) => effect === 'takes away');
    return { ...meaning(elsewhere.map(({ path }) => path.split(' '))), onlyHelp };
  }
  const siblings = commands.flatMap(({ path, aliases }) => {
    const words = path.split(' ');
    const isSibling = words.length === at + 1 && group.every((each, i) => words[i] === each);
    return isSibling ? [words[at]!, ...aliases] : [];
  });
  const near = closestWord(word, siblings);
  return near === undefined ? undefined : meaning([[...group, near]]);
}

/** The commands whose last words are these. An operation goes before a local command of the same name. */
function endingWith(
  commands: CommandTree['commands'],
  words: readonly string[],
): readonly CommandNode[] | undefined {
  const found = commands.filter(({ path }) => path.endsWith(` ${words.join(' ')}`));
  const operations = found.filter(({ operation }) => operation !== undefined);
  const best = operations.length > 0 ? operations : found;
  return best.length === 0 ? undefined : best;
}

function meaning(paths: readonly (readonly string[])[]): MeantCommand {
  const names = paths.map((path) => `social ${path.join(' ')}`);
  const [only] = paths;
  if (paths.length > 1) return { fix: `did you mean one of: ${names.join(', ')}?` };
  return { fix: `did you mean ${names[0]!}?`, words: only!, takesRest: true };
}
