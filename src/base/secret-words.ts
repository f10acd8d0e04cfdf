// Words that were typed where none was wanted: one may be a token, and then it is shown nowhere once more.

import { quote } from './sanitize.ts';

/** What to do about a secret on a command line: whoever may read the shell's history has it. */
export const IN_HISTORY =
  'it is not shown, for it may be a secret; it is in the history of your shell now: if it is one, replace it';

/** Ids of the service have letters alone; a token has not, or is long, or stands behind a name. */
export const looksLikeSecret = (word: string): boolean =>
  word.includes('=') ||
  (word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word) && !/^[\w-]*\.\w{1,5}$/.test(word)) ||
  word.length > 24;

/** A word as a message may show it: with the name that stands before a `=`, and not at all where it may be a secret. */
export function quoteUnlessSecret(word: string): string {
  if (!looksLikeSecret(word)) return quote(word);
  const name = /^([\w.-]{1,20})=/.exec(word)?.[1];
  return name === undefined || looksLikeSecret(name) ? 'a word' : `"${name}=…"`;
}

/** A base URL without the user name, the password and the query that somebody may have written into it. */
export function urlWithoutUserInfo(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = /[?#]/.test(url) ? url.replace(/[?#][^]*$/, '?[redacted]') : url;
  const isWeb = parsed !== undefined && /^https?:$/.test(parsed.protocol);
  if (isWeb && parsed.username + parsed.password === '') return plain;
  return plain.replace(/^([a-z][a-z\d+.-]*:\/*)?[^]*@/i, '$1[redacted]@');
}
