// `auth login | logout | status | token`: the token of a context. It is never shown, except by `auth token`,
// which exists for pipes and refuses a terminal.

import type { Command } from 'commander';
import { Failure, usageFailure } from '../../errors.ts';
import { toJsonText } from '../../output/format.ts';
import { sanitizeLine } from '../../output/sanitize.ts';
import { isLoopbackHost } from '../../schema/address.ts';
import type { Config } from '../config.ts';
import { ContextName } from '../config.ts';
import { loginLine } from '../login-line.ts';
import { canAsk } from '../can-ask.ts';
import { makeGroup } from '../group.ts';
import { leaf, type LeafCall } from '../leaf.ts';
import { SANDBOX } from '../settings.ts';
import { changeConfig } from '../settings-store.ts';
import { openWith } from '../service.ts';
import { readText } from '../source.ts';
import { checkTokenMayGo, readToken } from '../token.ts';
import { checkToken } from '../token-check.ts';
import { findToken } from '../token-source.ts';
import { dropToken, keepToken } from '../token-store.ts';
import type { Surroundings } from '../verb.ts';
import { status } from './auth-status.ts';
import { own } from '../../json.ts';

export function add(program: Command, around: Surroundings): void {
  const group = makeGroup(program, 'auth', 'Log in, log out, see which token counts');
  leaf(group, loginWords, around, (call) => login(call, around));
  leaf(
    group,
    {
      word: 'logout',
      summary: 'Forget the stored token of a context',
      example: 'social auth logout -C prod',
    },
    around,
    logout,
  );
  leaf(group, statusWords, around, status);
  leaf(group, tokenWords, around, showToken);
}

const loginWords = {
  word: 'login',
  summary: 'Store a token for a context',
  details:
    'Asks for the token on a terminal, reads it from standard input in a pipe. It goes to the system’s keychain, or to a private file where none answers, and is only ever sent to the origin it was stored for. One harmless request checks it first: what the service refuses with 401 is not stored unless you say so.',
  example: 'social auth login --context prod --base-url https://api.example.com',
  stdin: 'the token, where it is no terminal',
  options: [
    {
      flags: '--insecure-storage',
      description: 'Keep it in the private file without trying the keychain',
    },
    { flags: '--no-check', description: 'Store the token without asking the service about it' },
  ],
  config: 'any',
  secretWords: true,
} as const;

const statusWords = {
  word: 'status',
  summary: 'Show where each context’s token comes from',
  example: 'social auth status --check',
  options: [{ flags: '--check', description: 'Send one harmless request with the token in use' }],
} as const;

const tokenWords = {
  word: 'token',
  summary: 'Print the token in use, into a pipe',
  details: 'Refuses a terminal: a token on a screen is a token in a scrollback.',
  example: 'social auth token | pbcopy',
  secretWords: true,
} as const;

async function login(call: LeafCall, { hide }: Surroundings): Promise<void> {
  const { settings, world, config } = call;
  const name = settings.context ?? 'default';
  if (name === SANDBOX)
    throw usageFailure([{ field: '--context', problem: 'sandbox needs no token' }]);
  if (!ContextName.safeParse(name).success)
    throw usageFailure([
      { field: '--context', problem: 'must be 1 to 32 letters, digits, - and _' },
    ]);
  const baseUrl = settings.baseUrl ?? (await askBaseUrl(call));
  checkTokenMayGo(baseUrl);
  const token = await newToken(call, new URL(baseUrl).host);
  hide([token]);
  if (call.flags['noCheck'] !== true) await refuseWrongToken(call, token, baseUrl);
  const { origin } = new URL(baseUrl);
  const { home, why } = await keepToken(
    name,
    { token, origin },
    call.flags['insecureStorage'] === true,
    world,
  );
  await changeConfig(world, (before) => withLogin(before, name, baseUrl, home));
  await world.stderr.write(`logged in to ${origin} as context ${name}; the token is in ${why}\n`);
  if ((world.env['SOCIAL_TOKEN'] ?? '') !== '') {
    await world.stderr.write('warning: SOCIAL_TOKEN is set and counts before the stored token\n');
  }
  if (config.context !== undefined && config.context !== name) {
    await world.stderr.write(
      `context ${config.context} stays in use; to change: social context use ${name}\n`,
    );
  }
}

