// Unexpected words on a command line: one may be a token, and is then not shown in a message.

import { quote } from './sanitize.ts';

/** What to do about a secret on a command line: it is in the history of the shell. */
export const IN_HISTORY =
  'it is not shown, for it may be a secret; it is in the history of your shell now: if it is one, replace it';

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
