// Post and Target, with MediaItem, Recycling and PlatformSpecificData ("Resources and their fields"), and the states of
// targets in a response: which are in progress, which may be retried, which exist on their platform.

import * as z from 'zod/mini';
import { Failure } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { ProfileId, ResourceId } from './ids.ts';
import { Platform } from './platforms.ts';
import { fieldMeta, enumeration, partialObject, resource, sampled, Timestamp } from './rules.ts';

/** A size, a dimension or a count; `z.int` ends at 2^53 - 1, as the API document does. */
const PositiveInteger = z.int().check(z.positive());
const NonEmptyText = z.string().check(z.minLength(1));

/** The one resource that forbids additional properties. */
export const MediaItem = z
  .strictObject({
    type: enumeration(['image', 'video', 'gif', 'audio', 'document']),
    url: z.url(),
    title: z.optional(NonEmptyText),
    altText: z.optional(NonEmptyText),
    filename: z.optional(NonEmptyText),
    mimeType: z.optional(NonEmptyText),
    size: z.optional(PositiveInteger),
    thumbnail: z.optional(z.url()),
    durationMs: z.optional(PositiveInteger),
    durationSeconds: z.optional(z.number().check(z.positive())),
    width: z.optional(PositiveInteger),
    height: z.optional(PositiveInteger),
    frameRate: z.optional(z.number().check(z.positive())),
    frameCount: z.optional(PositiveInteger),
  })
  .register(z.globalRegistry, { id: 'MediaItem' });

/** The nine statuses that posts and targets share ("States and transitions"); the API document shows no transitions. */
export const Status = enumeration([
  'draft',
  'scheduled',
  'publishing',
  'published',
  'unpublished',
  'action_required',
  'failed',
  'partial',
  'cancelled',
])
  .register(z.globalRegistry, { id: 'Status' })
  .register(fieldMeta, { tones: 'status' });

export const Recycling = z
  .looseObject({
    enabled: z.optional(z.boolean()),
    interval: z.optional(enumeration(['daily', 'weekly', 'monthly'])),
    frequency: z.optional(enumeration(['daily', 'weekly', 'monthly'])),
    every: z.optional(z.int().check(z.minimum(1), z.maximum(365))),
    maxOccurrences: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
    endsAt: z.optional(Timestamp),
    expiresAt: z.optional(Timestamp),
    until: z.optional(Timestamp),
    endDate: z.optional(Timestamp),
    preserveQueue: z.optional(z.boolean()),
    allowDuplicateForRecycling: z.optional(z.boolean()),
  })
  .register(z.globalRegistry, { id: 'Recycling' });

const PlatformSpecificData = resource('PlatformSpecificData', {
  replyToTweetId: z.string(),
  quoteTweetId: z.string(),
  mediaIds: z.array(z.string()),
  replySettings: sampled('following'),
  threadItems: z.array(partialObject({ content: z.string(), mediaItems: z.array(MediaItem) })),
  poll: partialObject({ options: z.array(z.string()), duration_minutes: z.int() }),
  longVideo: z.boolean(),
  paidPartnership: z.boolean(),
  madeWithAi: z.boolean(),
  firstComment: z.string(),
  sensitiveMedia: partialObject({
    adultContent: z.boolean(),
    graphicViolence: z.boolean(),
    other: z.boolean(),
  }),
});

/** A target is the post on one account of a platform. */
export const Target = z
  .object({
    id: ResourceId,
    postId: ResourceId,
    platform: Platform,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    accountId: z.optional(ResourceId).register(fieldMeta, { label: 'account' }),
    customContent: z.optional(z.string()),
    customMedia: z.optional(z.array(MediaItem)),
    scheduledFor: z.optional(Timestamp),
    platformSpecificData: z.optional(PlatformSpecificData),
    platformPostId: z.optional(z.string()),
    nativeUrl: z.optional(z.string().register(fieldMeta, { label: 'url', look: 'below' })),
    error: z.optional(z.string().register(fieldMeta, { look: 'below' })),
  })
  .register(z.globalRegistry, { id: 'Target' });

export const Post = z
  .object({
    id: ResourceId,
    organizationId: z.string().check(z.minLength(1)),
    createdBy: z.string().check(z.minLength(1)),
    status: Status,
    mediaItems: z.array(MediaItem),
    tags: z.array(z.string()),
    hashtags: z.array(z.string()),
    mentions: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    crosspostingEnabled: z.boolean(),
    targets: z.array(Target),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    profileId: z.optional(ProfileId),
    title: z.optional(z.string()),
    content: z.optional(z.string().register(fieldMeta, { look: 'line' })),
    scheduledFor: z.optional(Timestamp),
    publishedAt: z.optional(Timestamp),
    timezone: z.optional(z.string()),
    queuedFromProfile: z.optional(ProfileId),
    queueId: z.optional(ResourceId),
    recycling: z.optional(Recycling),
  })
  .register(z.globalRegistry, { id: 'Post' });

export type Target = z.output<typeof Target>;
export type Post = z.output<typeof Post>;

/** A reply to a comment on a published target ("Comment reply result"). */
export const CommentReply = resource('CommentReply', {
  postId: z.string(),
  targetId: z.string(),
  platform: Platform,
  createdAt: z.string(),
  accountId: z.string(),
  commentUri: z.string(),
  commentCid: z.string(),
  platformLikeId: z.string(),
  nativeUrl: z.string().register(fieldMeta, { label: 'url' }),
  deleted: z.boolean(),
  liked: z.boolean(),
  unliked: z.boolean(),
});

/** A target in a response. Only its ID and status are checked (`hasTargets`): without them nothing can be judged. */
export interface TargetState {
  readonly id: string;
  readonly platform: string;
  readonly status: string;
  readonly updatedAt: string;
  /** The time of this target, if it differs from that of the post. */
  readonly scheduledFor?: unknown;
  /** The error of the platform. */
  readonly error?: unknown;
  readonly accountId?: unknown;
  /** The ID of the post at the platform, if it has one. */
  readonly platformPostId?: unknown;
}

/** The listed statuses of a target in progress. */
const MOVING = new Set(['publishing', 'scheduled']);

const KNOWN = new Set<string>(Status.options);

/** True if a response has targets, each with an ID and a status. */
export function hasTargets(
  post: unknown,
): post is { readonly id?: unknown; readonly targets: readonly TargetState[] } {
  const targets = isObject(post) ? post['targets'] : undefined;
  if (!Array.isArray(targets)) return false;
  return targets.every(
    (target) =>
      isObject(target) && typeof target['id'] === 'string' && typeof target['status'] === 'string',
  );
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
export function isMoving({ status }: Pick<TargetState, 'status'>): boolean {
  return MOVING.has(status) || !KNOWN.has(status);
}

/** Returns the statuses in a response that the API document does not list. */
export function unknownStatuses(post: unknown): readonly string[] {
  const statuses = new Set(targetsOf(post).map(({ status }) => status));
  return [...statuses].filter((status) => !KNOWN.has(status));
}

/** True if a target failed and can be retried without posting twice: it does not exist on its platform. */
export function isRetryable({ status, platformPostId }: TargetState): boolean {
  return status === 'failed' && !isPosted({ platformPostId });
}

/** True if this target exists on its platform, whatever its status. */
export function isPosted({ platformPostId }: Pick<TargetState, 'platformPostId'>): boolean {
  return platformPostId !== undefined && platformPostId !== null && platformPostId !== '';
}
