// The likely cause of a failure, guessed from its code and its text, for people only, and its remedy: whether a retry
// helps, what has to happen first, and the words for it.

import { faultLines } from '../base/error-forms.ts';
import { type Failure, isSignal } from '../base/errors.ts';
import { statusTone, type Tone } from '../api/schema/rules.ts';
import { valueAt } from '../output/table-view.ts';
import type { CauseRule } from './taught-causes.ts';
import { type CauseReading, readCause } from './cause.ts';

/** The causes in the order in which they are shown, by what has to be fixed. */
export const causes = [
  'token',
  // Before the causes that a retry follows: a retry could publish these twice.
  'unsure',
  'reconnect',
  'content',
  // A wrong ID, or nothing to retry: no content has to be corrected.
  'request',
  'platform',
  'temporary',
  'other',
  // The change may have been applied all the same.
  'unknown',
] as const;

export type Cause = (typeof causes)[number];

/** The remedy for the failures with a cause. */
interface Remedy {
  /** True if the same request may succeed another time, after a login if the token was rejected. */
  readonly mayRetry: boolean;
  /** The advice for one target. */
  readonly ofTarget?: string;
  /** The advice for many posts. */
  readonly ofPosts?: string;
}

/** The reason to skip a target whose last attempt has an unknown end. */
export const MAY_BE_PUBLISHED = 'may be published already';
export const LOOK_FIRST = 'look at the account first; then --target <id> sends it';

/** Formats the number of targets that were skipped for a reason: `skipped 3 targets: already publishing`. */
export function skippedLine(reason: string, count: number): string {
  const targets = `${count} ${count === 1 ? 'target' : 'targets'}`;
  if (reason === MAY_BE_PUBLISHED) return `${targets} ${reason}: ${LOOK_FIRST}`;
  return `skipped ${targets}: ${reason}`;
}

export const remedies: Readonly<Record<Cause, Remedy>> = {
  token: { mayRetry: true },
  unsure: {
    mayRetry: false,
    ofTarget: `${MAY_BE_PUBLISHED}: ${LOOK_FIRST}`,
    ofPosts: `${MAY_BE_PUBLISHED}: ${LOOK_FIRST}`,
  },
  reconnect: { mayRetry: false, ofTarget: 'check the account’s connection before you retry' },
  content: {
    mayRetry: false,
    ofTarget: 'check the content before you retry',
    ofPosts: 'change the content; retrying it unchanged fails again',
  },
  request: {
    mayRetry: false,
    ofPosts: 'the service refuses these as they are; check their IDs and states',
  },
  platform: {
    mayRetry: false,
    ofTarget: 'the platform rejected it and may reject it again',
    ofPosts: 'the platform rejects it and may reject it again; check the account there',
  },
  temporary: { mayRetry: true },
  other: { mayRetry: true },
  unknown: { mayRetry: false },
};

/** IDs are removed before the text is read: the ID PostPhotoGallery does not mean a photo. */
const ID = /\b[a-zA-Z]{16}\b/g;

/** A cause, and the part of the error it was read from. */
type Reading = Pick<CauseReading, 'readFrom'> & { readonly cause: Cause };

/** Reads the cause of a failed item; `targets` are the errors of the platforms, if they are known. */
export function readFailure(
  failure: Failure,
  targets: readonly TargetError[],
  rules: readonly CauseRule[],
): Reading {
  const { kind } = failure;
  const { status, sender, isLasting = false } = failure.facts;
  if (kind === 'unauthorized' && (status ?? 401) === 401 && sender !== 'gateway')
    return { cause: 'token' };
  if (kind === 'no_answer' || (kind === 'rate_limited' && !isLasting))
    return { cause: 'temporary' };
  if (kind === 'outcome_unknown') return { cause: 'unknown' };
  if (kind === 'not_found') return { cause: 'request' };
  // The words of a page are not about the record.
  if (sender === 'gateway') return { cause: 'other' };
  // After a signal nothing has failed: an accepted change continues at the service.
  if (isSignal(kind)) return { cause: failure.outcome === 'accepted' ? 'other' : 'unknown' };
  const read = readTargets(targets, rules);
  if (read.readFrom !== undefined) return read;
  const { code = '', what, details } = failure.facts;
  // With errors of targets, the message only counts them. The details of a response may say more than its message.
  const texts =
    targets.length > 0
      ? [code]
      : [`${code} ${what}`, ...(status === undefined ? [] : faultLines(details ?? []))];
  const fromMessage = readFirst(texts.slice(0, MOST_TEXTS), rules);
  // A request that the service refused has no unknown end, and the words of a conflict name the state of a record.
  const isTaught = rules.some(({ readFrom }) => readFrom === fromMessage.readFrom);
  if (kind === 'refused' && (status === 409 || fromMessage.cause === 'unsure') && !isTaught)
    return { cause: 'request' };
  // The service may refuse this caller, and not the account on a platform, unless it says so.
  const isOfCaller =
    status === 403 && fromMessage.cause === 'reconnect' && !/account|connect/i.test(what);
  if (fromMessage.cause !== 'other') return isOfCaller ? { cause: 'other' } : fromMessage;
  // An error of the service itself means that the record is wrong, whatever the words.
  return kind === 'refused' ? { cause: 'request' } : read;
}