/** One harmless request. A token that is refused is stored only where a person wants that. */
async function refuseWrongToken(
  { settings, world, flags }: LeafCall,
  token: string,
  baseUrl: string,
): Promise<void> {
  const { host } = new URL(baseUrl);
  const service = await openWith(
    { token, source: 'file', read: async () => token },
    baseUrl,
    settings,
    world,
  );
  const { verdict, why } = await checkToken(service, settings, world).finally(service.close);
  if (verdict === 'unsure')
    return world.stderr.write(`warning: the token was not checked: ${sanitizeLine(why!)}\n`);
  if (verdict !== 'refused') return;
  const what = `HTTP 401 from ${host}: the service does not accept this token`;
  if (!canAsk(settings, world))
    throw new Failure('unauthorized', {
      what: `${what}; it was not stored`,
      hint: 'check that the token is of this service; --no-check stores it unchecked',
      next: loginLine(settings.context, baseUrl, flags),
      status: 401,
      sent: true,
      retryable: false,
    });
  await world.stderr.write(`${what}\n`);
  const ask = await world.ask(settings.accessible);
  if (!(await ask.confirm('Store it all the same?', false)))
    throw new Failure('declined', { what: 'the token was not stored', sent: true });
}

function withLogin(
  config: Config,
  name: string,
  baseUrl: string,
  tokenIn: 'keychain' | 'file',
): Config {
  const context = { ...own(config.contexts, name), baseUrl, tokenIn };
  return {
    ...config,
    context: config.context ?? name,
    contexts: { ...config.contexts, [name]: context },
  };
}

async function askBaseUrl({ settings, world }: LeafCall): Promise<string> {
  if (!canAsk(settings, world)) {
    throw usageFailure([
      {
        field: '--base-url',
        problem: 'is required',
        fix: 'the address of the service, e.g. https://api.example.com',
      },
    ]);
  }
  const ask = await world.ask(settings.accessible);
  const answer = await ask.text({
    message: 'Address of the service',
    validate: (text) => (isAddress(text) ? undefined : 'must be https://host[:port][/path]'),
  });
  return answer.replace(/\/+$/, '');
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  return (
    username + password + search + hash === '' &&
    (protocol === 'https:' || isLoopbackHost(hostname))
  );
}

function tokenFault(text: string): string | undefined {
  const token = readToken(text, 'token');
  return typeof token === 'string' ? undefined : token.problem;
}

/** The token to store: asked for without showing it, or the one line of standard input. */
async function newToken({ settings, world }: LeafCall, host: string): Promise<string> {
  let given: string;
  if (canAsk(settings, world)) {
    const ask = await world.ask(settings.accessible);
    given = await ask.secret({ message: `Token for ${host}`, validate: tokenFault });
  } else {
    if (world.stdin.isTTY)
      throw usageFailure([{ field: 'token', problem: 'is required', fix: 'pipe it in' }]);
    const text = await readText('-', 'token', world);
    if (typeof text !== 'string') throw usageFailure([text]);
    given = text;
  }
  const token = readToken(given, 'token');
  if (typeof token !== 'string') throw usageFailure([token]);
  if (/^Bearer +/i.test(given)) await world.stderr.write('note: took off the word Bearer\n');
  return token;
}

async function logout(call: LeafCall): Promise<void> {
  const { settings, world } = call;
  const { context: name, stored } = settings;
  if (name === undefined || stored === undefined)
    throw usageFailure([{ field: '--context', problem: 'names no context to log out of' }]);
  await dropToken(name, stored.tokenIn, world);
  await changeConfig(world, (config) => ({
    ...config,
    contexts: { ...config.contexts, [name]: { ...own(config.contexts, name), tokenIn: undefined } },
  }));
  await world.stderr.write(
    `the stored token of context ${name} is gone from this machine; it stays valid at the service\n`,
  );
}

async function showToken({ settings, world, form }: LeafCall): Promise<void> {
  if (world.stdout.isTTY) {
    throw usageFailure([
      {
        field: 'auth token',
        problem: 'does not show a token on a terminal',
        fix: 'pipe it to the program that wants it',
      },
    ]);
  }
  if (settings.baseUrl === undefined) {
    throw new Failure('unauthorized', {
      what: 'no service is configured',
      next: loginLine(settings.context, undefined),
      sent: false,
    });
  }
  const { token } = await findToken(
    settings.context,
    settings.stored,
    new URL(settings.baseUrl).origin,
    world,
  );
  const asJson = form === 'json' || form === 'ndjson';
  await world.stdout.write(asJson ? toJsonText(token, false) : `${token}\n`);
}
