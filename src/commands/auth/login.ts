// `auth login`: a token for a context, tried out before it is stored.

import { Failure, usageFailure } from '../../base/errors.ts';
import { ownProperty } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { tokenUrlFault, withoutEndSlashes } from '../../base/url.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { openServiceAt } from '../../client/open-service.ts';
import { checkToken, type TokenCheck } from '../../client/token-check.ts';
import { loginCommand } from '../../config/auth/login-command.ts';
import { storeToken } from '../../config/auth/token-store.ts';
import { checkTokenMayGo, readToken } from '../../config/auth/token.ts';
import { changeConfig, type Config, ContextName } from '../../config/file.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { readText } from '../../input/text-input.ts';
import { mayPrompt } from '../../prompts/policy.ts';

/** Asks for the token, or reads it, tries it out, and stores it for its context. */
export async function login(call: LocalCall): Promise<void> {
  const { settings, runtime, config } = call;
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
  runtime.secrets.add([token]);
  if (call.flags['noCheck'] !== true) await refuseWrongToken(call, token, baseUrl);
  const { origin } = new URL(baseUrl);
  const { home, why } = await storeToken(
    name,
    { token, origin },
    call.flags['insecureStorage'] === true,
    runtime,
  );
  await changeConfig(runtime, (before) => withLogin(before, name, baseUrl, home));
  await runtime.stderr.write(`logged in to ${origin} as context ${name}; the token is in ${why}\n`);
  if ((runtime.env['SOCIAL_TOKEN'] ?? '') !== '') {
    await runtime.stderr.write('warning: SOCIAL_TOKEN is set and counts before the stored token\n');
  }
  if (config.context !== undefined && config.context !== name) {
    await runtime.stderr.write(
      `context ${config.context} stays in use; to change: social context use ${name}\n`,
    );
  }
}

/** What the service makes of the token. */
async function tried(
  token: string,
  baseUrl: string,
  settings: Settings,
  runtime: Runtime,
): Promise<TokenCheck> {
  const found = { token, source: 'file', read: async () => token } as const;
  const service = await openServiceAt({ found, baseUrl }, settings, runtime);
  try {
    return await checkToken(service, settings, runtime);
  } finally {
    await service.close();
  }
}

/** One harmless request. A token that is refused is stored only where a person wants that. */
async function refuseWrongToken(
  { settings, runtime, flags }: LocalCall,
  token: string,
  baseUrl: string,
): Promise<void> {
  const { host } = new URL(baseUrl);
  const { verdict, why } = await tried(token, baseUrl, settings, runtime);
  if (verdict === 'unsure')
    return runtime.stderr.write(`warning: the token was not checked: ${sanitizeLine(why!)}\n`);
  if (verdict !== 'refused') return;
  const what = `HTTP 401 from ${host}: the service does not accept this token`;
  if (!mayPrompt(settings, runtime))
    throw new Failure('unauthorized', {
      what: `${what}; it was not stored`,
      hint: 'check that the token is of this service; --no-check stores it unchecked',
      next: loginCommand(settings.context, baseUrl, flags),
      status: 401,
      sent: true,
      retryable: false,
    });
  await runtime.stderr.write(`${what}\n`);
  const ask = await runtime.ask(settings.accessible);
  if (!(await ask.confirm('Store it all the same?', false)))
    throw new Failure('declined', { what: 'the token was not stored', sent: true });
}

function withLogin(
  config: Config,
  name: string,
  baseUrl: string,
  tokenIn: 'keychain' | 'file',
): Config {
  const context = { ...ownProperty(config.contexts, name), baseUrl, tokenIn };
  return {
    ...config,
    context: config.context ?? name,
    contexts: { ...config.contexts, [name]: context },
  };
}

async function askBaseUrl({ settings, runtime }: LocalCall): Promise<string> {
  if (!mayPrompt(settings, runtime)) {
    throw usageFailure([
      {
        field: '--base-url',
        problem: 'is required',
        fix: 'the address of the service, e.g. https://api.example.com',
      },
    ]);
  }
  const ask = await runtime.ask(settings.accessible);
  const answer = await ask.text({
    message: 'Address of the service',
    validate: tokenUrlFault,
  });
  return withoutEndSlashes(answer);
}

function tokenFault(text: string): string | undefined {
  const token = readToken(text, 'token');
  return typeof token === 'string' ? undefined : token.problem;
}

/** The token to store: asked for without showing it, or the one line of standard input. */
async function newToken({ settings, runtime }: LocalCall, host: string): Promise<string> {
  let given: string;
  if (mayPrompt(settings, runtime)) {
    const ask = await runtime.ask(settings.accessible);
    given = await ask.secret({ message: `Token for ${host}`, validate: tokenFault });
  } else {
    if (runtime.stdin.isTTY)
      throw usageFailure([{ field: 'token', problem: 'is required', fix: 'pipe it in' }]);
    const text = await readText('-', 'token', runtime);
    if (typeof text !== 'string') throw usageFailure([text]);
    given = text;
  }
  const token = readToken(given, 'token');
  if (typeof token !== 'string') throw usageFailure([token]);
  if (/^Bearer +/i.test(given)) await runtime.stderr.write('note: took off the word Bearer\n');
  return token;
}
