// The command that stores another token, suggested after a token was missing or rejected.

import { type RawFlags, serviceFlags } from '../flags.ts';
import type { Settings } from '../settings.ts';

/** Makes `social auth login -C prod`, with the base URL if there is no context. */
export function loginCommand(
  context: string | undefined,
  baseUrl: string | undefined,
  { cacert }: RawFlags = {},
): string {
  const address = context === undefined ? baseUrl : undefined;
  return ['social auth login', ...serviceFlags(context, address, cacert)].join(' ');
}

/**
 * Says what to do after a 401. It suggests a login only if that would store the token for the same line: not if another
 * source takes precedence, nor if it would change the address of a context.
 */
export function afterRefusedToken(
  { context, baseUrl, stored }: Pick<Settings, 'context' | 'baseUrl' | 'stored'>,
  flags: RawFlags,
  source: string,
): { readonly next?: string; readonly hint?: string } {
  if (source === 'sandbox') return {};
  const elsewhere = context !== undefined && stored?.baseUrl !== baseUrl;
  if (source === 'SOCIAL_TOKEN' || elsewhere) {
    const hasStored = !elsewhere && stored?.tokenIn !== undefined;
    const unset = hasStored ? ', or unset it to use the stored token' : '';
    return { hint: `set SOCIAL_TOKEN to a valid token of ${baseUrl ?? 'this service'}${unset}` };
  }
  if (source === 'SOCIAL_TOKEN_FILE')
    return { hint: 'write a valid token to the file that SOCIAL_TOKEN_FILE names, or unset it' };
  if (source === 'token-command')
    return {
      hint: 'the token command printed this token: update it there, or set another command',
      next: `social context show ${context ?? ''}`.trim(),
    };
  return { next: loginCommand(context, baseUrl, flags) };
}
