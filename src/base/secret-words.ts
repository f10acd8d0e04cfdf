// Unexpected words on a command line: one may be a token, and is then not shown in a message.

import type { Fault } from './errors.ts';
import { quote } from './sanitize.ts';

/** The advice for a secret on a command line: the shell has it in its history. */
export const IN_HISTORY =
  'it is not shown because it may be a secret; if it is one, replace it: your shell history has it now';

/**
 * Guesses that a word is a secret. IDs of the service are letters only; a token has digits, or is long, or follows a
 * name and `=`.
 */
export const looksLikeSecret = (word: string): boolean =>
  word.includes('=') ||
  (word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word) && !/^[\w-]*\.\w{1,5}$/.test(word)) ||
  word.length > 24;

/** Quotes a word for a message; a possible secret is reduced to the name before its `=`. */
export function quoteUnlessSecret(word: string): string {
  if (!looksLikeSecret(word)) return quote(word);
  const name = /^([\w.-]{1,20})=/.exec(word)?.[1];
  return name === undefined || looksLikeSecret(name) ? 'a word' : `"${name}=…"`;
}

/**
 * Makes the fault of words beyond the arguments that a command accepts. If one of them may be a secret, none is shown.
 */
export function extraWords(
  command: string,
  words: readonly string[],
  { most, areSecret = false }: { readonly most: number; readonly areSecret?: boolean | undefined },
): readonly Fault[] {
  const extra = words.slice(most);
  if (extra.length === 0) return [];
  const accepted = `${most === 0 ? 'no' : most} ${most === 1 ? 'argument' : 'arguments'}`;
  const list = areSecret ? '' : `: unexpected ${extra.map(quoteUnlessSecret).join(', ')}`;
  const fix = areSecret || extra.some(looksLikeSecret) ? IN_HISTORY : undefined;
  return [{ field: command, problem: `accepts ${accepted}, got ${words.length}${list}`, fix }];
}
