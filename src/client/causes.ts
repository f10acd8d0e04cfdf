// The likely cause of a failure, guessed from its code and its text, for people: nothing is decided by it.

import type { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { postTones, statusTone, type Tone } from '../api/schema/status-tones.ts';
import { valueAt } from '../output/columns.ts';
import type { CauseRule, TargetCause } from './cause-rules.ts';
import { type CauseReading, readCause } from './read-cause.ts';

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

/** What the service calls PostPhotoGallery says nothing of a photo. */
const ID = /\b[a-zA-Z]{16}\b/g;

/** A cause, and what of the error it was read from. */
type Reading = Pick<CauseReading, 'readFrom'> & { readonly cause: Cause };

/** The cause of a failed item; `targets` are what the platforms said of it, where that is known. */
export function readFailure(
  failure: Failure,
  targets: readonly TargetError[],
  rules: readonly CauseRule[],
): Reading {
  const { kind } = failure;
  if (kind === 'unauthorized') return { cause: 'token' };
  if (kind === 'rate_limited' || kind === 'no_answer') return { cause: 'temporary' };
  if (kind === 'outcome_unknown') return { cause: 'unknown' };
  if (kind === 'not_found') return { cause: 'request' };
  if (isSignal(kind)) return { cause: failure.outcome === 'accepted' ? 'other' : 'unknown' };
  const read = readTargets(targets, rules);
  if (read.readFrom !== undefined) return read;
  const { code = '', what } = failure.facts;
  const own = readCause('', targets.length > 0 ? code : `${code} ${what.replace(ID, '')}`, rules);
  if (own.cause !== 'other') return own;
  // What the service itself refused is wrong with the record, whatever the words.
  return kind === 'refused' ? { cause: 'request' } : read;
}

/** The first cause, in the order of `causes`, that any of these errors has. */
export function readTargets(
  targets: readonly TargetError[],
  rules: readonly CauseRule[],
): CauseReading {
  const found = targets.map(({ platform, error }) => readCause(platform, error, rules));
  const order: readonly TargetCause[] = ['reconnect', 'content', 'platform', 'temporary', 'other'];
  const [first] = order.flatMap((cause) => found.filter((each) => each.cause === cause));
  return first ?? { cause: 'other' };
}

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
export const targetErrorLines = (
  data: unknown,
  ids: readonly string[] | undefined,
  rules: readonly CauseRule[],
): readonly string[] =>
  targetErrorsIn(data, ids).map(({ platform, error }) => {
    const { cause } = readCause(platform, error, rules);
    return `${platform === '' ? '' : `${platform}: `}${error} (${cause})`;
  });

/** The same post for a person: behind each error that stopped a target its cause, and what that was read from. */
export function withCauses(data: unknown, rules: readonly CauseRule[]): unknown {
  const targets = targetsIn(data);
  if (targets.length === 0) return data;
  const read = targets.map((target) => {
    const [said] = targetErrorsIn({ targets: [target] });
    if (said === undefined) return target;
    const { cause, readFrom } = readCause(said.platform, said.error, rules);
    const why = readFrom === undefined ? cause : `${cause}: ${shortly(readFrom)}`;
    return { ...(target as object), error: `${said.error} (${why})` };
  });
  return { ...(data as object), targets: read };
}

/** `"token"` for `"token" in the text`, where there is little room. */
export const shortly = (readFrom: string): string => readFrom.replace(' in the text', '');

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
