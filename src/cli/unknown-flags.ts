// Flags that a command does not have. A flag's value may be a secret, so only its name is ever shown.

import type { Command } from 'commander';
import type { Fault } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { pathOf, rootOf } from './commander-options.ts';

/** Sorts a command's left-over words into operands and unknown flags. What follows `--` is never a flag. */
export function unknownFlags(
  command: Command,
  argv: readonly string[],
): { operands: readonly string[]; faults: readonly Fault[] } {
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  const after = end < 0 ? [] : argv.slice(end + 1);
  const isFlag = (word: string) => word.startsWith('-') && word.length > 1 && !after.includes(word);
  const strays = command.args.filter((word) => isFlag(word) && word !== '--');
  // What comes after an unknown flag may be its value, so it is not taken for an operand.
  const first = command.args.findIndex(isFlag);
  const words = first < 0 ? command.args : command.args.slice(0, first);
  const isPath = (word: string) =>
    FIELD_PATHS.test(word) && before[before.indexOf(word) - 1] === '--json';
  const paths = words.filter(isPath);
  const faults = paths.map((word) => switchFault('--json', word));
  const operands = words.filter((word) => !paths.includes(word));
  const unknown = strays.map((stray) => unknownFlag(stray, command));
  return { operands, faults: [...faults, ...unknown] };
}

/** `status,targets.id`, which --fields takes and no operand is. */
const FIELD_PATHS = /^[a-z]\w*(?:\[\])?(?:[.,]\w+(?:\[\])?)+$/i;

/** Flags that answer for the user or take something away: never suggested for a typing mistake. */
const NEVER_SUGGESTED: ReadonlySet<string> = new Set([
  '--yes',
  '--confirm',
  '--retry-unknown',
  '--insecure-storage',
  '--allow-writes',
  '--clear-secret',
  '--clear-headers',
  '--no-protected',
  '--no-check',
]);

/** The flags that a mistyped one may have meant. */
function harmlessFlags(command: Command): readonly string[] {
  const shared = rootOf(command).options;
  const known = command.options.flatMap((option) =>
    option.long == null || (shared.includes(option) && option.negate) ? [] : [option.long],
  );
  return [...known.filter((flag) => !NEVER_SUGGESTED.has(flag)), '--help'];
}

/** Flags of some commands that others do not have, with what to say of them there. */
const NOT_HERE: Readonly<Record<string, string>> = {
  '--wait': 'to wait for a post, use posts wait <post-id> or posts retry --wait',
  '--force': 'for confirmations see Safety in: social help flags',
  '--note': 'only a command that changes something takes a note',
  '--journal': 'only a command that changes something takes a journal; a read can be repeated',
  '--retry-unknown': 'a read can be repeated: it has no unknown outcomes',
  '--canary': 'only a change that can be waited for takes a canary',
};

const MAKE_SECRET = 'openssl rand -hex 32 > secret.txt, then --secret-file secret.txt';

/** Flags that a command, or no command, has any more, with what to do instead. */
const REMOVED: Readonly<Record<string, string>> = {
  '--error-match':
    'choose with jq: social posts get <post-id> --json, then --from with the records',
  '--fail-fast': 'use --max-failures 1',
  '--for': 'a wait ends well when every target is published; social posts get shows other ends',
  '--force-unlock': 'the error about a lock names the file to delete, and when that is safe',
  '--report': 'use --json: one line for each record',
  '--unknown-to':
    'use --journal: social history settle finds out what became of its unknown outcomes',
  '--strict': 'a response that does not match the API document is a warning on stderr',
  'social api --max-pages': 'pipe into head: the reading stops when its reader does',
  'social api --next':
    'pages are followed by Link rel=next and nextCursor; read others with --query',
  'social api --rate': 'one page is read at a time, and a 429 is waited for',
  'social commands --all': 'commands --json has every command, social schema <command> its values',
  'social doctor --network': 'doctor asks the service, unless --offline',
  'social doctor --report': 'paste the output of social doctor --json',
  'social schema --openapi':
    'the service has an API document; social schema <command> has input and result',
  'social webhooks update --add-event': 'give the whole list: --event for each event',
  'social webhooks update --remove-event': 'give the whole list: --event for each event that stays',
  'social webhooks update --add-header': 'give the whole list: --header for each header',
  'social webhooks update --remove-header':
    'give the whole list: --header for each header that stays',
  'social webhooks update --generate-secret': MAKE_SECRET,
  'social webhooks create --generate-secret': MAKE_SECRET,
};

function secretFlags({ options }: Command): string | undefined {
  const names = ['--secret-file', '--secret-env'];
  const own = names.filter((name) => options.some(({ long }) => long === name));
  return own.length === 0 ? undefined : `use ${own.join(', ').replace(/, (\S+)$/, ' or $1')}`;
}

/** The fault of a flag that a command does not have, typed with or without a value. */
export function unknownFlag(stray: string, command: Command): Fault {
  const [name = '', ...rest] = stray.split('=');
  if (name === '--token' || name === '--secret') {
    const problem = 'does not exist: secrets are not accepted on the command line';
    const fix = name === '--token' ? 'set SOCIAL_TOKEN' : secretFlags(command);
    return { field: name, problem, fix };
  }
  const isSwitch = command.options.some(({ long }) => long === name);
  if (isSwitch) return switchFault(name, rest.join('='));
  const isLong = name.startsWith('--');
  const takesIds = !isLong && command.registeredArguments.length > 0;
  const dash = takesIds ? 'put -- before an ID that starts with -' : undefined;
  const fix =
    ownProperty(REMOVED, `${pathOf(command)} ${name}`) ??
    ownProperty(REMOVED, name) ??
    ownProperty(NOT_HERE, name) ??
    dash;
  const isGuessed = isLong && fix === undefined;
  const among = isGuessed
    ? { typed: name, choices: harmlessFlags(command), unsaid: [...NEVER_SUGGESTED] }
    : undefined;
  return { field: 'unknown flag', problem: quote(name), fix, among };
}

/** The fault of a value for a flag that takes none. */
function switchFault(name: string, value: string): Fault {
  const problem = 'takes no value';
  if (name !== '--json') return { field: name, problem, fix: `write ${name} alone` };
  const paths = FIELD_PATHS.test(value) ? value.replaceAll('[]', '') : '<paths>';
  return { field: name, problem, fix: `to choose fields use --json --fields ${paths}` };
}
