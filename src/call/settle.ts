// Whether what is waited for has come to rest, judged on one look at it. Pure. The document shows no transitions:
// publishing and scheduled count as moving, a status that nobody knows keeps the wait going.

import { Failure } from '../errors.ts';
import { Status } from '../schema/post.ts';
import { isTimestamp } from '../schema/time.ts';

export interface Verdict {
  readonly state: 'pending' | 'done' | 'ended_badly';
  /** Where things stand, as a clause: `1 of 2 targets settled`. */
  readonly standing: string;
  /** The targets that settled, and not as wanted. */
  readonly bad?: readonly TargetState[];
}

export interface TargetState {
  readonly id: string;
  readonly platform: string;
  readonly status: string;
  readonly updatedAt: string;
  /** What the platform said. */
  readonly error?: unknown;
  /** What the platform calls the post of this target, where it has one. */
  readonly platformPostId?: unknown;
}

const MOVING = new Set(['publishing', 'scheduled']);
const KNOWN = new Set<string>(Status.options);
const GRACE_MS = 30_000;

/** The targets of a post as it came. Throws where the answer has no targets or one has no status: nothing can be judged then. */
export function targetsOf(post: unknown): readonly TargetState[] {
  const targets = (post as { targets?: unknown } | undefined)?.targets;
  const usable = (target: unknown): target is TargetState =>
    typeof (target as TargetState | null)?.id === 'string' &&
    typeof (target as TargetState).status === 'string';
  if (Array.isArray(targets) && targets.every(usable)) return targets;
  throw new Failure('no_answer', {
    what: 'the answer lacks targets with a status',
    sent: true,
    retryable: false,
  });
}

/** Whether a target is on its way, as far as is known: a status that nobody knows may be. */
function isMoving({ status }: TargetState): boolean {
  return MOVING.has(status) || !KNOWN.has(status);
}

/** The statuses of an answer that nobody knows. */
export const unknownStatuses = (post: unknown): readonly string[] => [
  ...new Set(targetsOf(post).flatMap(({ status }) => (KNOWN.has(status) ? [] : status))),
];

/** A target that failed and can be retried without posting twice: the platform has no post of it. */
export function isRetryable({ status, platformPostId }: TargetState): boolean {
  return status === 'failed' && !isPosted({ platformPostId });
}

/** Whether the platform has a post of this target, whatever its status says. */
export function isPosted({ platformPostId }: Pick<TargetState, 'platformPostId'>): boolean {
  return platformPostId !== undefined && platformPostId !== null && platformPostId !== '';
}

/**
 * The targets that a retry is about, where none were named: every one that had failed before, and every one that
 * the answer shows moving. Where there are none, all that the post has: a wait that counts nothing proves nothing.
 */
export function retriedTargets(
  before: readonly TargetState[],
  answer: unknown,
): readonly string[] | undefined {
  const failed = before.filter(({ status }) => status === 'failed');
  const ids = new Set([...failed, ...targetsOf(answer).filter(isMoving)].map(({ id }) => id));
  return ids.size === 0 ? undefined : [...ids];
}

export interface TargetsAwaited {
  /** The targets that count; all of them without it. */
  readonly wanted: readonly string[] | undefined;
  /** The statuses that are a good end. */
  readonly goals: readonly string[];
  /** How the targets stood before the retry: one that still looks so has not started yet. */
  readonly before?: readonly TargetState[];
}

/** How a post stands, `elapsedMs` after the call that set its targets moving. */
export function judgeTargets(
  post: unknown,
  { wanted, goals, before = [] }: TargetsAwaited,
  elapsedMs: number,
): Verdict {
  const all = targetsOf(post);
  const missing = wanted?.find((id) => all.every((target) => target.id !== id));
  if (missing !== undefined)
    throw new Failure('not_found', {
      what: `the post has no target ${missing}`,
      sent: true,
      retryable: false,
    });
  const targets = wanted === undefined ? all : all.filter(({ id }) => wanted.includes(id));
  if (targets.length === 0) return { state: 'ended_badly', standing: 'the post has no targets' };
  const good = targets.filter(({ status }) => goals.includes(status));
  const resting = targets.filter(
    (target) =>
      good.includes(target) || !(isMoving(target) || isUnstarted(target, before, elapsedMs)),
  );
  const of = `of ${targets.length} target${targets.length === 1 ? '' : 's'}`;
  const standing = `${resting.length} ${of} settled`;
  if (resting.length < targets.length) return { state: 'pending', standing };
  if (good.length === targets.length) return { state: 'done', standing };
  const bad = targets.filter((target) => !good.includes(target));
  return { state: 'ended_badly', standing: inWords(bad, of), bad };
}

/** `1 of 2 targets failed: mastodon`, with the other statuses behind it. */
function inWords(bad: readonly TargetState[], of: string): string {
  const statuses = [...new Set(bad.map(({ status }) => status))];
  const clauses = statuses.map((status, i) => {
    const those = bad.filter((target) => target.status === status);
    const platforms = [...new Set(those.map(({ platform }) => platform))].join(', ');
    return `${those.length}${i === 0 ? ` ${of}` : ''} ${status}: ${platforms}`;
  });
  return clauses.join('; ');
}

function isUnstarted(
  target: TargetState,
  before: readonly TargetState[],
  elapsedMs: number,
): boolean {
  if (elapsedMs >= GRACE_MS || target.status !== 'failed') return false;
  const then = before.find(({ id }) => id === target.id);
  return then?.status === 'failed' && then.updatedAt === target.updatedAt;
}

/** How a Telegram pairing stands at `serverNow`, the server's own clock in milliseconds since 1970. */
export function judgePairing(pairing: unknown, serverNow: number): Verdict {
  const { account, expiresAt, status } = (pairing ?? {}) as Readonly<Record<string, unknown>>;
  const word = typeof status === 'string' ? status : 'without a status';
  if (typeof account === 'object' && account !== null) return { state: 'done', standing: 'paired' };
  if (
    typeof expiresAt === 'string' &&
    isTimestamp(expiresAt) &&
    Date.parse(expiresAt) <= serverNow
  ) {
    return { state: 'ended_badly', standing: `expired at ${expiresAt}` };
  }
  if (word === 'new' || word.startsWith('pending')) return { state: 'pending', standing: word };
  return { state: 'ended_badly', standing: `ended as ${word}, without an account` };
}
