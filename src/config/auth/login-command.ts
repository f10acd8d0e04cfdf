// The command that stores another token, suggested after one was missing or refused.

import type { RawFlags } from '../choices.ts';
import { serviceFlags } from '../flags.ts';
import type { Settings } from '../settings.ts';

/** `social auth login -C prod`; without a context with the base URL. */
export function loginCommand(
  context: string | undefined,
  baseUrl: string | undefined,
  { cacert }: RawFlags = {},
): string {
  const address = context === undefined ? baseUrl : undefined;
  return ['social auth login', ...serviceFlags(context, address, cacert)].join(' ');
}

/** What to do after a 401: nothing that would give a context another address; also which source precedes a login. */
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
