// Whether a retry whose answer was lost was done: the targets of the post as they are now, and their `updatedAt` beside
// the time at which it was sent. What has two explanations is not told.

import { isObject } from '../../base/json.ts';
import type { SentChange, Settlement, TimeSpan } from '../operations/settle.ts';
import { isTimestamp } from './rules.ts';
import { isRetryable, type TargetState, targetsOf, unknownStatuses } from './target-states.ts';

/** A retry that was done may not have begun before this. */
const STARTS_WITHIN_MS = 60_000;
/** The same where it may stand in a queue: the post has changed since, or another target is publishing. */
const QUEUED_WITHIN_MS = 15 * 60_000;
/** What changed later than this may be the effect of another retry. */
const EFFECT_MS = 15 * 60_000;
/** How far the clocks of the service's own machines may be apart. */
const SERVICE_SKEW_MS = 2000;

/**
 * `still`: failed, and not touched since. `again`: published, publishing or failed since. `late`: the same, but long
 * after. `other`: changed since in a way that a retry does not. `close`: too close to tell. `rest`: nothing to retry.
 */
type Change = 'still' | 'again' | 'late' | 'other' | 'close' | 'rest';

/** What a post shows of a retry. Throws as `targetsOf` does. */
export function judgeRetry(post: unknown, change: SentChange): Settlement {
  const { parts, sent } = change;
  const all = targetsOf(post);
  const targets = parts === undefined ? all : all.filter(({ id }) => parts.includes(id));
  const missing = parts?.find((id) => all.every((target) => target.id !== id));
  if (missing !== undefined) return cannotTell(`the post has no target ${missing} any more`);
  if (targets.length === 0) return cannotTell('the post has no targets');
  const [strange] = unknownStatuses({ targets });
  if (strange !== undefined) return cannotTell(`unknown status ${strange}`);
  const seen = targets.map((target) => ({ target, change: changeOf(target, sent) }));
  const those = (...changes: readonly Change[]) =>
    seen.filter((each) => changes.includes(each.change)).map(({ target }) => target);
  const isMoving = all.some(({ status }) => status === 'publishing');
  const [close] = those('close');
  if (close !== undefined)
    return {
      ...cannotTell(`${nameOf(close)} changed at about the time it was sent (${close.updatedAt})`),
      ...(isMoving ? { againMs: STARTS_WITHIN_MS } : {}),
      isClose: true,
    };
  const [late] = those('late');
  if (late !== undefined)
    return cannotTell(`${nameOf(late)} changed long after it was sent (${late.updatedAt})`);
  const [other] = those('other');
  if (other !== undefined)
    return cannotTell(`${nameOf(other)} is ${other.status} since ${other.updatedAt}`);
  const [again, still] = [those('again'), those('still')];
  const of = `of ${again.length + still.length} targets`;
  if (again.length > 0 && still.length > 0)
    return {
      ...cannotTell(`only ${again.length} ${of} changed after it was sent`),
      ...(isMoving ? { againMs: STARTS_WITHIN_MS } : {}),
    };
  if (again.length > 0)
    return {
      verdict: 'done',
      why: again.map(stateOf).join(', '),
      ...(again.some(({ status }) => status === 'publishing') ? { isMoving: true } : {}),
    };
  if (still.length === 0)
    return cannotTell('no target is failed and none has changed since: there was nothing to retry');
  return notStarted(post, still, change);
}

/** Nothing has changed: not done, unless it may not have begun yet. */
function notStarted(
  post: unknown,
  still: readonly TargetState[],
  { sent, ageMs }: SentChange,
): Settlement {
  const all = targetsOf(post);
  if (ageMs < STARTS_WITHIN_MS)
    return {
      ...cannotTell('it was sent less than a minute ago and may not have begun'),
      againMs: STARTS_WITHIN_MS - ageMs,
    };
  const isTouched =
    sideOf(isObject(post) ? post['updatedAt'] : undefined, sent) !== 'before' &&
    all.every(({ updatedAt }) => sideOf(updatedAt, sent) === 'before');
  const publishing = all.find(({ status }) => status === 'publishing');
  if (ageMs < QUEUED_WITHIN_MS && (isTouched || publishing !== undefined))
    return {
      ...cannotTell(
        publishing === undefined
          ? 'the post changed after it was sent, its targets did not: it may be queued'
          : `${nameOf(publishing)} is publishing: it may be queued behind that`,
      ),
      againMs: QUEUED_WITHIN_MS - ageMs,
    };
  return { verdict: 'not done', why: still.map(stateOf).join(', ') };
}

function changeOf(target: TargetState, sent: TimeSpan): Change {
  const { status, updatedAt } = target;
  const side = sideOf(updatedAt, sent);
  if (side === 'close') return 'close';
  if (side === 'before') return isRetryable(target) ? 'still' : 'rest';
  if (!['published', 'publishing', 'failed'].includes(status)) return 'other';
  return Date.parse(updatedAt) > sent.latest + EFFECT_MS ? 'late' : 'again';
}

/** Where a timestamp of the service lies: before the change was sent, after it, or too close to tell. */
function sideOf(updatedAt: unknown, { earliest, latest }: TimeSpan): 'before' | 'after' | 'close' {
  if (typeof updatedAt !== 'string' || !isTimestamp(updatedAt)) return 'close';
  const at = Date.parse(updatedAt);
  const step = stepOf(updatedAt);
  // A time may be rounded as well as cut off.
  if (at - step / 2 >= latest) return 'after';
  return at + step < earliest - SERVICE_SKEW_MS ? 'before' : 'close';
}

/** The smallest step that a timestamp is written in, in milliseconds. */
function stepOf(timestamp: string): number {
  const fraction = /\.(\d+)Z$/.exec(timestamp)?.[1];
  // `.000` may come of a clock that has no fractions.
  if (fraction !== undefined && Number(fraction) > 0)
    return Math.max(1, 1000 / 10 ** fraction.length);
  return /T\d\d:\d\d:\d\d/.test(timestamp) ? 1000 : 60_000;
}

const cannotTell = (why: string): Settlement => ({ verdict: 'cannot tell', why });

const nameOf = ({ platform, id }: TargetState): string => `${platform} ${id}`;

const stateOf = ({ platform, status, updatedAt }: TargetState): string =>
  `${platform} ${status} since ${updatedAt}`;
