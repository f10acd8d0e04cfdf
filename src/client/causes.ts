// The likely cause of a failure, guessed from its code and its text, for people: nothing is decided by it.

import type { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { postTones, statusTone, type Tone } from '../api/schema/status-tones.ts';
import { valueAt } from '../output/columns.ts';
import { platformCodes, type Reading, type TargetCause } from './platform-codes.ts';

/** What has to be mended, in the order in which causes are shown. */
export const causes = [
  'token',
  'reconnect',
  'content',
  // A wrong id, or nothing to retry: there is no content to be mended.
  'request',
  'platform',
  'temporary',
  'other',
  // The change may have happened all the same.
  'unknown',
] as const;

export type Cause = (typeof causes)[number];

// Words that tell a cause, whichever the platform; the first that matches applies. Those that are part of other words
// (link in LinkedIn, format in information, auth in author) are held to whole ones.
const words: readonly Reading[] = [
  [/\bduplicate|too long\b.*\btry again/i, 'content'],
  // Before the advice to try again, which such errors end with.
  [
    /temporarily (?:blocked|locked)|\brestricted|community standards|(?:daily|posting) limit|per day\b|usage cap|\bcredits\b|maximum (?:of|number)|for this location|confirm\w* (?:your )?e-?mail/i,
    'platform',
  ],
  [
    /resource exhausted|per minute|not ready|went wrong|maintenance|certificate|reduce the amount/i,
    'temporary',
  ],
  [
    /\bauth(?!ors?\b)|token|credential|permission|\bgrant|scope|reconnect|expired|revoked|disconnect|not connected|\blog(?:ged)? ?(?:in|out)\b|session|unauthori[sz]ed|forbidden|missing access|access denied|(?:admin\w*|posting|enough) rights|kicked|chat not found|(?:threads|instagram|pages) (?:content|manage|basic)|upgraded to|(?:answered|status|http) 40[13]\b/i,
    'reconnect',
  ],
  [
    /time[d -]*out|did not answer|temporar|try again|retry after|(?:rate|request|call).?limit|too many|unavailable|overload|gateway|internal (?:server )?error|network|connection|econn|reset|\bbusy|\blater\b|(?:answered|status|http) (?:408|429|5\d\d)\b/i,
    'temporary',
  ],
  // Limits on how much an account may post: no record is mended by making it shorter.
  [
    /quota|spam|(?:daily|hourly|monthly|posting|publishing|upload|update|day) (?:\w+ )?limit|exceeded the number|per (?:day|hour)\b|automated|copyright|\bdraft|too new|karma|trial access|closed/i,
    'platform',
  ],
  [
    /content|caption|\bmedia|image|photo|picture|video|\btext|\btitle|\blinks?\b|\burl|grapheme|characters?\b|\bwords\b|\bbytes?\b|length|too (?:long|large|big|small|short)|longer than|larger than|\bsize|\bformat|file type|mime|codec|frame rate|duration|aspect|resolution|hashtag|mention|flair|thread item|attachment|embed|poll option|invalid|malformed|missing|required|already been (?:submitted|posted|shared)|not supported|unsupported|validation|the limit is|at most|must be|must not|must contain|deleted/i,
    'content',
  ],
  [
    /platform|provider|policy|policies|guidelines|violat|blocked|removed|taken ?down|suspend|\bbanned|locked|review|verif|not allowed|remote|upstream|instance|board|channel|\bchat\b|\bpages?\b|\bapp\b/i,
    'platform',
  ],
];

/** What the service calls PostPhotoGallery says nothing of a photo. */
const ID = /\b[a-zA-Z]{16}\b/g;

/** The cause of a failed item; `targets` are what the platforms said of it, where that is known. */
export function causeOf(failure: Failure, targets: readonly TargetError[]): Cause {
  if (failure.kind === 'unauthorized') return 'token';
  if (failure.kind === 'rate_limited' || failure.kind === 'no_answer') return 'temporary';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (isSignal(failure.kind)) return failure.outcome === 'accepted' ? 'other' : 'unknown';
  const read = causeOfTargets(targets);
  if (read !== 'other') return read;
  const { code = '', what } = failure.facts;
  const own = causeOfWords(targets.length > 0 ? code : `${code} ${what.replace(ID, '')}`);
  if (own !== undefined) return own;
  // What the service itself refused is wrong with the record, whatever the words.
  return failure.kind === 'refused' || failure.kind === 'not_found' ? 'request' : 'other';
}

/** The first cause, in the order of `causes`, that any of these errors has. */
export function causeOfTargets(targets: readonly TargetError[]): TargetCause {
  const found = new Set(targets.map(({ platform, error }) => targetCause(platform, error)));
  const order = ['reconnect', 'content', 'platform', 'temporary'] as const;
  return order.find((cause) => found.has(cause)) ?? 'other';
}

/** Characters of an error that are read. */
const MAX_READ = 4000;
/** What the connection said, on whichever platform. */
const WIRE =
  /\bE(?:CONN\w+|TIMEDOUT|AI_AGAIN|PIPE|NOTFOUND)\b|socket hang up|did not answer within|closed the connection|(?:bad gateway|gateway time-?out|service unavailable)\W*$/i;
const STATUS =
  /\b(?:answered|status(?:[ _]code)?|http|error code)['"]?[ :=]+['"]?([45]\d\d)\b|^\W*([45]\d\d)\b/i;
const FROM_HOST = /\bhttp [45]\d\d from [\w.:-]+/i;
const TAG = /<[^>]*>/g;
const URL = /https?:\/\/\S+/g;
const JSON_KEY = /"\w+"\s*:/g;

/** The likely cause of a target's error: by the codes of its platform, then by its words, then by the words of all. */
export function targetCause(platform: string, error: string): TargetCause {
  const text = error.slice(0, MAX_READ).replaceAll('’', "'");
  const coded = firstOf(platformCodes[platform] ?? [], text);
  if (coded !== undefined) return coded;
  if (WIRE.test(text)) return 'temporary';
  // The names of JSON members and the addresses of help pages say nothing of the cause.
  const said = [FROM_HOST, TAG, URL, JSON_KEY].reduce(
    (rest, part) => rest.replace(part, ' '),
    text,
  );
  const [, named, leading] = STATUS.exec(text) ?? [];
  const status = Number(named ?? leading);
  const read = causeOfWords(said);
  return (
    despiteStatus(status, read) ??
    causeOfStatus(status) ??
    (/not found|could not find/i.test(said) ? 'content' : 'other')
  );
}

/** The cause that words of no particular platform tell. */
function causeOfWords(text: string): TargetCause | undefined {
  return firstOf(words, inWords(text));
}

const firstOf = (readings: readonly Reading[], text: string): TargetCause | undefined =>
  readings.find(([pattern]) => pattern.test(text))?.[1];

/** What the platform's words said, unless the HTTP status knows better. */
function despiteStatus(status: number, read: TargetCause | undefined): TargetCause | undefined {
  if (status === 401) return read === 'platform' ? read : 'reconnect';
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return isTemporary && (read === undefined || read === 'content') ? 'temporary' : read;
}

function causeOfStatus(status: number): TargetCause | undefined {
  if (status === 403) return 'reconnect';
  return [413, 415, 422].includes(status) ? 'content' : undefined;
}

/** `BlobTooLarge` and `file_format_check_failed` as the words that they are made of. */
const inWords = (text: string) =>
  text.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');

/** What a platform said of a target that did not go out. */
export interface TargetError {
  /** The platform; empty where the answer does not say. */
  readonly platform: string;
  readonly error: string;
  readonly account?: string;
}

/**
 * The targets that have an error and are not published; none of what is no post. With `ids` only those: where some
 * targets were retried, the post may have others that failed before.
 */
export function targetErrorsIn(data: unknown, ids: readonly string[] = []): readonly TargetError[] {
  return targetsIn(data)
    .filter((target) => valueAt(target, 'status') !== 'published')
    .filter((target) => ids.length === 0 || ids.includes(String(valueAt(target, 'id'))))
    .flatMap((target) => {
      const [platform, error] = [valueAt(target, 'platform'), valueAt(target, 'error')];
      if (typeof error !== 'string') return [];
      const account = valueAt(target, 'accountId');
      const where = typeof account === 'string' ? { account } : {};
      return [{ platform: typeof platform === 'string' ? platform : '', error, ...where }];
    });
}

/** `linkedin: The session has expired (reconnect)`, a line each. */
export const targetErrorLines = (data: unknown, ids?: readonly string[]): readonly string[] =>
  targetErrorsIn(data, ids).map(
    (said) => `${said.platform === '' ? '' : `${said.platform}: `}${errorAndCause(said)}`,
  );

/** The same post for a person: each error that stopped a target with its cause behind it. */
export function withCauses(data: unknown): unknown {
  const targets = targetsIn(data);
  if (targets.length === 0) return data;
  const read = targets.map((target) => {
    const [said] = targetErrorsIn({ targets: [target] });
    return said === undefined ? target : { ...(target as object), error: errorAndCause(said) };
  });
  return { ...(data as object), targets: read };
}

const errorAndCause = ({ platform, error }: TargetError) =>
  `${error} (${targetCause(platform, error)})`;

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
