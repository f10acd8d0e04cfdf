// Finds out the outcome of a retry whose response was lost: compares the post as it is now with the time at which the
// retry was sent. If there are two explanations, the verdict is `cannot tell`.

import { isObject } from '../../base/json.ts';
import { formatDuration } from '../../base/durations.ts';
import { isTimestamp } from '../schema/rules.ts';
import { isRetryable, type TargetState, targetsOf, unknownStatuses } from '../schema/post.ts';

/** `done`: the change was applied. `failed`: it was applied, and a part of it failed again. */
export const verdicts = ['done', 'not done', 'failed', 'cannot tell'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Settlement {
  readonly verdict: Verdict;
  /** The reason, as a clause. */
  readonly why: string;
  /** Milliseconds after which another read may show more. */
  readonly againMs?: number | undefined;
  /** Set with `done` if a part of it is still in progress. */
  readonly isMoving?: boolean;
  /** The outcome of each part of the change, with `done` and `failed`; without it all parts have the same. */
  readonly parts?: readonly SettledPart[];
}

export interface SettledPart {
  readonly id: string;
  /** `accepted` means that it is still in progress. */
  readonly outcome: 'done' | 'accepted' | 'failed';
}

export const cannotTell = (why: string, againMs?: number): Settlement => ({
  verdict: 'cannot tell',
  why,
  againMs,
});

/** A span of time by the service's clock, in milliseconds since 1970, both ends included. */
export interface TimeSpan {
  readonly earliest: number;
  readonly latest: number;
}

/** The change in question. Its parts are, for a retry, the targets of the post. */
export interface SentChange {
  /** The IDs of the parts that its request named; `undefined` if it named none, or if that is unknown. */
  readonly parts: readonly string[] | undefined;
  /** The time at which it was sent. */
  readonly sent: TimeSpan;
  /** Milliseconds from the end of the request to the read. */
  readonly ageMs: number;
  /** True if a gateway answered it (502 and up): the service may have it in a queue. */
  readonly gatewayAnswered?: boolean;
}

const MINUTE_MS = 60_000;
/** A retry may start this long after it was sent. */
const STARTS_WITHIN_MS = MINUTE_MS;
/**
 * A retry may start this long after it was sent if something indicates a queue. A later change may be the effect of
 * another retry.
 */
const QUEUED_WITHIN_MS = 15 * MINUTE_MS;
/** The clocks of the service's machines may differ by this. */
export const SERVICE_SKEW_MS = 2000;

/** Judges a retry by the post as it is now. Throws as `targetsOf` does. */
export function judgeRetry(post: unknown, change: SentChange): Settlement {
  const { parts, sent } = change;
  const all = targetsOf(post);
  const missing = parts?.find((id) => all.every((target) => target.id !== id));
  if (missing !== undefined) return cannotTell(`the post has no target ${missing} any more`);
  const targets = parts === undefined ? all : all.filter(({ id }) => parts.includes(id));
  if (targets.length === 0) return cannotTell('the post has no targets');
  const [strange] = unknownStatuses({ targets });
  if (strange !== undefined) return cannotTell(`unknown status ${strange}`);
  // A target that is publishing will change again, and may then be a clear answer.
  const againMs = all.some(isPublishing) ? MINUTE_MS : undefined;
  const sideOfTarget = ({ updatedAt }: TargetState) => sideOf(updatedAt, sent);
  const close = targets.find((target) => sideOfTarget(target) === 'close');
  if (close !== undefined)
    return cannotTell(
      `${nameOf(close)} changed at about the time it was sent (${close.updatedAt})`,
      againMs,
    );
  const changed = targets.filter((target) => sideOfTarget(target) === 'after');
  const late = changed.find(
    ({ updatedAt }) => Date.parse(updatedAt) > sent.latest + QUEUED_WITHIN_MS,
  );
  if (late !== undefined)
    return cannotTell(`${nameOf(late)} changed long after it was sent (${late.updatedAt})`);
  const other = changed.find(({ status }) => !STATUSES_AFTER_RETRY.has(status));
  if (other !== undefined)
    return cannotTell(`${nameOf(other)} is ${other.status} since ${other.updatedAt}`);
  const stillFailed = targets.filter((target) => !changed.includes(target) && isRetryable(target));
  const retriedCount = changed.length + stillFailed.length;
  if (retriedCount === 0)
    return cannotTell('no target is failed and none changed since: there was nothing to retry');
  if (changed.length === 0) return judgeUnchanged(post, stillFailed, change);
  if (stillFailed.length > 0)
    return cannotTell(
      `only ${changed.length} of ${retriedCount} targets changed after it was sent`,
      againMs,
    );
  return judgeChanged(changed, change);
}

/** The statuses that a retry gives a target. Any other, such as `action_required`, may have another reason. */
const STATUSES_AFTER_RETRY = new Set(['published', 'publishing', 'failed']);

/**
 * Judges a retry if every target has changed. Published ones show that it was applied. A new failure may be that of an
 * earlier retry while this one is still queued: it counts once this one can no longer start.
 */
function judgeChanged(targets: readonly TargetState[], change: SentChange): Settlement {
  const why = targets.map(stateOf).join(', ');
  const parts = targets.map((target) => ({ id: target.id, outcome: outcomeOf(target) }));
  if (!targets.some(isRetryable))
    return { verdict: 'done', why, isMoving: targets.some(isPublishing), parts };
  const waitMs = change.gatewayAnswered === true ? QUEUED_WITHIN_MS : STARTS_WITHIN_MS;
  if (change.ageMs < waitMs) return tooEarly(`${why}, but ${whyTooEarly(change)}`, change, waitMs);
  return { verdict: 'failed', why, parts };
}

function outcomeOf(target: TargetState): SettledPart['outcome'] {
  if (isRetryable(target)) return 'failed';
  return isPublishing(target) ? 'accepted' : 'done';
}

/** Judges a retry if no target has changed: it was not applied, unless it may still start. */
function judgeUnchanged(
  post: unknown,
  targets: readonly TargetState[],
  change: SentChange,
): Settlement {
  const { sent, ageMs } = change;
  const all = targetsOf(post);
  const postSide = sideOf(isObject(post) ? post['updatedAt'] : undefined, sent);
  // The service may have noted the retry in the post, and not begun with its targets.
  const onlyPostChanged =
    postSide !== 'before' && all.every(({ updatedAt }) => sideOf(updatedAt, sent) === 'before');
  const publishing = all.find(isPublishing);
  const queue = onlyPostChanged
    ? `the post ${postSide === 'after' ? 'changed' : 'may have changed'} after it was sent, its targets did not: it may be queued`
    : publishing && `${nameOf(publishing)} is publishing: it may be queued behind that`;
  const isQueued = queue !== undefined || change.gatewayAnswered === true;
  const waitMs = isQueued ? QUEUED_WITHIN_MS : STARTS_WITHIN_MS;
  if (ageMs < waitMs) return tooEarly(queue ?? whyTooEarly(change), change, waitMs);
  // The time is rounded down, so that the sentence claims no more than was seen.
  const unit = ageMs < 2 * MINUTE_MS ? 1000 : MINUTE_MS;
  const unchangedFor = formatDuration(Math.floor(ageMs / unit) * unit);
  const states = targets.map(stateOf).join(', ');
  return { verdict: 'not done', why: `nothing changed for ${unchangedFor} after it: ${states}` };
}

const tooEarly = (why: string, { ageMs }: SentChange, waitMs: number) =>
  cannotTell(why, waitMs - ageMs);

const whyTooEarly = ({ gatewayAnswered }: SentChange): string =>
  gatewayAnswered === true
    ? 'a gateway answered it less than 15 minutes ago: the service may still do it'
    : 'it was sent less than a minute ago and may not have begun';

/**
 * Compares a timestamp of the service with the time of sending: before, after, or too close to tell, as a missing
 * timestamp is. Only `before` allows for clocks that differ, because it leads to `not done` and to another request. With
 * the same allowance for `after`, a retry that ended within two seconds would stay unknown.
 */
function sideOf(updatedAt: unknown, { earliest, latest }: TimeSpan): 'before' | 'after' | 'close' {
  if (typeof updatedAt !== 'string' || !isTimestamp(updatedAt)) return 'close';
  const at = Date.parse(updatedAt);
  const step = stepOf(updatedAt);
  // A rounded timestamp is up to half a step too late, a truncated one up to a step too early.
  if (at - step / 2 > latest) return 'after';
  return at + step < earliest - SERVICE_SKEW_MS ? 'before' : 'close';
}

/** Returns the precision of a timestamp, in milliseconds. */
function stepOf(timestamp: string): number {
  const fraction = /\.(\d+)Z$/.exec(timestamp)?.[1];
  // `.000` may come from a clock without fractions.
  // Finer fractions count as milliseconds, because `Date.parse` drops their further digits.
  if (fraction !== undefined && Number(fraction) > 0)
    return Math.max(1, 1000 / 10 ** fraction.length);
  return /T\d\d:\d\d:\d\d/.test(timestamp) ? 1000 : MINUTE_MS;
}

const isPublishing = ({ status }: TargetState): boolean => status === 'publishing';

const nameOf = ({ platform, id }: TargetState): string => `${platform} ${id}`;

const stateOf = ({ platform, status, updatedAt }: TargetState): string =>
  `${platform} ${status} since ${updatedAt}`;
