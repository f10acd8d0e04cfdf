// Words and flags that `social` does not have: the nearest one it has, what the API lacks, and what replaces what was
// removed. A flag's value may be a secret, so only its name is ever shown.

import type { Command, CommanderError } from 'commander';
import { type Failure, type Fault, usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { IN_HISTORY, looksLikeSecret, quoteUnlessSecret } from '../base/secret-words.ts';
import { pathOf, typedWords } from './commander-options.ts';
import type { CommandTree } from './read-command-tree.ts';

/** Sorts a command's left-over words into operands and unknown flags. What follows `--` is never a flag. */
export function unknownFlags(
  command: Command,
  argv: readonly string[],
): { operands: readonly string[]; faults: readonly Fault[] } {
  const end = argv.indexOf('--');
  const after = end < 0 ? [] : argv.slice(end + 1);
  const isFlag = (word: string) => word.startsWith('-') && word.length > 1 && !after.includes(word);
  const strays = command.args.filter((word) => isFlag(word) && word !== '--');
  // What comes after an unknown flag may be its value, so it is not taken for an operand.
  const first = command.args.findIndex(isFlag);
  const operands = first < 0 ? command.args : command.args.slice(0, first);
  return { operands, faults: strays.map((stray) => unknownFlag(stray, command)) };
}

/** Flags that answer for the user or take something away: never suggested for a typing mistake. */
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

const WHOLE_LIST = 'give the whole list: --event or --header for each item';
const MAKE_SECRET = 'openssl rand -hex 32 > secret.txt, then --secret-file secret.txt';

/** Flags that a command, or no command, has any more, with what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  '--canary': 'only a change that can be waited for takes a canary',
  '--error-match':
    'choose with jq: social posts get <post-id> --json, then --from with the records',
  '--fail-fast': 'use --max-failures 1',
  '--for': 'a wait ends well when every target is published; social posts get shows other ends',
  '--force-unlock': 'the error about a lock names the file to delete, and when that is safe',
  '--journal': 'only a command that changes something takes a journal; a read can be repeated',
  '--note': 'only a command that changes something takes a note',
  '--report': 'use --json: one line for each record',
  '--retry-unknown': 'a read can be repeated: it has no unknown outcomes',
  '--strict': 'a response that does not match the API document is a warning on stderr',
  '--unknown-to':
    'use --journal: social history settle finds out what became of its unknown outcomes',
  '--wait': 'to wait for a post, use posts wait <post-id> or posts retry --wait',
  'social api --max-pages': 'pipe into head: the reading stops when its reader does',
  'social api --next':
    'pages are followed by Link rel=next and nextCursor; read others with --query',
  'social api --rate': 'one page is read at a time, and a 429 is waited for',
  'social commands --all': 'commands --json has every command, social schema <command> its values',
  'social doctor --network': 'doctor asks the service, unless --offline',
  'social doctor --report': 'paste the output of social doctor --json',
  'social schema --openapi':
    'the service has an API document; social schema <command> has input and result',
  'social webhooks update --add-event': WHOLE_LIST,
  'social webhooks update --remove-event': WHOLE_LIST,
  'social webhooks update --add-header': WHOLE_LIST,
  'social webhooks update --remove-header': WHOLE_LIST,
  'social webhooks update --generate-secret': MAKE_SECRET,
  'social webhooks create --generate-secret': MAKE_SECRET,
};

/** The fault of a flag that a command does not have, typed with or without a value. */
function unknownFlag(stray: string, command: Command): Fault {
  const [name = ''] = stray.split('=');
  const { options } = command;
  if (name === '--token' || name === '--secret') {
    const readers = ['--secret-file', '--secret-env'];
    const takesSecret = options.some(({ long }) => readers.includes(long!));
    const secret = takesSecret ? `use ${readers.join(' or ')}` : undefined;
    return {
      field: name,
      problem: 'does not exist: secrets are not accepted on the command line',
      fix: name === '--token' ? 'set SOCIAL_TOKEN' : secret,
    };
  }
  if (options.some(({ long }) => long === name))
    return { field: name, problem: 'takes no value', fix: `write ${name} alone` };
  const isLong = name.startsWith('--');
  const takesIds = !isLong && command.registeredArguments.length > 0;
  const fix =
    ownProperty(INSTEAD, `${pathOf(command)} ${name}`) ??
    ownProperty(INSTEAD, name) ??
    (takesIds ? 'put -- before an ID that starts with -' : undefined);
  const choices = options.flatMap(({ long, negate }) =>
    long == null || negate || NEVER_SUGGESTED.includes(long) ? [] : [long],
  );
  const among =
    isLong && fix === undefined
      ? { typed: name, choices: [...choices, '--help'], unsaid: NEVER_SUGGESTED }
      : undefined;
  return { field: 'unknown flag', problem: quote(name), fix, among };
}

/** A complaint of the parser: a flag whose value is missing. Its own words are less any value that was typed. */
export function parserFailure(
  { message }: CommanderError,
  argv: readonly string[],
  { commands }: CommandTree,
): Failure {
  const line = ` ${argv.join(' ')} `;
  const named = commands.filter(({ path }) => line.includes(` ${path} `));
  const [path = ''] = named.map((each) => each.path).toSorted((a, b) => b.length - a.length);
  const [, flag, value] =
    /option '(?:-\w, )?(--[\w-]+) (<[^>]+>)' argument missing/.exec(message) ?? [];
  const fault =
    flag === undefined
      ? { field: 'the command line', problem: `is invalid: ${message.replace(/^error: /, '')}` }
      : { field: flag, problem: 'needs a value', fix: `write ${flag} ${value}` };
  return usageFailure(fault, `social ${path} --help`.replace('  ', ' '));
}

/** The failure for the words that follow a group, the first of which is none of its commands or flags. */
export async function unknownCommand(group: Command, { commands }: CommandTree): Promise<Failure> {
  const [word = ''] = typedWords(group);
  const path = pathOf(group);
  const help = `${path} --help`;
  if (word.startsWith('-')) return usageFailure(unknownFlag(word, group), help);
  const problem = `is not a command of ${path}`;
  const typed = `${path} ${word}`.replace('social ', '');
  const instead = ownProperty(absent, typed);
  if (instead !== undefined)
    return usageFailure({ field: quote(word), problem, fix: instead.fix }, instead.next ?? help);
  const near = await nearCommands(group, typed, commands);
  if (near.length > 0) {
    const [first = ''] = near;
    const fix = `did you mean ${near.length > 1 ? 'one of: ' : ''}${near.join(', ')}?`;
    const next = near.length > 1 ? help : `${first} --help`;
    return usageFailure({ field: quote(word), problem, fix }, next);
  }
  const isSecret = looksLikeSecret(word);
  // The commands of the program itself are for its help to list.
  const list = group.parent && `commands: ${group.commands.map((each) => each.name()).join(', ')}`;
  const fix = isSecret ? IN_HISTORY : (list ?? undefined);
  return usageFailure({ field: quoteUnlessSecret(word), problem, fix }, help);
}

/**
 * The commands that an unknown one may have meant: those that end with the words that were typed, unless they take
 * something away, else the nearest of its group.
 */
async function nearCommands(
  group: Command,
  typed: string,
  commands: CommandTree['commands'],
): Promise<readonly string[]> {
  const elsewhere = commands.filter(({ path }) => path.endsWith(` ${typed}`));
  const operations = elsewhere.filter(({ operation }) => operation !== undefined);
  const found = operations.length > 0 ? operations : elsewhere;
  if (found.length > 0)
    return found
      .filter(({ effect }) => effect !== 'takes away')
      .map(({ path }) => `social ${path}`);
  const { closestWord } = await import('../base/closest.ts');
  const names = group.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const near = closestWord(typed.split(' ').at(-1)!, names);
  if (near === undefined) return [];
  const path = `${pathOf(group)} ${near}`;
  // A group is no line that runs; the one command that it holds is.
  const held = commands.filter(({ path: each }) => `social ${each}`.startsWith(`${path} `));
  return [held.length === 1 ? `social ${held[0]!.path}` : path];
}

interface Instead {
  readonly fix: string;
  readonly next?: string;
}

const LIST = 'social history list';
const POST_IDS = `post IDs come from the service, a webhook delivery or an export; IDs used here: ${LIST}`;
const ACCOUNT_IDS = 'account IDs are in the targets of a post: social posts get <post-id> --json';

/** Commands that do not exist: operations that the API does not have, and what was removed. */
const absent: Readonly<Record<string, Instead>> = {
  'posts list': { fix: `the API cannot list posts; ${POST_IDS}`, next: LIST },
  'posts create': { fix: 'the API cannot create posts; create them in the service' },
  'posts update': { fix: 'the API cannot change posts; change them in the service' },
  'posts delete': { fix: 'the API cannot delete posts; delete them in the service' },
  'webhooks list': {
    fix: `the API cannot list webhooks; IDs of those created here: ${LIST}`,
    next: LIST,
  },
  'webhooks get': { fix: 'the API cannot show a webhook' },
  'webhooks delete': {
    fix: 'the API cannot delete a webhook; webhooks update <webhook-id> --inactive deactivates it',
    next: 'social webhooks update --help',
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
  'config get': { fix: 'config list shows every value', next: 'social config list' },
  'config unset': {
    fix: 'config set <setting> "" clears a value',
    next: 'social config set --help',
  },
  'config path': {
    fix: 'doctor shows the path of the settings file',
    next: 'social doctor --offline',
  },
  'context rename': {
    fix: 'create it under the new name with context set and auth login, then delete the old one',
    next: 'social context set --help',
  },
};
