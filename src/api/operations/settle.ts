// Finds out the outcome of a retry whose response was lost: compares the post as it is now with the post as it was read
// before the retry. It compares states; the only clock is that of the service.

import { formatDuration } from '../../base/durations.ts';
import { hasTargets, isMoving, type TargetState, unknownStatuses } from '../schema/post.ts';
import {
  isOlder,
  isSameState,
  MAY_START_MS,
  newestOf,
  retriedParts,
  type Seen,
  seenIn,
  statesOf,
} from './part-states.ts';

/** `done`: the change was applied. `failed`: it was applied, and a part of it failed again. */
export const verdicts = ['done', 'not done', 'failed', 'cannot tell'] as const;
export type Verdict = (typeof verdicts)[number];

/** The verdict on a change, or on one part of it. */
export interface PartSettlement {
  readonly verdict: Verdict;
  /** The reason, as a clause. */
  readonly why: string;
  /** Milliseconds after which another read may show more. */
  readonly againMs?: number | undefined;
  /** Set with `done` if it is still in progress. */
  readonly isMoving?: boolean | undefined;
}

export interface Settlement extends PartSettlement {
  /** The verdict on each part, by its ID; absent if nothing is known of single parts. */
  readonly parts?: ReadonlyMap<string, PartSettlement>;
  /** The states that the read has shown, for the wait for a part that is in progress. */
  readonly seen?: Seen;
}

export const cannotTell = (why: string, againMs?: number): PartSettlement => ({
  verdict: 'cannot tell',
  why,
  againMs,
});

/** The change in question. Its parts are, for a retry, the targets of the post. */
export interface UnknownChange {
  /** The IDs of the parts that its request named; `undefined` if it named none. */
  readonly parts: readonly string[] | undefined;
  /** The states that were read before it; `undefined` if nothing was read. */
  readonly seen: Seen | undefined;
  /** The service's clock after which its request can no longer have left; `undefined` if it is unknown. */
  readonly date: number | undefined;
  /** True if a gateway answered it (502 and up): the service may have it in a queue. */
  readonly gatewayAnswered: boolean;
}

/** The circumstances of the read by which a change is judged. */
export interface SettlingRead {
  /** The service's clock, if the response has it. */
  readonly date: number | undefined;
  readonly isCached: boolean;
}

const MINUTE_MS = 60_000;

/** Judges a retry by the post as it is now, each target by itself. */
export function judgeRetry(post: unknown, read: SettlingRead, change: UnknownChange): Settlement {
  if (!hasTargets(post)) return cannotTell('the response lacks targets with a status');
  if (read.isCached) return cannotTell('the response came from a cache: it may show an old state');
  const now = seenIn(post, read.date);
  const retried = change.parts ?? retriedParts(change.seen, now);
  const ids = retried.length > 0 ? retried : Object.keys(now.parts);
  if (ids.length === 0) return cannotTell('the post has no targets');
  const isQueued =
    change.gatewayAnswered || post.targets.some(({ status }) => status === 'publishing');
  const patienceMs = isQueued ? MAY_START_MS.queued : MAY_START_MS.unknown;
  const parts = new Map(
    ids.map((id) => {
      const targets = post.targets.filter((one) => one.id === id);
      return [id, judgeTarget(id, targets, now, change, patienceMs)] as const;
    }),
  );
  return { ...inOne([...parts.values()]), parts, seen: now };
}

/** Judges one target, which the post may list twice. */
function judgeTarget(
  id: string,
  targets: readonly TargetState[],
  now: Seen,
  { seen, date, gatewayAnswered }: UnknownChange,
  patienceMs: number,
): PartSettlement {
  const [target] = targets;
  if (target === undefined) return cannotTell(`the post has no target ${id} any more`);
  const states = statesOf(now, id);
  const before = statesOf(seen, id);
  const [strange] = unknownStatuses({ targets });
  if (strange !== undefined) return cannotTell(`unknown status ${strange}`);
  const moving = targets.find(isMoving);
  if (moving !== undefined) return { verdict: 'done', why: inWords(moving), isMoving: true };
  const published = targets.find(({ status }) => status === 'published');
  if (published !== undefined) return { verdict: 'done', why: inWords(published) };
  if (states.every((state) => isOlder(state, newestOf(before))))
    return cannotTell(`the response shows ${target.platform} in an older state than the change`);
  const other = targets.find(({ status }) => status !== 'failed');
  if (other !== undefined) return cannotTell(inWords(other));
  const why = inWords(target);
  if (before.length === 0)
    return cannotTell(`${why}, and it was not read before: use --failed next time`);
  // Both times are the service's own, so the clock of this machine does not count.
  if (date === undefined || now.date === undefined)
    return cannotTell(`${why}, and the responses have no date that says for how long`);
  const ageMs = now.date - date;
  if (ageMs < patienceMs) {
    const limit = formatDuration(patienceMs);
    const sender = gatewayAnswered ? 'a gateway answered it' : 'it was sent';
    return cannotTell(
      `${why}, but ${sender} less than ${limit} ago and it may still start`,
      patienceMs - Math.max(0, ageMs),
    );
  }
  // The time is rounded down, so that the sentence claims no more than was seen.
  const unit = ageMs < 2 * MINUTE_MS ? 1000 : MINUTE_MS;
  const forLong = formatDuration(Math.floor(ageMs / unit) * unit);
  const isAsSeen = states.every((state) => before.some((earlier) => isSameState(earlier, state)));
  return isAsSeen
    ? { verdict: 'not done', why: `${why}, unchanged since the retry for ${forLong}` }
    : { verdict: 'failed', why };
}

/** A response may lack all but the ID and the status. */
type ShownTarget = Pick<TargetState, 'id' | 'status'> & Partial<TargetState>;

/** Formats `linkedin failed since 2026-03-02T12:00:00Z`. */
const inWords = ({ id, platform = id, status, updatedAt = '' }: ShownTarget): string =>
  `${platform} ${status}${updatedAt && ` since ${updatedAt}`}`;

/** The order in which the verdict on one part decides about the whole: what needs a person comes first. */
const ORDER: readonly Verdict[] = ['cannot tell', 'not done', 'failed', 'done'];

/** Sums up the verdicts on parts. */
export function inOne(parts: readonly PartSettlement[]): PartSettlement {
  const verdict = ORDER.find((one) => parts.some((part) => part.verdict === one))!;
  const same = parts.filter((part) => part.verdict === verdict);
  const times = parts.flatMap(({ againMs }) => againMs ?? []);
  return {
    verdict,
    why: [...new Set(same.map(({ why }) => why))].join(', '),
    againMs: times.length === 0 ? undefined : Math.max(...times),
    isMoving: parts.some((part) => part.isMoving) || undefined,
  };
}
