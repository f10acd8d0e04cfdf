// The states of a post's targets in a response: which are in progress, which may be retried, which exist on their
// platform.

import { Status } from './post.ts';
import { Failure } from '../../base/errors.ts';

export interface TargetState {
  readonly id: string;
  readonly platform: string;
  readonly status: string;
  readonly updatedAt: string;
  /** The time of this target, if it differs from that of the post. */
  readonly scheduledFor?: unknown;
  /** The error of the platform. */
  readonly error?: unknown;
  /** The ID of the post at the platform, if it has one. */
  readonly platformPostId?: unknown;
}

const MOVING = new Set(['publishing', 'scheduled']);

const KNOWN = new Set<string>(Status.options);

/** True if a response has targets, each with a status. Without them nothing can be judged. */
export function hasTargets(
  post: unknown,
): post is { readonly id?: unknown; readonly targets: readonly TargetState[] } {
  const targets = (post as { targets?: unknown } | null | undefined)?.targets;
  const usable = (target: unknown): target is TargetState =>
    typeof (target as TargetState | null)?.id === 'string' &&
    typeof (target as TargetState).status === 'string';
  return Array.isArray(targets) && targets.every(usable);
}

/** Returns the targets of a post. Throws if it has none that can be judged. */
export function targetsOf(post: unknown): readonly TargetState[] {
  if (hasTargets(post)) return post.targets;
  throw new Failure('no_answer', {
    what: 'the response lacks targets with a status',
    sent: true,
    retryable: false,
  });
}

/** True if a target is in progress. An unlisted status may be. */
export function isMoving({ status }: TargetState): boolean {
  return MOVING.has(status) || !KNOWN.has(status);
}

/** Returns the statuses in a response that the API document does not list. */
export const unknownStatuses = (post: unknown): readonly string[] => [
  ...new Set(targetsOf(post).flatMap(({ status }) => (KNOWN.has(status) ? [] : status))),
];

/** True if a target failed and can be retried without posting twice: it does not exist on its platform. */
export function isRetryable({ status, platformPostId }: TargetState): boolean {
  return status === 'failed' && !isPosted({ platformPostId });
}

/** True if this target exists on its platform, whatever its status. */
export function isPosted({ platformPostId }: Pick<TargetState, 'platformPostId'>): boolean {
  return platformPostId !== undefined && platformPostId !== null && platformPostId !== '';
}