/** Each fault of a response has a text; that of the first ones is enough. */
const MOST_TEXTS = 20;

/** Returns the cause of the first of these texts that has one. */
function readFirst(texts: readonly string[], rules: readonly CauseRule[]): CauseReading {
  for (const text of texts) {
    const read = readCause('', text.replace(ID, ''), rules);
    if (read.cause !== 'other') return read;
  }
  return { cause: 'other' };
}

/** Returns the first cause, in the order of `causes`, of any of these errors. */
export function readTargets(
  targets: readonly TargetError[],
  rules: readonly CauseRule[],
): CauseReading {
  const found = targets.map(({ platform, error }) => readCause(platform, error, rules));
  const [first] = found.toSorted((a, b) => causes.indexOf(a.cause) - causes.indexOf(b.cause));
  return first ?? { cause: 'other' };
}

/** The platform's error for a target that was not published. */
export interface TargetError {
  /** The platform; empty if the response does not say. */
  readonly platform: string;
  readonly error: string;
  readonly account?: string | undefined;
}

/**
 * Lists the targets that have an error and are not published; none if the data is not a post. With `ids` only those: if
 * some targets were retried, the post may have others that failed before.
 */
export const targetErrorsIn = (
  data: unknown,
  ids: readonly string[] = [],
): readonly TargetError[] =>
  targetsIn(data)
    .filter((target) => ids.length === 0 || ids.includes(String(valueAt(target, 'id'))))
    .map(errorOf)
    .filter((error) => error !== undefined);

function errorOf(target: unknown): TargetError | undefined {
  const textAt = (name: string) => {
    const value = valueAt(target, name);
    return typeof value === 'string' ? value : undefined;
  };
  const error = textAt('error');
  if (error === undefined || valueAt(target, 'status') === 'published') return undefined;
  return { platform: textAt('platform') ?? '', error, account: textAt('accountId') };
}

/** Formats `linkedin: The session has expired (reconnect)`, one per line. */
export const targetErrorLines = (
  data: unknown,
  ids: readonly string[] | undefined,
  rules: readonly CauseRule[],
): readonly string[] =>
  targetErrorsIn(data, ids).map(({ platform, error }) => {
    const { cause } = readCause(platform, error, rules);
    return `${platform === '' ? '' : `${platform}: `}${error} (${cause})`;
  });

/** Copies the post for a person: each error that stopped a target is followed by its cause and its source. */
export function withCauses(data: unknown, rules: readonly CauseRule[]): unknown {
  const targets = targetsIn(data);
  if (targets.length === 0) return data;
  const read = targets.map((target) => {
    const failed = errorOf(target);
    if (failed === undefined) return target;
    const { platform, error } = failed;
    const { cause, readFrom } = readCause(platform, error, rules);
    const why = readFrom === undefined ? cause : `${cause}: ${shortly(readFrom)}`;
    return { ...(target as object), error: `${error} (${why})` };
  });
  return { ...(data as object), targets: read };
}

/** Shortens `"token" in the text` to `"token"`, for narrow places. */
export const shortly = (readFrom: string): string => readFrom.replace(' in the text', '');

/** Returns the tone of a post: bad if the post or one of its targets is bad, else that of its own status. */
export function targetsTone(data: unknown): Tone {
  const postStatus = valueAt(data, 'status');
  const tones = [postStatus, ...targetsIn(data).map((target) => valueAt(target, 'status'))].map(
    (status) => (typeof status === 'string' ? statusTone(status) : 'good'),
  );
  return tones.includes('bad') ? 'bad' : tones[0]!;
}

function targetsIn(data: unknown): readonly unknown[] {
  const targets = valueAt(data, 'targets');
  return Array.isArray(targets) ? targets : [];
}
