// `context list | show | use | set | delete`: names for a service, with what goes with it.

import { RESOURCE_ID } from '../api/schema/id-patterns.ts';
import type { Command } from 'commander';
import { Failure, type Fault, usageFailure } from '../base/errors.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { quoteUnlessSecret } from '../base/secret-words.ts';
import { splitShellWords } from '../base/shell.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { makeGroup } from '../cli/command-group.ts';
import { addLocalCommand, type LocalCall } from '../cli/local-command.ts';
import { deleteToken } from '../config/auth/token-store.ts';
import { changeConfig, type Config, ContextName, type StoredContext } from '../config/file.ts';
import { SANDBOX } from '../config/settings.ts';
import { printRows } from '../output/write-result.ts';
import { mayPrompt } from '../prompts/policy.ts';
import type { CommandContext } from '../cli/command-context.ts';
import type { RawFlags } from '../config/choices.ts';

export function add(program: Command, commandContext: CommandContext): void {
  const group = makeGroup(program, 'context', 'Services by name, with their defaults');
  addLocalCommand(
    group,
    { word: 'list', summary: 'List the contexts', example: 'social context list', config: 'any' },
    commandContext,
    list,
  );
  addLocalCommand(
    group,
    {
      word: 'show',
      summary: 'Show a context',
      operands: ['name?'],
      example: 'social context show prod',
      config: 'any',
    },
    commandContext,
    show,
  );
  addLocalCommand(
    group,
    {
      word: 'use',
      summary: 'Make a context the one in use',
      operands: ['name'],
      example: 'social context use prod',
      config: 'any',
    },
    commandContext,
    use,
  );
  addLocalCommand(group, setWords, commandContext, set);
  addLocalCommand(
    group,
    {
      word: 'delete',
      summary: 'Delete a context and its stored token',
      operands: ['name'],
      example: 'social context delete old',
      config: 'any',
    },
    commandContext,
    remove,
  );
}

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

const setWords = {
  word: 'set',
  summary: 'Make a context, or change one',
  details:
    'Also takes --base-url, --account and --output: they become the context’s defaults. Settings without a flag keep their value. The first context is also switched to.',
  operands: ['name'],
  example: 'social context set prod --base-url https://api.example.com --protected',
  options: [
    {
      flags: '--token-command <line>',
      description: 'Program that prints the token, e.g. "pass show social"; run without a shell',
    },
    { flags: '--protected', description: 'Ask before every change' },
    { flags: '--no-protected', description: 'Ask only before deleting and disabling' },
    ...clearable.map(({ flag, what }) => ({ flags: flag, description: `Remove ${what}` })),
  ],
  config: 'any',
} as const;

async function fault(problem: string, typed = '', known?: readonly string[]): Promise<never> {
  const more =
    known === undefined
      ? {}
      : { fix: `there are: ${known.join(', ')}`, among: { typed, choices: known } };
  throw usageFailure(await withSuggestions([{ field: 'context name', problem, ...more }]));
}

/** The name that was given; a known context's unless it may be new. */
async function nameOf({ operands, config }: LocalCall, mayBeNew = false): Promise<string> {
  const [name] = operands;
  const known = [SANDBOX, ...Object.keys(config.contexts ?? {})];
  if (name === undefined) return fault('is required', '', known);
  if (!ContextName.safeParse(name).success)
    return fault('must be 1 to 32 letters, digits, - and _');
  if (!mayBeNew && !known.includes(name))
    return fault(`is not known: ${quoteUnlessSecret(name)}`, name, known);
  if (mayBeNew && name === SANDBOX) return fault('sandbox is built in and cannot be changed');
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
  const row = {
    ...rowOf(name, context, settings.context),
    tokenCommand: (context as StoredContext).tokenCommand,
  };
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
  await say(call, `Switched to context ${quote(name)}.`);
}

