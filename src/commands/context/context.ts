// `context list | show | current | use | set | delete`: named services with their settings.

import { accountPlatforms } from '../../api/schema/platforms.ts';
import { resourceIdProblem } from '../../api/schema/ids.ts';
import { unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { ownProperty, without } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { socialLine, splitShellWords } from '../../base/shell.ts';
import { notAmong } from '../../base/suggestions.ts';
import { tokenUrlFault, versionHint } from '../../base/url.ts';
import type { Offer } from '../../base/runtime.ts';
import type { Invocation, CommandSpec } from '../../cli/command-spec.ts';
import { deleteToken } from '../../config/auth/token-store.ts';
import {
  changeConfig,
  contextNameFault,
  type StoredContext,
  withContext,
} from '../../config/file.ts';
import { type FlagType, InvalidValue } from '../../config/flag-types.ts';
import { globalFlag } from '../../config/flags.ts';
import { accountsInUse, SANDBOX } from '../../config/settings.ts';
import { printLine, printValue } from '../../output/write-result.ts';
import { confirmDeletion, promptsFor } from '../../prompts/confirm.ts';

const NAME = 'Name of the context';
const contextName = { name: 'name', description: NAME, id: 'context' };

interface TypedAccount {
  /** Absent for the account of all platforms without one of their own. */
  readonly platform?: string | undefined;
  /** Empty to remove the account of a platform. */
  readonly id: string;
}

/** Parses `<id>`, `<platform>=<id>` or `<platform>=`. */
const accountType: FlagType<TypedAccount> = {
  parse(text) {
    const [, platform, id = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(text)!;
    if (platform !== undefined && !accountPlatforms.some((choice) => choice === platform))
      throw new InvalidValue(`has an unknown platform, ${quote(platform)}`, {
        fix: `platforms: ${accountPlatforms.join(', ')}`,
        among: { typed: platform, choices: accountPlatforms },
      });
    const isRemoved = platform !== undefined && id === '';
    const problem = isRemoved ? undefined : resourceIdProblem(id);
    if (problem !== undefined) throw new InvalidValue(problem);
    return { platform, id };
  },
};

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
      type: accountType,
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

const sandboxRow: StoredContext = { baseUrl: '(embedded service)' };

function rowOf(name: string, context: StoredContext, current: string | undefined) {
  const { baseUrl, account, output, protected: guarded = false, tokenCommand, tokenIn } = context;
  const tokenSource = tokenCommand === undefined ? tokenIn : 'token-command';
  const shown = { baseUrl, account, output, protected: guarded, tokenSource };
  return { context: name, current: name === current, ...shown };
}

async function list(call: Invocation): Promise<void> {
  const { config, settings } = call;
  const contexts = { ...config.contexts, [SANDBOX]: sandboxRow };
  const rows = Object.entries(contexts).map(([name, context]) =>
    rowOf(name, context, settings.context),
  );
  const columns = [
    'context',
    'current',
    'baseUrl',
    'account',
    'protected',
    'tokenSource',
    'output',
  ];
  await printValue(call, columns, rows);
}

async function show(call: Invocation): Promise<void> {
  const { operands, config, settings } = call;
  const { context: current } = settings;
  // Without a name and without a current context, the missing name is the fault.
  const name = operands.length === 0 && current !== undefined ? current : await existingName(call);
  const context = name === SANDBOX ? sandboxRow : (ownProperty(config.contexts, name) ?? {});
  const row = {
    ...rowOf(name, context, current),
    tokenCommand: context.tokenCommand,
    accounts: context.accounts,
    accountInUse: name === current ? accountsInUse(settings) : undefined,
  };
  await printValue(call, Object.keys(row), row);
}

async function showCurrent(call: Invocation): Promise<void> {
  const { context, quiet, baseUrl } = call.settings;
  if (context !== undefined) return printLine(call, context);
  throw unsentFailure('usage', {
    what: 'there is no current context',
    hint: baseUrl && `the base URL is used: ${baseUrl}`,
    next: ['social', 'context', 'list'],
    silent: quiet,
  });
}

async function use(call: Invocation): Promise<void> {
  const name = await existingName(call);
  await changeConfig(call.runtime, (config) => ({ ...config, context: name }));
  call.runtime.note(`Switched to context ${quote(name)}.`);
}

/** Returns the context that the line names, which must exist. */
async function existingName(call: Invocation): Promise<string> {
  const { operands, config, settings, runtime } = call;
  const names = [SANDBOX, ...Object.keys(config.contexts ?? {})];
  const faultOf = (name?: string) =>
    name !== undefined && names.includes(name) ? undefined : notAmong('context', name, names);
  const prompts = operands.length === 0 ? await promptsFor(settings, runtime) : undefined;
  const question = {
    message: NAME,
    offers: names.map((name): Offer => [name, config.contexts?.[name]?.baseUrl ?? '']),
    validate: (text: string) => faultOf(text)?.fix,
  };
  const [name = await prompts?.text(question)] = operands;
  const fault = faultOf(name);
  if (fault !== undefined) throw usageFailure(fault);
  return name!;
}

const wrongName = (problem: string) => usageFailure({ field: 'context name', problem });

async function remove(call: Invocation): Promise<void> {
  const name = await existingName(call);
  if (name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be deleted');
  const { runtime, config, settings } = call;
  const stored = ownProperty(config.contexts, name);
  const isProtected = stored?.protected === true;
  const hasToken = stored?.tokenIn !== undefined;
  const what = `context ${quote(name)}${hasToken ? ' and its stored token' : ''}`;
  if ((isProtected || hasToken) && !settings.yes && !settings.confirm.includes(name)) {
    const address = stored?.baseUrl === undefined ? '' : `, for ${stored.baseUrl}`;
    const why = isProtected ? 'a protected context' : 'which has a stored token';
    const deletion = {
      what: `context delete ${quote(name)}, ${why}`,
      question: `Delete ${isProtected ? 'the protected ' : ''}${what}${address}?`,
      next: socialLine({ words: ['context', 'delete'], ids: [name], flags: ['--yes'] }),
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
  runtime.note(`Deleted ${what}.${left}`);
}

async function set(call: Invocation): Promise<void> {
  const { operands, flags, settings, runtime, config: before } = call;
  const [name] = operands;
  if (name === undefined) throw wrongName('is required');
  if (name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be changed');
  const problem = contextNameFault(name);
  if (problem !== undefined) throw wrongName(problem);
  const { tokenCommand } = flags as Partial<Record<string, string>>;
  const accounts = (flags['account'] ?? []) as readonly TypedAccount[];
  const plain = accounts.find(({ platform }) => platform === undefined);
  const faults: Fault[] = [];
  const changes: StoredContext = {};
  if (flags['baseUrl'] !== undefined) changes.baseUrl = settings.baseUrl;
  // No call would send a token there.
  const ofUrl = changes.baseUrl && tokenUrlFault(changes.baseUrl);
  if (ofUrl) faults.push({ field: '--base-url', problem: ofUrl });
  if (flags['output'] !== undefined || flags['json'] !== undefined)
    changes.output = settings.wide ? 'wide' : settings.output;
  if (flags['noOutput'] === true) changes.output = undefined;
  if (flags['protected'] === true) changes.protected = true;
  if (flags['noProtected'] === true) changes.protected = false;
  if (tokenCommand !== undefined) {
    const words = splitShellWords(tokenCommand, runtime.program.platform) ?? [];
    changes.tokenCommand = [...words];
    if (words.length === 0)
      faults.push({ field: '--token-command', problem: 'is empty or has an unclosed quote' });
  }
  if (flags['noTokenCommand'] === true) changes.tokenCommand = undefined;
  if (plain !== undefined) changes.account = plain.id;
  if (flags['noAccount'] === true) changes.account = undefined;
  // An account for one platform may be set while the one for all others is removed.
  if (flags['noAccount'] === true && plain !== undefined)
    faults.push({ field: '--account', problem: 'cannot be combined with --no-account' });
  const names = accounts.map(({ platform = 'all platforms' }) => platform);
  const twice = names.find((platform, i) => names.indexOf(platform) < i);
  if (twice !== undefined)
    faults.push({ field: '--account', problem: `names two accounts for ${twice}` });
  if (faults.length > 0) throw usageFailure(faults);
  await changeConfig(runtime, (config) => {
    const stored = ownProperty(config.contexts, name)?.accounts;
    const context = config.context ?? name;
    const all = { ...changes, accounts: mergedAccounts(stored, accounts) };
    return withContext({ ...config, context }, name, all);
  });
  const done = Object.hasOwn(before.contexts ?? {}, name) ? 'Updated' : 'Created';
  const switched = before.context === undefined ? ` Switched to context ${quote(name)}.` : '';
  runtime.note(`${done} context ${quote(name)}.${switched}`);
  const version = changes.baseUrl && versionHint(changes.baseUrl);
  if (version) await runtime.stderr.write(`warning: ${version}\n`);
}

/** Returns the accounts by platform after a change; `undefined` if none is left. */
function mergedAccounts(stored: StoredContext['accounts'], typed: readonly TypedAccount[]) {
  const accounts = { ...stored };
  for (const { platform, id } of typed) if (platform !== undefined) accounts[platform] = id;
  const left = Object.entries(accounts).filter(([, id]) => id !== '');
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
