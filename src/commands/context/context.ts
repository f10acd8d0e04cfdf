// `context list | show | current | use | set | delete`: named services with their settings.

import { accountPlatforms } from '../../api/schema/platforms.ts';
import { resourceIdProblem } from '../../api/schema/ids.ts';
import { type Fault, unsentFailure, usageFailure } from '../../base/errors.ts';
import { ownProperty, without } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { splitShellWords } from '../../base/shell.ts';
import { notAmong } from '../../base/suggestions.ts';
import type { Call, CommandSpec } from '../../cli/command-spec.ts';
import { deleteToken } from '../../config/auth/token-store.ts';
import {
  changeConfig,
  contextNameFault,
  type StoredContext,
  withContext,
} from '../../config/file.ts';
import { globalFlag, isJsonForm, type OutputForm } from '../../config/flags.ts';
import { accountsInUse, SANDBOX } from '../../config/settings.ts';
import { printLine, printValue } from '../../output/write-result.ts';
import { confirmDeletion } from '../../prompts/confirm.ts';

const NAME = 'Name of the context';
const contextName = { name: 'name', description: NAME, id: 'context' };

const setCommand: CommandSpec = {
  words: ['context', 'set'],
  summary: 'Create or update a context',
  effect: 'sets',
  details:
    'What has no flag keeps its value. The first context becomes the current one. A command takes the account of its platform, and the plain one if there is none.',
  operands: [{ ...contextName, description: `${NAME}: 1 to 32 letters, digits, - and _` }],
  example: 'social context set prod --base-url https://api.example.com --protected',
  examples: {
    'Account of a platform': 'social context set prod -a mastodon=AccountMastodonA',
    'Remove it': 'social context set prod -a mastodon=',
    'Get the token from a password manager':
      'social context set prod --token-command "pass show social"',
  },
  flags: [
    globalFlag('--base-url', 'Base URL, e.g. https://api.example.com'),
    {
      flags: '-a, --account <id>',
      id: 'account',
      description: 'Account, or <platform>=<id>',
      repeatable: true,
    },
    globalFlag('--output', 'Default output'),
    {
      flags: '--token-command <line>',
      description: 'Command that prints the token; no shell',
    },
    { flags: '--protected', description: 'Ask for confirmation before every change' },
    {
      flags: '--no-protected',
      description: 'Confirm only deleting and disabling',
      conflicts: ['--protected'],
    },
    { flags: '--no-account', description: 'Remove the default account' },
    {
      flags: '--no-output',
      description: 'Remove the default output',
      conflicts: ['--output', '--json'],
    },
    {
      flags: '--no-token-command',
      description: 'Remove the token command',
      conflicts: ['--token-command'],
    },
  ],
  config: 'any',
  run: set,
};

export const contextCommands: readonly CommandSpec[] = [
  {
    words: ['context', 'list'],
    summary: 'List the contexts',
    example: 'social context list',
    config: 'any',
    run: list,
  },
  {
    words: ['context', 'show'],
    summary: 'Show a context',
    operands: [
      { ...contextName, description: `${NAME} (default: the current one)`, optional: true },
    ],
    example: 'social context show prod',
    config: 'any',
    run: show,
  },
  {
    words: ['context', 'current'],
    summary: 'Print the name of the current context',
    details:
      'Exits with 2 if there is none. With -q it prints nothing but the name, for the prompt of a shell.',
    example: 'social context current',
    examples: { 'Show it in the prompt': `PS1='[$(social context current -q)] $ '` },
    config: 'any',
    run: showCurrent,
  },
  {
    words: ['context', 'use'],
    summary: 'Switch to a context',
    effect: 'sets',
    operands: [contextName],
    example: 'social context use prod',
    config: 'any',
    run: use,
  },
  setCommand,
  {
    words: ['context', 'delete'],
    summary: 'Delete a context and its stored token',
    effect: 'takes away',
    details: 'Asks first if the context has a stored token or is protected; --yes answers.',
    operands: [contextName],
    example: 'social context delete old --yes',
    config: 'any',
    run: remove,
  },
];

const sandboxRow = { baseUrl: '(embedded service)' };

function rowOf(name: string, context: Partial<StoredContext>, current: string | undefined) {
  const { baseUrl, account, output, protected: guarded = false, tokenCommand, tokenIn } = context;
  const token = tokenCommand === undefined ? tokenIn : 'command';
  return { current: name === current, name, baseUrl, account, output, protected: guarded, token };
}