async function set(call: LocalCall): Promise<void> {
  const name = await nameOf(call, true);
  const { flags, settings } = call;
  const faults: Fault[] = [];
  const changes: Partial<StoredContext> = {
    ...(flags['baseUrl'] === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(flags['account'] === undefined ? {} : { account: accountOf(flags, faults) }),
    ...(flags['output'] === undefined && flags['json'] === undefined
      ? {}
      : { output: settings.output }),
    ...(flags['tokenCommand'] === undefined ? {} : { tokenCommand: commandOf(flags, faults) }),
    ...(flags['protected'] === true ? { protected: true } : {}),
    ...(flags['noProtected'] === true ? { protected: false } : {}),
  };
  if (flags['protected'] === true && flags['noProtected'] === true) {
    faults.push({ field: '--protected', problem: 'contradicts --no-protected; choose one' });
  }
  if (faults.length > 0) throw usageFailure(faults);
  const cleared = clearable.filter(({ typed }) => flags[typed] === true).map(({ key }) => key);
  await changeConfig(call.runtime, (config) => merged(config, name, changes, cleared));
  const isNew = !Object.hasOwn(call.config.contexts ?? {}, name);
  const switched = call.config.context === undefined ? ` Switched to context ${quote(name)}.` : '';
  await say(call, `${isNew ? 'Created' : 'Updated'} context ${quote(name)}.${switched}`);
}

function merged(
  config: Config,
  name: string,
  changes: Partial<StoredContext>,
  cleared: readonly string[],
): Config {
  const settings = Object.entries({ ...ownProperty(config.contexts, name), ...changes });
  const context = Object.fromEntries(settings.filter(([key]) => !cleared.includes(key)));
  return {
    ...config,
    contexts: { ...config.contexts, [name]: context },
    context: config.context ?? name,
  };
}

function accountOf(flags: RawFlags, faults: Fault[]): string {
  const account = String(flags['account']);
  if (!RESOURCE_ID.test(account))
    faults.push({ field: '--account', problem: 'must be exactly 16 letters a-z A-Z' });
  return account;
}

function commandOf(flags: RawFlags, faults: Fault[]): string[] {
  const words = splitShellWords(String(flags['tokenCommand']));
  if (words === undefined || words.length === 0)
    faults.push({
      field: '--token-command',
      problem: 'must be a program and its arguments, quotes closed',
    });
  return [...(words ?? [])];
}

async function remove(call: LocalCall): Promise<void> {
  const name = await nameOf(call);
  if (name === SANDBOX)
    throw usageFailure([
      { field: 'context name', problem: 'sandbox is built in and cannot be deleted' },
    ]);
  const { runtime, config } = call;
  if (ownProperty(config.contexts, name)?.protected === true) await confirmDelete(name, call);
  await deleteToken(name, ownProperty(config.contexts, name)?.tokenIn, runtime);
  await changeConfig(runtime, ({ contexts = {}, context, ...rest }) => ({
    ...rest,
    contexts: Object.fromEntries(Object.entries(contexts).filter(([each]) => each !== name)),
    ...(context === name ? {} : { context }),
  }));
  await say(call, `Deleted context ${quote(name)} and its stored token.`);
}

/** Returns when there is consent. Throws `usage` where nobody can be asked, `declined` where the answer is no. */
async function confirmDelete(name: string, { runtime, settings }: LocalCall): Promise<void> {
  if (settings.yes || settings.confirm.includes(name)) return;
  if (!mayPrompt(settings, runtime))
    throw new Failure('usage', {
      what: `confirmation required: context delete ${quote(name)}, a protected context`,
      next: `social context delete ${name} --confirm ${name}`,
      sent: false,
      retryable: false,
    });
  const ask = await runtime.ask(settings.accessible);
  if (!(await ask.confirm(`Delete the protected context ${quote(name)} and its stored token?`)))
    throw new Failure('declined', {
      what: 'not confirmed; nothing was deleted',
      sent: false,
      retryable: false,
    });
}

/** One line of confirmation on stderr. */
async function say({ runtime, settings }: LocalCall, line: string): Promise<void> {
  if (!settings.quiet) await runtime.stderr.write(`${line}\n`);
}
