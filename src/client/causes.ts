// The likely cause of a failure, guessed from its code and its text, for people: nothing is decided by it.

import type { Failure } from '../base/errors.ts';
import { isSignal } from '../base/exit-codes.ts';
import { postTones, statusTone, type Tone } from '../api/schema/status-tones.ts';
import { valueAt } from '../output/columns.ts';
import { readCause, type TargetCause } from './read-cause.ts';

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

/** The cause of a failed item; `targets` are what the platforms said of it, where that is known. */
export function causeOf(failure: Failure, targets: readonly TargetError[]): Cause {
  if (failure.kind === 'unauthorized') return 'token';
  if (failure.kind === 'rate_limited' || failure.kind === 'no_answer') return 'temporary';
  if (failure.kind === 'outcome_unknown') return 'unknown';
  if (failure.kind === 'not_found') return 'request';
  if (isSignal(failure.kind)) return failure.outcome === 'accepted' ? 'other' : 'unknown';
  const read = causeOfTargets(targets);
  if (read !== 'other') return read;
  const { code = '', what } = failure.facts;
  const own = readCause('', targets.length > 0 ? code : `${code} ${what.replace(ID, '')}`);
  if (own.cause !== 'other') return own.cause;
  // What the service itself refused is wrong with the record, whatever the words.
  return failure.kind === 'refused' ? 'request' : 'other';
}

/** The first cause, in the order of `causes`, that any of these errors has. */
export function causeOfTargets(targets: readonly TargetError[]): TargetCause {
  const found = new Set(targets.map(({ platform, error }) => targetCause(platform, error)));
  const order = ['reconnect', 'content', 'platform', 'temporary'] as const;
  return order.find((cause) => found.has(cause)) ?? 'other';
}

/** The likely cause of a target's error. */
export const targetCause = (platform: string, error: string): TargetCause =>
  readCause(platform, error).cause;

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
