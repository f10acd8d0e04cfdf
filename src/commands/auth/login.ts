// `auth login`: asks for a token or reads it, checks it with the service, and stores it for its context.

import { afterSending, Failure, usageFailure } from '../../base/errors.ts';
import { quote } from '../../base/sanitize.ts';
import {
  tokenUrlFault,
  versionHint,
  withoutEndSlashes,
  withoutVersion,
  withScheme,
} from '../../base/url.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { openServiceAt } from '../../client/open-client.ts';
import { checkInWords, checkToken } from '../../client/token-probe.ts';
import { storeToken } from '../../config/auth/token-store.ts';
import { hasBearer, parseToken } from '../../config/auth/parse-token.ts';
import { checkTokenMayGo, tokenSources } from '../../config/auth/token.ts';
import {
  changeConfig,
  contextNameFault,
  type StoredContext,
  withContext,
} from '../../config/file.ts';
import { wordsOfFlags } from '../../config/flags.ts';
import { noteTo } from '../../output/wrap.ts';
import { flagWords, labelledLine, socialLine } from '../../base/shell.ts';
import { readStdin } from '../../input/text-input.ts';
import { promptsFor } from '../../prompts/confirm.ts';

export async function login(call: Invocation): Promise<void> {
  const { settings, runtime, flags } = call;
  const name = settings.context ?? 'default';
  const problem = contextNameFault(name);
  if (problem !== undefined) throw usageFailure({ field: '--context', problem });
  const baseUrl = settings.baseUrl ?? (await askBaseUrl(call));
  checkTokenMayGo(baseUrl);
  const token = await newToken(call, new URL(baseUrl).host);
  runtime.secrets.add([token]);
  const isChecked = flags['noCheck'] !== true;
  const isAccepted = isChecked && (await confirmToken(call, token, baseUrl));
  const { home, message } = await store(call, { name, baseUrl, token }).catch((error: unknown) => {
    // After the check, a failure must say that a request was sent.
    throw isChecked ? afterSending(error) : error;
  });
  const { origin } = new URL(baseUrl);
  // These lines are shown in spite of --quiet, unlike those of `runtime.note`.
  const report = noteTo(runtime.stderr);
  report(
    isAccepted
      ? `Logged in to ${origin}, context ${quote(name)}.`
      : `token stored, not checked: ${origin}, context ${quote(name)}`,
  );
  report(message);
  const version = versionHint(baseUrl);
  if (version !== undefined) report(`warning: ${version}`);
  const [source] = tokenSources({ ...settings.stored, tokenIn: home }, runtime);
  if (source !== home)
    report(`warning: ${source!} is set and takes precedence over the stored token`);
  const { context: current } = call.config;
  if (current === name) return;
  if (flags['use'] === true) report(`Switched to context ${quote(name)}.`);
  else if (current !== undefined)
    report(
      labelledLine(`The current context is still ${quote(current)}; to switch`, [
        'social',
        'context',
        'use',
        name,
      ]),
    );
}

/** Stores the token, and in its context where it is. */
async function store(
  { flags, runtime }: Invocation,
  { name, baseUrl, token }: Readonly<Record<'name' | 'baseUrl' | 'token', string>>,
) {
  const fileOnly = flags['insecureStorage'] === true;
  const entry = { token, origin: new URL(baseUrl).origin };
  const kept = await storeToken(name, entry, fileOnly, runtime);
  const changes: StoredContext = { baseUrl, tokenIn: kept.home };
  if (flags['protected'] === true) changes.protected = true;
  await changeConfig(runtime, (before) => {
    const context = flags['use'] === true ? name : (before.context ?? name);
    return withContext({ ...before, context }, name, changes);
  });
  return kept;
}

/**
 * Checks the token with the service; resolves with true if it was accepted. Otherwise it is stored only after
 * confirmation; without a terminal it is an error.
 */
async function confirmToken(
  { settings, runtime, typedFlags }: Invocation,
  token: string,
  baseUrl: string,
): Promise<boolean> {
  // It is stored nowhere yet. The source `file` is a stand-in, which is never shown.
  const found = { token, source: 'file', read: async () => token } as const;
  const service = await openServiceAt(baseUrl, found, settings, runtime);
  const failure = await checkToken(service, settings, runtime);
  if (failure === undefined) return true;
  const { facts } = failure;
  const ask = await promptsFor(settings, runtime);
  if (ask === undefined) {
    // The paths of the API begin with /v1, so an address that ends in it is probably meant without.
    const withoutV1 = withoutVersion(baseUrl);
    const retyped = withoutV1 === undefined ? typedFlags : { ...typedFlags, baseUrl: withoutV1 };
    const again = socialLine({ words: ['auth', 'login'], flags: wordsOfFlags(retyped) });
    // Another program answered: the token must not be kept for that address.
    const isElsewhere = facts.status !== undefined && facts.sender !== 'service';
    const kept = 'the token was not stored';
    const hint = [facts.hint, isElsewhere ? kept : `${kept}; --no-check stores it without asking`];
    // Only a service without a usable response may take the token later: a refusal will not.
    const isOut = facts.status === undefined || facts.status >= 500;
    let next = again;
    if (withoutV1 === undefined && isElsewhere)
      next = ['social', 'doctor', ...flagWords('--base-url', baseUrl)];
    else if (withoutV1 === undefined && isOut) next = [...again, '--no-check'];
    throw failure.with({ hint: hint.filter(Boolean).join('; '), next });
  }
  await runtime.stderr.write(`${checkInWords(failure)}\n`);
  if (await ask.confirm('Store it anyway?', false)) return false;
  throw new Failure('declined', { what: 'the token was not stored', sent: facts.sent ?? false });
}

async function askBaseUrl({ settings, runtime }: Invocation): Promise<string> {
  const ask = await promptsFor(settings, runtime);
  if (ask === undefined) {
    const fix = 'e.g. --base-url https://api.example.com';
    throw usageFailure({ field: '--base-url', problem: 'is required', fix });
  }
  const answer = await ask.text({
    message: 'Base URL of the service',
    clean: withScheme,
    validate: tokenUrlFault,
  });
  return withoutEndSlashes(answer);
}

/** Reads the token to store: from a hidden prompt, or the one line of standard input. */
async function newToken({ settings, runtime }: Invocation, host: string): Promise<string> {
  const ask = await promptsFor(settings, runtime);
  if (ask === undefined && runtime.stdin.isTTY)
    throw usageFailure({ field: 'token', problem: 'is required', fix: 'pipe it to stdin' });
  const typed = await (ask === undefined
    ? readStdin('token', runtime)
    : ask.secret({
        message: `Token for ${host}`,
        // In a hidden prompt, the spaces around a pasted token cannot be seen.
        clean: (text) => text.replace(/^[ \t]+|[ \t]+$/g, ''),
        validate(text) {
          const token = parseToken(text, 'token');
          if (typeof token === 'string') return undefined;
          return [token.problem, token.fix].filter(Boolean).join('; ');
        },
      }));
  if (typeof typed === 'object' && 'problem' in typed) throw usageFailure(typed);
  const token = parseToken(typed, 'token');
  if (typeof token !== 'string') throw usageFailure(token);
  if (hasBearer(typed)) await runtime.stderr.write('note: removed the word Bearer\n');
  return token;
}
