// Unexpected words on a command line: one may be a token, and is then not shown in a message.

import type { Fault } from './errors.ts';
import { quote } from './sanitize.ts';

/** What to do about a secret on a command line: it is in the history of the shell. */
export const IN_HISTORY =
  'it is not shown because it may be a secret; if it is one, replace it: your shell history has it now';

/** Ids of the service have letters alone; a token has not, or is long, or stands behind a name. */
export const looksLikeSecret = (word: string): boolean =>
  word.includes('=') ||
  (word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word) && !/^[\w-]*\.\w{1,5}$/.test(word)) ||
  word.length > 24;

/** A word as a message may show it: of a possible secret only the name before a `=`. */
export function quoteUnlessSecret(word: string): string {
  if (!looksLikeSecret(word)) return quote(word);
  const name = /^([\w.-]{1,20})=/.exec(word)?.[1];
  return name === undefined || looksLikeSecret(name) ? 'a word' : `"${name}=…"`;
}

/** The fault of words beyond those that a command takes; none of them is shown where each may be a secret. */
export function extraWords(
  command: string,
  words: readonly string[],
  {
    most,
    areSecret = false,
    meant,
  }: {
    readonly most: number;
    readonly areSecret?: boolean;
    /** What a word was most likely typed for. */
    readonly meant?: string | undefined;
  },
): readonly Fault[] {
  const extra = words.slice(most);
  if (extra.length === 0) return [];
  const accepted = `${most === 0 ? 'no' : most} ${most === 1 ? 'argument' : 'arguments'}`;
  const shown = areSecret ? '' : `: unexpected ${extra.map(quoteUnlessSecret).join(', ')}`;
  const fix = areSecret || extra.some(looksLikeSecret) ? IN_HISTORY : meant;
  return [{ field: command, problem: `accepts ${accepted}, got ${words.length}${shown}`, fix }];
}
