// The likely cause of a failure, guessed from its code and its text, for people: nothing is decided by it.

import { type Failure, isSignal } from '../base/errors.ts';
import { postTones, statusTone, type Tone } from '../api/schema/tones.ts';
import { valueAt } from '../output/columns.ts';

/** What has to be mended, in the order in which causes are shown. */
export const causes = {
  token: 'invalid token',
  account: 'reconnect the account',
  content: 'fix the content',
  // A wrong id, or nothing to retry: there is no content to be mended.
  record: 'invalid request',
  platform: 'rejected by platform',
  transient: 'temporary (retry)',
  // `outcome`: the change may have happened all the same.
  other: 'other cause',
  outcome: 'outcome unknown',
} as const;

export type Cause = keyof typeof causes;

// Words as the platforms use them. Those that are part of other words (link in LinkedIn, format in information, auth
// in author) are held to whole ones.
const ACCOUNT =
  /\bauth(?!ors?\b)|token|credential|permission|\bgrant|scope|reconnect|expired|revoked|disconnect|not connected|\blog(?:ged)? ?(?:in|out)\b|session|unauthori[sz]ed|forbidden|missing access|access denied|(?:admin\w*|posting) rights|(?:answered|status|http) 40[13]\b/i;
const TRANSIENT =
  /time[d -]*out|did not answer|temporar|try again|retry after|(?:rate|request|call).?limit|too many|unavailable|overload|gateway|internal (?:server )?error|network|connection|econn|reset|\bbusy|\blater\b|(?:answered|status|http) (?:408|429|5\d\d)\b/i;
/** Limits on how much an account may post: no record is mended by making it shorter. */
const QUOTA =
  /quota|spam|(?:daily|hourly|monthly|posting|publishing|upload|update) (?:\w+ )?limit|exceeded the number|per (?:day|hour)\b|automated/i;
const CONTENT =
  /content|caption|\bmedia|image|photo|picture|video|\btext|\btitle|\blinks?\b|\burl|graphemes?|characters?\b|\bwords\b|\bbytes?\b|length|too (?:long|large|big|small|short)|longer than|larger than|\bsize|\bformat|file type|mime|codec|frame rate|duration|aspect|resolution|hashtag|mention|flair|thread item|attachment|embed|poll option|invalid|malformed|missing|required|duplicate|already been (?:submitted|posted|shared)|not supported|unsupported|validation|the limit is|at most|must be|must not/i;
const PLATFORM =
  /platform|provider|policy|policies|guidelines|violat|blocked|removed|taken ?down|suspend|restricted|\bbanned|locked|review|verif|not allowed|remote|upstream|instance|board|channel|\bchat\b|\bpages?\b|\bapp\b/i;

const readings: readonly (readonly [RegExp, Cause])[] = [
  [ACCOUNT, 'account'],
  [TRANSIENT, 'transient'],
  [QUOTA, 'platform'],
  [CONTENT, 'content'],
  [PLATFORM, 'platform'],
];

/** What the service calls PostPhotoGallery says nothing of a photo. */
const ID = /\b[a-zA-Z]{16}\b/g;

/** The cause of a failed item; `texts` are what the platforms said of it, where that is known. */
export function causeOf(failure: Failure, texts: readonly string[]): Cause {
  if (failure.kind === 'unauthorized') return 'token';
  if (failure.kind === 'rate_limited' || failure.kind === 'no_answer') return 'transient';
  if (failure.kind === 'outcome_unknown' || isSignal(failure.kind)) return 'outcome';
  if (failure.kind === 'still_pending') return 'transient';
  const said = [
    failure.facts.code ?? '',
    ...texts,
    ...(texts.length > 0 ? [] : [failure.facts.what.replace(ID, '')]),
  ];
  const read = causeOfTexts(said);
  if (read !== 'other') return read;
  // What the service itself refused is wrong with the record, whatever the words.
  return failure.kind === 'refused' || failure.kind === 'not_found' ? 'record' : 'other';
}

/** The cause that the platforms' own words tell. */
export function causeOfTexts(texts: readonly string[]): Cause {
  const text = inWords(texts.join(' '));
  return readings.find(([words]) => words.test(text))?.[1] ?? 'other';
}

/** `BlobTooLarge` and `file_format_check_failed` as the words that they are made of. */
const inWords = (text: string) =>
  text.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');

// What the platforms said of the targets of a post that did not go out.

export interface TargetError {
  /** The platform; empty where the answer does not say. */
  readonly platform: string;
  readonly error: string;
}

/** The targets that have an error and are not published; none of what is no post. */
export function targetErrorsIn(data: unknown): readonly TargetError[] {
  return targetsIn(data)
    .filter((target) => valueAt(target, 'status') !== 'published')
    .flatMap((target) => {
      const [platform, error] = [valueAt(target, 'platform'), valueAt(target, 'error')];
      if (typeof error !== 'string') return [];
      return [{ platform: typeof platform === 'string' ? platform : '', error }];
    });
}

/** `linkedin: The session has expired (reconnect the account)`, a line each. */
export const targetErrorLines = (data: unknown): readonly string[] =>
  targetErrorsIn(data).map(
    ({ platform, error }) =>
      `${platform === '' ? '' : `${platform}: `}${error} (${causes[causeOfTexts([error])]})`,
  );

/** How what was read stands: badly where any target of it does; well where it does not say. */
export function targetsTone(data: unknown): Tone {
  const own = valueAt(data, 'status');
  const moods = [own, ...targetsIn(data).map((target) => valueAt(target, 'status'))].map(
    (status) => (typeof status === 'string' ? statusTone(status, postTones) : 'good'),
  );
  return moods.includes('bad') ? 'bad' : moods[0]!;
}

function targetsIn(data: unknown): readonly unknown[] {
  const targets = valueAt(data, 'targets');
  return Array.isArray(targets) ? targets : [];
}
