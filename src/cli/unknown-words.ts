// Unknown words and flags: suggests the nearest one, and explains what the API cannot do. A flag's value may be a secret,
// so only its name is shown.

import { resolvePath } from '../api/operations/fields.ts';
import { RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { type Failure, usageFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { ownProperty } from '../base/json.ts';
import { IN_HISTORY, looksLikeSecret, quoteUnlessSecret, sanitizeLine } from '../base/sanitize.ts';
import { type CommandLine, shellLine } from '../base/shell.ts';
import { closestWord, correctedLine } from '../base/suggestions.ts';
import { globalFlags, longName, type FlagSpec } from '../config/flags.ts';
import { type CommandSpec, type Operand, pathOf, valuesOf } from './command-spec.ts';
import type { CommandTree, FlagNode } from './command-tree.ts';
import { topics } from './help-topics.ts';

/** Unknown words below a group; the program says what was probably meant. */
export class UnknownCommand extends Error {
  readonly group: readonly string[];
  readonly words: readonly string[];

  constructor(group: readonly string[], words: readonly string[]) {
    super(`unknown command of social ${group.join(' ')}`);
    this.group = group;
    this.words = words;
  }
}

/** Makes the faults of the words that a command does not accept: unknown flags, and more words than its operands. */
export function unknownWords(
  spec: CommandSpec,
  operands: readonly string[],
  strays: readonly string[],
  isTyped: (flag: FlagSpec) => boolean,
): readonly Fault[] {
  const unknown = strays.map((stray) => unknownFlag(stray, pathOf(spec), spec));
  const { operands: accepted = [], flags = [], extraWordsAreSecret: areSecret = false } = spec;
  const limit = accepted.some(({ many }) => many === true) ? Infinity : accepted.length;
  const extra = operands.slice(limit);
  if (extra.length === 0) return unknown;
  const count = `${limit === 0 ? 'no' : limit} ${limit === 1 ? 'argument' : 'arguments'}`;
  // If one of them may be a secret, none is shown.
  const list = areSecret ? '' : `: unexpected ${extra.map(quoteUnlessSecret).join(', ')}`;
  const problem = `accepts ${count}, got ${operands.length}${list}`;
  // Other tools limit a list with -n, which is --dry-run here.
  const meansLimit =
    extra.every(isCount) && flags.some((flag) => longName(flag.flags) === '--limit');
  const isUrl = /^https?:|:\d/.test(extra[0] ?? '');
  // One word too many is probably the value of the one required flag that is missing.
  const missing = flags.filter(
    (flag) =>
      flag.required === true &&
      flag.secret !== true &&
      !(isUrl ? /<(?:file|json|object)>/ : /<(?:url|json|object)>/).test(flag.flags) &&
      valuesOf(flag)?.includes(extra[0] ?? '') !== false &&
      !isGlobal(flag) &&
      !isTyped(flag),
  );
  const meant =
    extra.length === 1 && missing.length === 1
      ? `did you mean ${longName(missing[0]!.flags)} ${shellLine([extra[0]!]) ?? '<value>'}?`
      : undefined;
  const advice = meansLimit ? `for a limit use --limit ${extra[0]}` : meant;
  const fix = areSecret || extra.some(looksLikeSecret) ? IN_HISTORY : advice;
  return [...unknown, { field: `social ${pathOf(spec)}`, problem, fix }];
}

/** Finds the words that other tools take after a switch: fields after `--json`, a jq expression after `-q`. */
export const valuesOfSwitches = ({ operation }: CommandSpec, argv: readonly string[]) =>
  argv.flatMap((word, i) => {
    const flag = argv[i - 1] ?? '';
    const names = word.split(',').filter((name) => operation && resolvePath(operation, name));
    const isAll = names.join(',') === word;
    const isList = names.length > 0 || (!operation && /^\w+(?:[.,]\w+)*,\w+$/.test(word));
    const isFilter = flag === '-q' && word.startsWith('.');
    if (!isFilter && (flag !== '--json' || !isList)) return [];
    const among = isFilter
      ? { typed: flag, meant: '--jq' }
      : { typed: word, meant: isAll ? `--fields ${word}` : undefined };
    return [{ word, fault: { ...noValue(flag, 'for fields use --fields'), among } }];
  });

const noValue = (field: string, fix?: string): Fault => ({ field, problem: 'takes no value', fix });

const isGlobal = ({ flags: names }: FlagSpec) =>
  globalFlags.some((flag) => longName(flag.flags) === longName(names));

const isCount = (word: string): boolean => /^\d+$/.test(word);

/** Flags that confirm or delete something, or lower a protection: never suggested for a typing mistake. */
const NEVER_SUGGESTED: readonly string[] = [
  '--yes',
  '--confirm',
  '--retry-unknown',
  '--insecure-storage',
  '--allow-writes',
  '--clear-secret',
  '--clear-headers',
  '--no-protected',
  '--no-check',
];

/** Flags that only other commands or other tools have, with the rule. */
const INSTEAD_OF_FLAG: Readonly<Record<string, string>> = {
  '-v': '-V prints the version, --debug shows the HTTP requests',
  '--verbose': '--debug shows the HTTP requests',
  '--canary': 'only a change that can be waited for takes a canary',
  '--journal': 'only a command that changes something takes a journal; a read can be repeated',
  '--note': 'only a command that changes something takes a note',
  '--retry-unknown': 'a read can be repeated: it has no unknown outcomes',
  '--wait': 'to wait for a post, use posts wait <post-id> or posts retry --wait',
  '--watch': 'to wait for a post, use posts wait <post-id>',
  '-w': 'to wait for a post, use posts wait <post-id>',
  '--install': 'it is a word: completion install, skill install',
  '--web': 'posts open <post-id> opens it in the browser',
  '-f': '--from <file> reads a list',
  '--filename': '--from <file> reads a list',
  '--all': '--from <file> names many posts; posts retry without --target retries all of one',
  '--force': '--yes answers the confirmation question',
  '--no-headers': 'in a pipe, and with -o tsv, a table has no header',
  '--limit': 'only history list has it; --jq selects a part of a result',
  '--template': 'use --jq',
  '--paginate': 'api sends one request; ask for each page with --query',
};

/** Makes the fault of an unknown flag of a command or a group, typed with or without a value. */
function unknownFlag(
  stray: string,
  path: string,
  { flags = [], operands = [] }: Pick<CommandSpec, 'flags' | 'operands'>,
): Fault {
  const [name = ''] = stray.split('=');
  const longNames = [...flags, ...globalFlags].map((flag: FlagSpec) => longName(flag.flags));
  if (/^--(?:token|secret|api[-_]key|password)$/.test(name)) {
    const problem = 'does not exist: secrets are not accepted on the command line';
    const inFile = longNames.includes('--secret-file')
      ? 'use --secret-file or --secret-env'
      : undefined;
    return { field: name, problem, fix: name === '--secret' ? inFile : 'set SOCIAL_TOKEN' };
  }
  // The parser knows this flag, and rejects only `--flag=value`.
  if (longNames.includes(name)) return noValue(name, `write ${name} alone`);
  const field = sanitizeLine(name);
  const fault = { field, problem: `is an unknown flag of ${['social', path].join(' ').trim()}` };
  const instead = ownProperty(INSTEAD_OF_FLAG, name);
  // A flag that this command does not have either is no help.
  const [flag = ''] = instead?.match(/^--[a-z-]+/) ?? [];
  if (instead !== undefined && (flag === '' || longNames.includes(flag)))
    return { ...fault, fix: instead };
  if (!name.startsWith('--'))
    // A letter alone is a flag of another tool, not an ID.
    return operands.length === 0 || /^-[a-z]$/i.test(name)
      ? fault
      : { ...fault, fix: `put -- before ${thingOf(operands)} that starts with -` };
  const choices = [...longNames, '--help', ...(path === '' ? ['--version'] : [])];
  return { ...fault, among: { typed: name, choices, neverSuggested: NEVER_SUGGESTED } };
}

/** Names the words that a command takes: the name of a setting or a context is not an ID. */
const thingOf = (operands: readonly Operand[]): string =>
  operands.every(({ id }) => id === undefined || id === 'context') ? 'a value' : 'an ID';

/** Makes the failure for a flag without its value, or for another error of the parser, which quotes no typed value. */
export function parserFailure(path: readonly string[], message: string): Failure {
  const [, flag, value] =
    /option '(?:-\w, )?(--[\w-]+) (<[^>]+>)' argument missing/.exec(message) ?? [];
  const fault =
    flag === undefined
      ? { field: 'the command line', problem: `is invalid: ${message.replace(/^error: /, '')}` }
      : { field: flag, problem: 'needs a value', fix: `write ${flag} ${value}` };
  return usageFailure(fault, ['social', ...path, '--help']);
}

/** Makes the failure for an unknown word after a group, in the line `argv`. */
export function unknownCommand(
  unknown: UnknownCommand,
  argv: readonly string[],
  { commands }: CommandTree,
): Failure {
  const [word = '', ...after] = unknown.words;
  const path = ['social', ...unknown.group].join(' ');
  // Other tools have the verb first: `get post <id>`.
  const named =
    unknown.group.length === 0 ? groupOfNoun(word, after[0] ?? '', commands) : undefined;
  const group = named === undefined ? unknown.group : [named];
  const [noun, more] = named === undefined ? [undefined, after] : [after[0], after.slice(1)];
  const help = ['social', ...group, '--help'];
  if (word.startsWith('-')) return usageFailure(unknownFlag(word, group.join(' '), {}), help);
  const before = group.map((name) => `${name} `).join('');
  const typed = before + word;
  // The names of the commands in the group, each with its aliases.
  const inside = commands
    .filter(({ path: other }) => other.startsWith(before))
    .map(({ path: other, aliases }) => [other.slice(before.length), ...aliases])
    .filter(([name = '']) => !name.includes(' '));
  const instead =
    ownProperty(INSTEAD_OF_COMMAND, typed) ??
    ownProperty(INSTEAD_OF_COMMAND, before + (sameHere(word) ?? word)) ??
    ownProperty(INSTEAD_OF_COMMAND, word);
  const takesAway = (line: string) =>
    commands.some(
      ({ path: other, effect }) => `social ${other}` === line && effect === 'takes away',
    );
  const found = instead === undefined ? nearCommands(typed, before, inside.flat(), commands) : [];
  const near = found.filter((line) => noun === undefined || !takesAway(line));
  const followed = near.map((one) => below(one, more, commands));
  const meant =
    near.length === 0
      ? undefined
      : `did you mean ${near.length > 1 ? 'one of: ' : ''}${followed.join(', ')}?`;
  // The help of the program lists its commands.
  const list =
    group.length === 0 ? undefined : `commands: ${inside.map(([name]) => name).join(', ')}`;
  const hidden = looksLikeSecret(word) ? IN_HISTORY : undefined;
  const fix = instead ?? meant ?? ([list, hidden].filter(Boolean).join('\n') || undefined);
  const fault = { field: quoteUnlessSecret(word), problem: `is not a command of ${path}`, fix };
  if (near.length !== 1) return usageFailure(fault, help);
  const page = Object.hasOwn(topics, word) ? [] : ['--help'];
  const line = lineMeant(unknown, noun, argv, near[0]!, followed[0]!, commands);
  return usageFailure(fault, line ?? [...followed[0]!.split(' '), ...page]);
}

/** Returns the group that a noun after a verb names, in the singular or the plural; not if the verb alone is a command. */
function groupOfNoun(word: string, noun: string, commands: CommandTree['commands']) {
  if (commands.some(({ path }) => path === (sameHere(word) ?? word))) return undefined;
  const names = [noun, `${noun}s`, noun.replace(/s$/, '')];
  return commands.find(({ group, path }) => group && names.includes(path))?.path;
}

/**
 * Corrects a line whose unknown word means the words of `near`, so that it runs the command `followed`. Returns
 * `undefined` if the command is a group or destructive, lacks an argument, or has one too many.
 */
function lineMeant(
  { group, words: [word = '', ...more] }: UnknownCommand,
  noun: string | undefined,
  argv: readonly string[],
  near: string,
  followed: string,
  commands: CommandTree['commands'],
): CommandLine | undefined {
  const command = commands.find(({ path }) => `social ${path}` === followed);
  if (command === undefined || command.group || command.effect === 'takes away') return undefined;
  const meant = near.split(' ');
  const rest = more.slice((noun === undefined ? 0 : 1) + followed.split(' ').length - meant.length);
  const [first = ''] = rest;
  // A word after a command without arguments may be a token.
  if (command.arguments.length === 0 && !first.startsWith('-') && first !== '') return undefined;
  if (first === '' && command.arguments.some(({ required }) => required)) return undefined;
  const isMissing = ({ required, long }: FlagNode) =>
    required && long !== '--account' && !argv.some((typed) => typed.startsWith(long));
  if (command.flags.some(isMissing)) return undefined;
  // `get channels` names no post.
  const isFar = noun === undefined && meant.length > 2 + group.length;
  const isPost = first.startsWith('-') || RESOURCE_ID.test(first);
  if (isFar && command.arguments[0]?.id === 'post' && !isPost) return undefined;
  // It may be a command of another group.
  const kept = near.startsWith(['social', ...group, ''].join(' ')) ? group.length : 0;
  const dropped = [...group.slice(kept), ...[noun ?? []].flat()];
  const line = argv.filter((typed) => !dropped.includes(typed));
  if (line.length + dropped.length !== argv.length) return undefined;
  return correctedLine(line, [word, ...meant.slice(1 + kept)]);
}

/** The words, or the commands, that mean the same as those of other tools. */
const SAME_HERE: Readonly<Record<string, readonly string[]>> = {
  get: ['view', 'show', 'describe', 'retrieve'],
  wait: ['watch'],
  status: ['whoami'],
  list: ['ls', 'lst'],
  delete: ['rm'],
  retry: ['rerun', 'resend'],
  serve: ['start'],
  favourite: ['like'],
  use: ['switch'],
  schema: ['explain'],
  'history list': ['logs', 'audit'],
  'context list': ['get-contexts', 'auth list'],
  'context use': ['use-context', 'auth use'],
  'context show': ['context get'],
  'context current': ['current-context'],
  'webhooks replay': ['webhooks retry'],
};

const sameHere = (word: string): string | undefined =>
  Object.keys(SAME_HERE).find((name) => SAME_HERE[name]!.includes(word));

/**
 * Finds the commands that an unknown one may have meant: those that end with the typed words, unless they are
 * destructive, else the one of its group that has the nearest word or one that means the same; last a help topic.
 */
function nearCommands(
  typed: string,
  before: string,
  names: readonly string[],
  commands: CommandTree['commands'],
): readonly string[] {
  const word = typed.slice(before.length);
  const alone = sameHere(word);
  const same = sameHere(before + (alone ?? word)) ?? alone;
  const isCommand = same?.includes(' ') === true;
  const tail = before === '' || isCommand ? (same ?? word) : typed;
  const elsewhere = commands.filter(
    ({ path }) => path.endsWith(` ${tail}`) || (isCommand && path === same),
  );
  if (elsewhere.length > 0)
    return elsewhere
      .filter(({ effect }) => effect !== 'takes away')
      .map(({ path }) => `social ${path}`);
  const near = same !== undefined && names.includes(same) ? same : closestWord(word, names);
  if (near !== undefined) return [`social ${before}${near}`];
  return before === '' && Object.hasOwn(topics, word) ? [`social help ${word}`] : [];
}

/** Follows the words after a mistyped group: `post get` means `posts get`. A destructive command is not suggested. */
function below(near: string, more: readonly string[], commands: CommandTree['commands']): string {
  const [next = ''] = more;
  const path = `${near} ${next}`;
  const found = commands.find((one) => `social ${one.path}` === path);
  return found === undefined || found.effect === 'takes away'
    ? near
    : below(path, more.slice(1), commands);
}

const POST_IDS =
  'post IDs come from the service, a webhook delivery or an export; IDs used here: social history list';
const ACCOUNT_IDS = 'account IDs are in the targets of a post: social posts get <post-id> --json';

/** Commands that do not exist, mostly because the API has no such operation, with what to do instead. */
const INSTEAD_OF_COMMAND: Readonly<Record<string, string>> = {
  'posts list': `the API cannot list posts; ${POST_IDS}`,
  'posts create': 'the API cannot create posts; create them in the service',
  'posts update': 'the API cannot change posts; change them in the service',
  'posts delete': 'the API cannot delete posts; delete them in the service',
  'webhooks list': 'the API cannot list webhooks; IDs of those created here: social history list',
  'webhooks get': 'the API cannot show a webhook',
  'webhooks delete':
    'the API cannot delete a webhook; webhooks update <webhook-id> --inactive deactivates it',
  'accounts list': `the API cannot list accounts; ${ACCOUNT_IDS}`,
  'accounts get': `the API cannot show an account; ${ACCOUNT_IDS}`,
  'credentials list': 'the API cannot list credentials',
  'credentials enable': 'the API cannot enable a credential; enable it in the service',
  'discord pins list': 'the API cannot list pinned messages',
  'discord pins remove': 'the API cannot unpin a message; unpin it in Discord',
  'ads audiences list': 'the API cannot list audiences',
  'config get': 'config list shows every value',
  'config unset': 'config set <setting> "" clears a value',
  'config path': 'doctor shows the path of the settings file',
  'context rename': 'create it under the new name with context set and auth login',
  version: 'the version: social --version',
  name: 'keep an ID in a shell variable: post=<post-id>; social posts get $post',
  logout: 'did you mean auth logout?',
  unpin: 'the API cannot unpin a message; unpin it in Discord',
  trigger: 'send a delivery of your own: curl -d \'{"event":…}\' <url>',
};
