// The bearer token: its sources, and the origin to which it may be sent. The first source is
// used: SOCIAL_TOKEN, SOCIAL_TOKEN_FILE, the context's token command, the stored token. Never shows a token.

import { type Failure, ifPossible, unsentFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { type CommandLine, flagWords, serviceFlags } from '../../base/shell.ts';
import { mayCarryToken } from '../../base/url.ts';
import type { StoredContext } from '../file.ts';
import type { RawFlags } from '../flags.ts';
import type { Settings } from '../settings.ts';
import { hasBearer, parseToken } from './parse-token.ts';
import { loadToken, type TokenHome } from './token-store.ts';
import { readIfPresent } from '../../fs/safe-read.ts';

/** Refuses to send a token unencrypted to another machine. */
export function checkTokenMayGo(baseUrl: string): void {
  const url = new URL(baseUrl);
  if (mayCarryToken(url)) return;
  throw unsentFailure('usage', {
    what: `not sending a token over http to ${url.hostname}`,
    hint: 'use https://, or http to a loopback address such as 127.0.0.1',
  });
}

/** The sources in the order of precedence. `checkTokenOrigin` says where the token of each may be sent. */
export type TokenSource =
  'SOCIAL_TOKEN' | 'SOCIAL_TOKEN_FILE' | 'token-command' | 'keychain' | 'file';

export interface FoundToken {
  readonly token: string;
  readonly source: TokenSource;
  /** Reads the source again: a file may have a new token, and a command makes one. */
  read(): Promise<string>;
}

/** More than the longest token, so that a token that is too long is called that, and not the file. */
const MAX_TOKEN_FILE_BYTES = 16 * 1024;

/** Lists the sources that are set for a context, in the order of precedence. Reads no token. */
export function tokenSources(
  stored: StoredContext | undefined,
  { env }: Runtime,
): readonly TokenSource[] {
  const sources: TokenSource[] = [];
  if (env['SOCIAL_TOKEN']) sources.push('SOCIAL_TOKEN');
  if (env['SOCIAL_TOKEN_FILE']) sources.push('SOCIAL_TOKEN_FILE');
  if (stored?.tokenCommand !== undefined) sources.push('token-command');
  if (stored?.tokenIn !== undefined) sources.push(stored.tokenIn);
  return sources;
}

/**
 * Finds the token for requests to a base URL, by its origin. Throws `unauthorized` if there is none or it belongs to
 * another origin, `usage` or `local_io` if it is invalid or cannot be read.
 */
export async function findToken(
  context: string | undefined,
  stored: StoredContext | undefined,
  baseUrl: string,
  runtime: Runtime,
): Promise<FoundToken> {
  const [source] = tokenSources(stored, runtime);
  if (source === undefined) throw noToken(context, baseUrl, stored?.baseUrl);
  checkTokenOrigin(source, stored, baseUrl, runtime);
  const valid = (typed: string | Uint8Array, field: string, kind: 'usage' | 'local_io') =>
    validToken(typed, field, kind, runtime);
  const read = async () => {
    if (source === 'SOCIAL_TOKEN') return valid(runtime.env[source]!, source, 'usage');
    if (source === 'SOCIAL_TOKEN_FILE') {
      const path = runtime.env[source]!;
      return valid(readTokenFile(path), `the token in ${path}`, 'local_io');
    }
    // Only a context has a stored token or a token command, so it is set here.
    if (source !== 'token-command') return tokenFromStore(context!, source, baseUrl, runtime);
    const { runTokenCommand } = await import('./token-command.ts');
    const output = await runTokenCommand(context!, stored!.tokenCommand!, runtime);
    return valid(output, 'the token command’s output', 'local_io');
  };
  return { source, token: await read(), read };
}

/**
 * Throws `unauthorized` if the token of a source belongs to another origin. `SOCIAL_TOKEN` may be sent wherever this call
 * goes. The output of a token command belongs to the base URL of the context. So does a token file; if the context has
 * none, it belongs to `SOCIAL_BASE_URL`, and without either it is like `SOCIAL_TOKEN`. A stored token has its own origin,
 * which is checked when it is read. Reads no token.
 */
export function checkTokenOrigin(
  source: TokenSource,
  stored: StoredContext | undefined,
  baseUrl: string,
  { env }: Pick<Runtime, 'env'>,
): void {
  const isFile = source === 'SOCIAL_TOKEN_FILE';
  if (!isFile && source !== 'token-command') return;
  const ownBaseUrl = stored?.baseUrl ?? (isFile ? env['SOCIAL_BASE_URL'] : undefined) ?? '';
  if (ownBaseUrl === '' && isFile) return;
  const ownOrigin = URL.canParse(ownBaseUrl) ? new URL(ownBaseUrl).origin : 'no valid base URL';
  const what = isFile ? 'the token file' : 'the token command';
  if (ownOrigin !== new URL(baseUrl).origin) throw wrongOrigin(what, ownOrigin, baseUrl);
}

async function tokenFromStore(
  context: string,
  home: TokenHome,
  baseUrl: string,
  runtime: Runtime,
): Promise<string> {
  const entry = await loadToken(context, home, runtime);
  if (entry === undefined) throw noToken(context, baseUrl);
  if (entry.origin !== new URL(baseUrl).origin)
    throw wrongOrigin('the stored token', entry.origin, baseUrl);
  return validToken(entry.token, 'the stored token', 'local_io', runtime);
}

function readTokenFile(path: string): Uint8Array {
  const bytes = readIfPresent(path, MAX_TOKEN_FILE_BYTES, 'private');
  if (bytes !== undefined) return bytes;
  throw unsentFailure('local_io', { what: `SOCIAL_TOKEN_FILE: ${path} does not exist` });
}

function validToken(
  typed: string | Uint8Array,
  field: string,
  kind: 'usage' | 'local_io',
  { note }: Runtime,
): string {
  const token = parseToken(typed, field);
  if (typeof token !== 'string')
    throw unsentFailure(kind, { what: `${token.field} ${token.problem}`, hint: token.fix });
  if (hasBearer(typed)) note(`note: removed the word Bearer from ${field}`);
  return token;
}

function noToken(context: string | undefined, baseUrl: string, own = baseUrl): Failure {
  const { origin } = new URL(baseUrl);
  // A login in the context would be one at its own service.
  const isOwn = ifPossible(() => new URL(own).origin) === origin;
  const where = context === undefined ? '' : ` in context ${context}`;
  return unsentFailure('unauthorized', {
    what: `no token for ${origin}${where}`,
    why: ['set SOCIAL_TOKEN, or log in; -C sandbox needs none'],
    next: isOwn ? loginCommand(context, baseUrl) : loginElsewhere(baseUrl),
  });
}

const loginElsewhere = (baseUrl: string): CommandLine => [
  'social',
  'auth',
  'login',
  '-C',
  { gap: '<name>' },
  ...flagWords('--base-url', baseUrl),
];

function wrongOrigin(what: string, ownOrigin: string, baseUrl: string): Failure {
  const { origin } = new URL(baseUrl);
  return unsentFailure('unauthorized', {
    what: `${what} belongs to ${ownOrigin} and is not sent to ${origin}`,
    why: ['set SOCIAL_TOKEN for this call, or log in to that service in another context'],
    next: loginElsewhere(baseUrl),
  });
}

/** Makes `social auth login -C prod`, with the base URL if there is no context. */
export function loginCommand(
  context: string | undefined,
  baseUrl: string | undefined,
  { cacert }: RawFlags = {},
): CommandLine {
  const address = context === undefined ? baseUrl : undefined;
  return ['social', 'auth', 'login', ...serviceFlags(context, { baseUrl: address, cacert })];
}

/**
 * Advises after a 401. It suggests a login only if the same line would then use the new token: not if another
 * source takes precedence, nor if the login would change the address of a context.
 */
export function adviceOnRefusedToken(
  { context, baseUrl, stored }: Pick<Settings, 'context' | 'baseUrl' | 'stored'>,
  flags: RawFlags,
  source: string,
): { readonly next?: CommandLine; readonly hint?: string } {
  if (source === 'sandbox') return {};
  const isOtherAddress = context !== undefined && stored?.baseUrl !== baseUrl;
  if (source === 'SOCIAL_TOKEN' || isOtherAddress)
    return { hint: `set SOCIAL_TOKEN to a valid token of ${baseUrl ?? 'this service'}` };
  if (source === 'SOCIAL_TOKEN_FILE')
    return { hint: 'write a valid token to the file that SOCIAL_TOKEN_FILE names, or unset it' };
  if (source === 'token-command')
    return {
      hint: 'the token command printed this token: update it there, or set another command',
      next: ['social', 'context', 'show', ...(context === undefined ? [] : [context])],
    };
  return { next: loginCommand(context, baseUrl, flags) };
}