async function list(call: Call): Promise<void> {
  const { config, settings } = call;
  const contexts = Object.entries(config.contexts ?? {});
  const rows = [...contexts, [SANDBOX, sandboxRow] as const].map(([name, context]) =>
    rowOf(name, context, settings.context),
  );
  const columns = ['name', 'current', 'baseUrl', 'account', 'protected', 'token', 'output'];
  await printValue(call, columns, rows);
}

async function show(call: Call): Promise<void> {
  const { config, settings } = call;
  const { context: current } = settings;
  // Without a name and without a current context, the missing name is the fault.
  const name = call.operands.length === 0 && current !== undefined ? current : contextNameOf(call);
  const context: Partial<StoredContext> =
    name === SANDBOX ? sandboxRow : (ownProperty(config.contexts, name) ?? {});
  const row = {
    ...rowOf(name, context, current),
    tokenCommand: context.tokenCommand,
    accounts: shownAccounts(context, call.form),
    accountInUse: name === current ? accountsInUse(settings) : undefined,
  };
  const columns = new Set(['name', ...Object.keys(row)]);
  await printValue(call, [...columns], row);
}

/** Formats accounts: as stored for a program, in one text for a reader. */
function shownAccounts({ accounts }: Partial<StoredContext>, form: OutputForm) {
  if (accounts === undefined || isJsonForm(form)) return accounts;
  return Object.entries(accounts)
    .map(([platform, id]) => `${platform}=${id}`)
    .join(', ');
}

async function showCurrent(call: Call): Promise<void> {
  const { context, quiet, baseUrl } = call.settings;
  if (context !== undefined) return printLine(call, context);
  throw unsentFailure('usage', {
    what: 'there is no current context',
    hint: baseUrl && `the base URL is used: ${baseUrl}`,
    next: 'social context list',
    silent: quiet,
  });
}

async function use(call: Call): Promise<void> {
  const name = contextNameOf(call);
  await changeConfig(call.runtime, (config) => ({ ...config, context: name }));
  call.runtime.note(`Switched to context ${quote(name)}.`);
}

