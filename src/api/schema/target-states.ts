// How the targets of a post stand, read off an answer: which move, which may be retried, which are on their platform.

import { Status } from './post.ts';
import { Failure } from '../../base/errors.ts';

export interface TargetState {
  readonly id: string;
  readonly platform: string;
  readonly status: string;
  readonly updatedAt: string;
  /** A time of its own, other than that of the post. */
  readonly scheduledFor?: unknown;
  /** The error of the platform. */
  readonly error?: unknown;
  /** The ID of the post at the platform, where it has one. */
  readonly platformPostId?: unknown;
}

const MOVING = new Set(['publishing', 'scheduled']);

const KNOWN = new Set<string>(Status.options);

/** Tells whether an answer has targets, each with a status: nothing can be judged without. */
export function hasTargets(
  post: unknown,
): post is { readonly id?: unknown; readonly targets: readonly TargetState[] } {
  const targets = (post as { targets?: unknown } | null | undefined)?.targets;
  const usable = (target: unknown): target is TargetState =>
    typeof (target as TargetState | null)?.id === 'string' &&
    typeof (target as TargetState).status === 'string';
  return Array.isArray(targets) && targets.every(usable);
}

/** The targets of a post as it came. Throws where it has none that can be judged. */
export function targetsOf(post: unknown): readonly TargetState[] {
  if (hasTargets(post)) return post.targets;
  throw new Failure('no_answer', {
    what: 'the response lacks targets with a status',
    sent: true,
    retryable: false,
  });
}

/** Tells whether a target is on its way; an unknown status may be. */
export function isMoving({ status }: TargetState): boolean {
  return MOVING.has(status) || !KNOWN.has(status);
}

/** The statuses of an answer that the document does not list. */
export const unknownStatuses = (post: unknown): readonly string[] => [
  ...new Set(targetsOf(post).flatMap(({ status }) => (KNOWN.has(status) ? [] : status))),
];

/** A target that failed and can be retried without posting twice: the platform has no post of it. */
export function isRetryable({ status, platformPostId }: TargetState): boolean {
  return status === 'failed' && !isPosted({ platformPostId });
}

/** Tells whether the platform has a post of this target, whatever its status says. */
export function isPosted({ platformPostId }: Pick<TargetState, 'platformPostId'>): boolean {
  return platformPostId !== undefined && platformPostId !== null && platformPostId !== '';
}
