// `context list | show | use | set | delete`: named services and the settings that go with each.

import { RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { Failure, type Fault, usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { splitShellWords } from '../base/shell.ts';
import { notAmong, withSuggestions } from '../base/suggestions.ts';
import { type LocalCall, localGroup } from '../cli/local-command.ts';
import { deleteToken } from '../config/auth/token-store.ts';
import {
  changeConfig,
  CONTEXT_NAME_RULE,
  ContextName,
  type StoredContext,
} from '../config/file.ts';
import { globalFlag } from '../config/flags.ts';
import { SANDBOX } from '../config/settings.ts';
import { printRows } from '../output/write-result.ts';
import { mayPrompt } from '../prompts/policy.ts';

/** Settings of a context that a flag removes. */
const clearable = [
  { flag: '--no-account', typed: 'noAccount', key: 'account', what: 'the default account' },
  { flag: '--no-output', typed: 'noOutput', key: 'output', what: 'the default output' },
  {
    flag: '--no-token-command',
    typed: 'noTokenCommand',
    key: 'tokenCommand',
    what: 'the token command',
  },
] as const;

const NAME = 'Name of the context';
const contextName = { name: 'name', description: NAME };

export const add = localGroup([
  {
    word: 'list',
    summary: 'List the contexts',
    example: 'social context list',
    config: 'any',
    run: list,
  },
  {
    word: 'show',
    summary: 'Show a context',
    operands: [
      { ...contextName, description: `${NAME} (default: the current one)`, optional: true },
    ],
    example: 'social context show prod',
    config: 'any',
    run: show,
  },
  {
    word: 'use',
    summary: 'Switch to a context',
    operands: [contextName],
    example: 'social context use prod',
    config: 'any',
    run: use,
  },
  {
    word: 'set',
    summary: 'Create or update a context',
    details: 'Settings without a flag keep their value. The first context becomes the current one.',
    operands: [{ ...contextName, description: `${NAME}: 1 to 32 letters, digits, - and _` }],
    example: 'social context set prod --base-url https://api.example.com --protected',
    examples: [
      ['Set a default account', 'social context set prod --account AccountMastodonA'],
      [
        'Get the token from a password manager',
        'social context set prod --token-command "pass show social"',
      ],
    ],
    options: [
      globalFlag('--base-url', 'Base URL of the service, e.g. https://api.example.com'),
      globalFlag('--account', 'Default account of the context'),
      globalFlag('--output', 'Default output of the context'),
      {
        flags: '--token-command <line>',
        description: 'Command that prints the token, e.g. "pass show social"; runs without a shell',
      },
      { flags: '--protected', description: 'Ask for confirmation before every change' },
      {
        flags: '--no-protected',
        description: 'Ask for confirmation only before deleting and disabling',
      },
      ...clearable.map(({ flag, what }) => ({ flags: flag, description: `Remove ${what}` })),
    ],
    config: 'any',
    run: set,
  },
  {
    word: 'delete',
    summary: 'Delete a context and its stored token',
    operands: [contextName],
    example: 'social context delete old',
    config: 'any',
    run: remove,
  },
]);

const NAME_FIELD = 'context name';
const wrongName = (problem: string) => usageFailure([{ field: NAME_FIELD, problem }]);

/** The name that was given; a known context's unless it may be new. */
async function nameOf({ operands, config }: LocalCall, mayBeNew = false): Promise<string> {
  const [name] = operands;
  const known = [SANDBOX, ...Object.keys(config.contexts ?? {})];
  if (name !== undefined && !ContextName.safeParse(name).success)
    throw wrongName(CONTEXT_NAME_RULE);
  if (name === undefined) {
    const fix = mayBeNew ? {} : { fix: `contexts: ${known.join(', ')}` };
    throw usageFailure([{ field: NAME_FIELD, problem: 'is required', ...fix }]);
  }
  if (!mayBeNew && !known.includes(name))
    throw usageFailure(await withSuggestions([notAmong('context', name, known)]));
  if (mayBeNew && name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be changed');
  return name;
}

const sandboxRow = { baseUrl: '(embedded service)' };

function rowOf(name: string, context: Partial<StoredContext>, current: string | undefined) {
  const { baseUrl, account, output, protected: guarded = false, tokenCommand, tokenIn } = context;
  const token = tokenCommand === undefined ? tokenIn : 'command';
  return { current: name === current, name, baseUrl, account, output, protected: guarded, token };
}

async function list(call: LocalCall): Promise<void> {
  const { config, settings } = call;
  const contexts = Object.entries(config.contexts ?? {});
  const rows = [...contexts, [SANDBOX, sandboxRow] as const].map(([name, context]) =>
    rowOf(name, context, settings.context),
  );
  await printRows(
    call,
    ['name', 'current', 'baseUrl', 'account', 'protected', 'token', 'output'],
    rows,
  );
}

async function show(call: LocalCall): Promise<void> {
  const { config, settings } = call;
  const name =
    call.operands.length === 0 && settings.context !== undefined
      ? settings.context
      : await nameOf(call);
  const context = name === SANDBOX ? sandboxRow : (ownProperty(config.contexts, name) ?? {});
  const { tokenCommand }: Partial<StoredContext> = context;
  const row = { ...rowOf(name, context, settings.context), tokenCommand };
  await printRows(
    call,
    ['name', 'current', 'baseUrl', 'account', 'output', 'protected', 'token', 'tokenCommand'],
    [row],
    row,
  );
}

async function use(call: LocalCall): Promise<void> {
  const name = await nameOf(call);
  await changeConfig(call.runtime, (config) => ({ ...config, context: name }));
  call.runtime.note(`Switched to context ${quote(name)}.`);
}

async function set(call: LocalCall): Promise<void> {
  const name = await nameOf(call, true);
  const { flags, settings, config: before } = call;
  const { account, tokenCommand } = flags as Partial<Record<string, string>>;
  const faults: Fault[] = [];
  const changes: Partial<StoredContext> = {};
  if (flags['baseUrl'] !== undefined) changes.baseUrl = settings.baseUrl;
  if (account !== undefined) {
    changes.account = account;
    if (!RESOURCE_ID.test(account))
      faults.push({
        field: '--account',
        problem: `must be exactly 16 letters a-z A-Z, got ${quote(account)}`,
      });
  }
  if (flags['output'] !== undefined || flags['json'] !== undefined)
    changes.output = settings.wide ? 'wide' : settings.output;
  if (tokenCommand !== undefined) {
    changes.tokenCommand = [...(splitShellWords(tokenCommand) ?? [])];
    if (changes.tokenCommand.length === 0)
      faults.push({
        field: '--token-command',
        problem: 'is empty or has an unclosed quote',
      });
  }
  if (flags['protected'] === true) changes.protected = true;
  if (flags['noProtected'] === true) {
    if (changes.protected === true)
      faults.push({ field: '--protected', problem: 'cannot be combined with --no-protected' });
    changes.protected = false;
  }
  if (faults.length > 0) throw usageFailure(faults);
  const cleared: readonly string[] = clearable
    .filter(({ typed }) => flags[typed] === true)
    .map(({ key }) => key);
  await changeConfig(call.runtime, (config) => {
    const all = Object.entries({ ...ownProperty(config.contexts, name), ...changes });
    const context = Object.fromEntries(all.filter(([key]) => !cleared.includes(key)));
    return {
      ...config,
      contexts: { ...config.contexts, [name]: context },
      context: config.context ?? name,
    };
  });
  const done = Object.hasOwn(before.contexts ?? {}, name) ? 'Updated' : 'Created';
  const switched = before.context === undefined ? ` Switched to context ${quote(name)}.` : '';
  call.runtime.note(`${done} context ${quote(name)}.${switched}`);
}

async function remove(call: LocalCall): Promise<void> {
  const name = await nameOf(call);
  if (name === SANDBOX) throw wrongName('"sandbox" is built in and cannot be deleted');
  const { runtime, config } = call;
  const stored = ownProperty(config.contexts, name);
  if (stored?.protected === true) await confirmDelete(name, call);
  await deleteToken(name, stored?.tokenIn, runtime);
  await changeConfig(runtime, ({ contexts = {}, context, ...rest }) => ({
    ...rest,
    contexts: Object.fromEntries(Object.entries(contexts).filter(([each]) => each !== name)),
    ...(context === name ? {} : { context }),
  }));
  call.runtime.note(`Deleted context ${quote(name)} and its stored token.`);
}

/** Throws `usage` where no question can be asked, `declined` where the answer is no. */
async function confirmDelete(name: string, { runtime, settings }: LocalCall): Promise<void> {
  if (settings.yes || settings.confirm.includes(name)) return;
  if (!mayPrompt(settings, runtime))
    throw new Failure('usage', {
      what: `confirmation required: context delete ${quote(name)}, a protected context`,
      next: `social context delete ${name} --confirm ${name}`,
    });
  const ask = await runtime.ask(settings.accessible);
  if (!(await ask.confirm(`Delete the protected context ${quote(name)} and its stored token?`)))
    throw new Failure('declined', {
      what: 'not confirmed; nothing was deleted',
    });
}