async function remove(call: Call): Promise<void> {
  const name = contextNameOf(call);
  if (name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be deleted');
  const { runtime, config, settings } = call;
  const stored = ownProperty(config.contexts, name);
  const hasToken = stored?.tokenIn !== undefined;
  const what = `context ${quote(name)}${hasToken ? ' and its stored token' : ''}`;
  const isProtected = stored?.protected === true;
  if ((isProtected || hasToken) && !settings.yes && !settings.confirm.includes(name)) {
    const why = isProtected ? 'a protected context' : 'which has a stored token';
    const deletion = {
      what: `context delete ${quote(name)}, ${why}`,
      question: `Delete ${isProtected ? 'the protected ' : ''}${what}?`,
      next: `social context delete ${name} ${isProtected ? `--confirm ${name}` : '--yes'}`,
      kept: 'nothing was deleted',
    };
    await confirmDeletion(deletion, settings, runtime);
  }
  // The token is deleted first, because only its context says where it is.
  await deleteToken(name, stored?.tokenIn, runtime);
  await changeConfig(runtime, ({ contexts = {}, context, ...rest }) => ({
    ...rest,
    contexts: without(contexts, name),
    context: context === name ? undefined : context,
  }));
  const left = config.context === name ? ' There is no current context now.' : '';
  call.runtime.note(`Deleted ${what}.${left}`);
}

/** The flags that remove a setting, with the setting. */
const cleared = {
  noAccount: 'account',
  noOutput: 'output',
  noTokenCommand: 'tokenCommand',
} as const;

async function set(call: Call): Promise<void> {
  const name = contextNameOf(call, { mayBeNew: true });
  const { flags, settings, config: before } = call;
  const { tokenCommand } = flags as Partial<Record<string, string>>;
  const faults: Fault[] = [];
  const changes: Partial<StoredContext> = {};
  if (flags['baseUrl'] !== undefined) changes.baseUrl = settings.baseUrl;
  const accounts = accountsOf(call, faults);
  if (accounts.plain !== undefined) changes.account = accounts.plain;
  if (flags['output'] !== undefined || flags['json'] !== undefined)
    changes.output = settings.wide ? 'wide' : settings.output;
  if (tokenCommand !== undefined) {
    const words = splitShellWords(tokenCommand, call.runtime.program.platform) ?? [];
    changes.tokenCommand = [...words];
    if (words.length === 0)
      faults.push({ field: '--token-command', problem: 'is empty or has an unclosed quote' });
  }
  if (flags['protected'] === true) changes.protected = true;
  if (flags['noProtected'] === true) changes.protected = false;
  // An account for one platform is not a contradiction: it stays when the default is removed.
  if (flags['noAccount'] === true && accounts.plain !== undefined)
    faults.push({ field: '--account', problem: 'cannot be combined with --no-account' });
  if (faults.length > 0) throw usageFailure(faults);
  for (const [flag, key] of Object.entries(cleared))
    if (flags[flag] === true) changes[key] = undefined;
  await changeConfig(call.runtime, (config) => {
    const merged = mergedAccounts(ownProperty(config.contexts, name), accounts);
    const context = config.context ?? name;
    return withContext({ ...config, context }, name, { ...changes, ...merged });
  });
  const done = Object.hasOwn(before.contexts ?? {}, name) ? 'Updated' : 'Created';
  const switched = before.context === undefined ? ` Switched to context ${quote(name)}.` : '';
  call.runtime.note(`${done} context ${quote(name)}.${switched}`);
}

interface TypedAccounts {
  /** The accounts of platforms; an empty text removes that of a platform. */
  readonly byPlatform: Readonly<Record<string, string>>;
  /** The account for platforms without one of their own. */
  readonly plain: string | undefined;
}

/** Reads the accounts of the flags: `<id>`, `<platform>=<id>`, and `<platform>=`, which removes one. */
function accountsOf({ flags }: Call, faults: Fault[]): TypedAccounts {
  const typed = [(flags['account'] ?? []) as string | readonly string[]].flat();
  const byPlatform: Record<string, string> = {};
  let plain: string | undefined;
  for (const text of typed.flatMap((line) => line.split(','))) {
    const [, platform, id = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [undefined, undefined, text];
    const removes = platform !== undefined && id === '';
    const problem = removes ? undefined : resourceIdProblem(id);
    // An earlier empty text removed an account, so it is not a second one.
    const earlier = platform === undefined ? plain : byPlatform[platform];
    if (platform !== undefined && !accountPlatforms.some((choice) => choice === platform))
      faults.push(unknownPlatform(platform));
    else if (problem !== undefined) faults.push({ field: '--account', problem });
    else if (!removes && earlier && earlier !== id)
      faults.push({ field: '--account', problem: `names two accounts: ${earlier} and ${id}` });
    if (platform === undefined) plain = id;
    else byPlatform[platform] = id;
  }
  return { byPlatform, plain };
}

const unknownPlatform = (platform: string): Fault => ({
  field: '--account',
  problem: `has an unknown platform, ${quote(platform)}`,
  fix: `platforms: ${accountPlatforms.join(', ')}`,
  among: { typed: platform, choices: accountPlatforms },
});

/** Returns the change of the accounts by platform: nothing if no flag is about one, `undefined` if none is left. */
function mergedAccounts(
  stored: StoredContext | undefined,
  { byPlatform }: TypedAccounts,
): Partial<StoredContext> {
  if (Object.keys(byPlatform).length === 0) return {};
  const all = Object.entries({ ...stored?.accounts, ...byPlatform }).filter(([, id]) => id !== '');
  return { accounts: all.length === 0 ? undefined : Object.fromEntries(all) };
}

const wrongName = (problem: string) => usageFailure({ field: 'context name', problem });

/** Returns the context name in the operands; it must exist unless it may be new. */
function contextNameOf(
  { operands: [name], config }: Call,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): string {
  const names = [SANDBOX, ...Object.keys(config.contexts ?? {})];
  if (name === undefined) {
    const fix = mayBeNew ? undefined : `contexts: ${names.join(', ')}`;
    throw usageFailure({ field: 'context name', problem: 'is required', fix });
  }
  const problem = contextNameFault(name);
  if (problem !== undefined) throw wrongName(problem);
  if (!mayBeNew && !names.includes(name)) throw usageFailure(notAmong('context', name, names));
  if (mayBeNew && name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be changed');
  return name;
}
