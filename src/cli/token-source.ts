// Which of the places that may hold a token counts for a call, and why. First hit wins: SOCIAL_TOKEN,
// SOCIAL_TOKEN_FILE, the context's token command, the stored token. A stored token goes to its own origin only.

import { Failure, type Fault } from '../errors.ts';
import { readPrivate } from '../files/private.ts';
import type { World } from '../world.ts';
import type { StoredContext } from './config.ts';
import { readToken } from './token.ts';
import { loadToken } from './token-store.ts';

/** The places, the first one first. */
export type TokenSource =
  'SOCIAL_TOKEN' | 'SOCIAL_TOKEN_FILE' | 'token-command' | 'keychain' | 'file';

export interface FoundToken {
  readonly token: string;
  readonly source: TokenSource;
}

const MAX_BYTES = 16 * 1024;

/** The sources that are set for a context, in the order in which they count. Reads no token. */
export function tokenSources(
  context: StoredContext | undefined,
  { env }: World,
): readonly TokenSource[] {
  const sources: readonly (readonly [TokenSource, unknown])[] = [
    ['SOCIAL_TOKEN', env['SOCIAL_TOKEN'] || undefined],
    ['SOCIAL_TOKEN_FILE', env['SOCIAL_TOKEN_FILE'] || undefined],
    ['token-command', context?.tokenCommand],
    [context?.tokenIn ?? 'file', context?.tokenIn],
  ];
  return sources.flatMap(([source, set]) => (set === undefined ? [] : [source]));
}

/**
 * The token for requests to an origin. Throws `unauthorized` where there is none or the stored one belongs to
 * another origin, `usage` or `local_io` where one is there that cannot be used.
 */
export async function findToken(
  name: string | undefined,
  context: StoredContext | undefined,
  origin: string,
  world: World,
): Promise<FoundToken> {
  const [source] = tokenSources(context, world);
  if (source === undefined) throw noToken(name, origin);
  return { source, token: await tokenFrom(source, name, context, origin, world) };
}

async function tokenFrom(
  source: TokenSource,
  name: string | undefined,
  context: StoredContext | undefined,
  origin: string,
  world: World,
): Promise<string> {
  if (source === 'SOCIAL_TOKEN') return usable(world.env[source]!, source, 'usage');
  if (source === 'SOCIAL_TOKEN_FILE') return fromFile(world.env[source]!);
  if (source === 'token-command') {
    const { runTokenCommand } = await import('./token-command.ts');
    return usable(
      await runTokenCommand(context!.tokenCommand!, world),
      'the token command’s output',
      'local_io',
    );
  }
  const stored = await loadToken(name!, source, world);
  if (stored === undefined) throw noToken(name, origin);
  if (stored.origin !== origin) throw foreign(stored.origin, origin);
  return usable(stored.token, 'the stored token', 'local_io');
}

function fromFile(path: string): string {
  const bytes = readPrivate(path, MAX_BYTES);
  if (bytes !== undefined)
    return usable(bytes.toString('latin1'), `the token in ${path}`, 'local_io');
  throw new Failure('local_io', { what: `SOCIAL_TOKEN_FILE: ${path} does not exist`, sent: false });
}

function usable(given: string, field: string, kind: 'usage' | 'local_io'): string {
  const token: string | Fault = readToken(given, field);
  if (typeof token === 'string') return token;
  throw new Failure(kind, {
    what: `${token.field} ${token.problem}`,
    sent: false,
    retryable: false,
  });
}

function noToken(name: string | undefined, origin: string): Failure {
  const where = name === undefined ? '' : ` in context ${name}`;
  return new Failure('unauthorized', {
    what: `no token for ${origin}${where}`,
    why: ['set SOCIAL_TOKEN, or log in; -C sandbox needs none'],
    next: `social auth login${name === undefined ? ` --base-url ${origin}` : ` -C ${name}`}`,
    sent: false,
    retryable: false,
  });
}

function foreign(owner: string, origin: string): Failure {
  return new Failure('unauthorized', {
    what: `the stored token belongs to ${owner} and is not sent to ${origin}`,
    why: ['set SOCIAL_TOKEN for this call, or log in there under a context of its own'],
    next: `social auth login -C <name> --base-url ${origin}`,
    sent: false,
    retryable: false,
  });
}
