// Whose turn it is after a failure, read off its code and its text. A reading for people: nothing is decided by it.

import { isSignal, type Failure } from '../errors.ts';

/** What has to happen before it can go well, in the order in which it is told. */
export const causes = {
  token: 'the token',
  account: 'reconnect the account',
  content: 'fix the content',
  platform: 'the platform',
  transient: 'transient',
  unknown: 'unknown',
} as const;

export type Cause = keyof typeof causes;

const ACCOUNT =
  /auth|token|credential|permission|scope|reconnect|expired|revoked|disconnect|log ?in|session|unauthori[sz]ed|forbidden/i;
const TRANSIENT =
  /time[d -]*out|temporar|try again|rate.?limit|too many|unavailable|overload|gateway|internal error|network|connection|reset|busy|later/i;
const CONTENT =
  /content|caption|media|image|video|text|title|link|url|length|too (?:long|large|big|short)|size|format|duration|aspect|resolution|hashtag|mention|invalid|missing|required|duplicate|not supported|unsupported|validation/i;
const PLATFORM =
  /platform|provider|policy|violat|blocked|spam|removed|suspend|restricted|quota|review|remote|upstream|instance|board|channel|page/i;

/** The cause of a failed item; `texts` are what the platforms said of it, where that is known. */
export function causeOf(failure: Failure, texts: readonly string[]): Cause {
  if (failure.kind === 'unauthorized') return 'token';
  if (failure.kind === 'rate_limited' || failure.kind === 'no_answer') return 'transient';
  if (failure.kind === 'outcome_unknown' || isSignal(failure.kind)) return 'unknown';
  if (failure.kind === 'still_pending') return 'transient';
  const said = [
    failure.facts.code ?? '',
    ...texts,
    ...(texts.length > 0 ? [] : [failure.facts.what]),
  ];
  const text = said.join(' ').replaceAll('_', ' ');
  if (ACCOUNT.test(text)) return 'account';
  if (TRANSIENT.test(text)) return 'transient';
  if (CONTENT.test(text)) return 'content';
  if (PLATFORM.test(text)) return 'platform';
  // What the service itself refused is wrong with the record, whatever the words.
  return failure.kind === 'refused' || failure.kind === 'not_found' ? 'content' : 'unknown';
}
