// The line that gives a service another token: what a person types after one was missing or refused.
import type { Settings } from '../settings.ts';
import { shellQuote } from '../../base/shell.ts';
import type { RawFlags } from '../choices.ts';

/** `social auth login -C prod`; where there is no context, at this address. */
export function loginCommand(
  context: string | undefined,
  baseUrl: string | undefined,
  { cacert }: RawFlags = {},
): string {
  return [
    'social auth login',
    ...(context === undefined ? [] : ['-C', shellQuote(context)]),
    ...(context !== undefined || baseUrl === undefined ? [] : ['--base-url', shellQuote(baseUrl)]),
    ...(typeof cacert === 'string' ? ['--cacert', shellQuote(cacert)] : []),
  ].join(' ');
}

/** What to do after a 401: nothing that would give a context another address, and what counts before a login. */
export function afterRefusedToken(
  { context, baseUrl, stored }: Pick<Settings, 'context' | 'baseUrl' | 'stored'>,
  flags: RawFlags,
  source: string,
): { readonly next?: string; readonly hint?: string } {
  if (source === 'sandbox') return {};
  const elsewhere = context !== undefined && stored?.baseUrl !== baseUrl;
  if (elsewhere) return { hint: `set SOCIAL_TOKEN to a token of ${baseUrl ?? 'this service'}` };
  const next = loginCommand(context, baseUrl, flags);
  if (source === 'file' || source === 'keychain') return { next };
  return { next, hint: `${source} takes precedence over a stored token: correct or remove it` };
}
