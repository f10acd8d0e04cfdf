// Post and Target, with MediaItem, Recycling and PlatformSpecificData ("Resources and their fields").

import * as z from 'zod/mini';
import { ProfileId, ResourceId } from './ids.ts';
import { Platform } from './platforms.ts';
import { enumeration, partialObject, resource, sampled, Timestamp } from './rules.ts';
import { postTones } from './status-tones.ts';

/** A size, a dimension or a count: a positive integer up to 2^53 - 1. */
const PositiveInteger = z.int().check(z.positive(), z.maximum(9007199254740991));
const Named = z.string().check(z.minLength(1));

/** The one resource that forbids additional properties. */
export const MediaItem = z
  .strictObject({
    type: enumeration(['image', 'video', 'gif', 'audio', 'document']),
    url: z.url(),
    title: z.optional(Named),
    altText: z.optional(Named),
    filename: z.optional(Named),
    mimeType: z.optional(Named),
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
]).register(z.globalRegistry, { id: 'Status', tones: postTones });

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
export const TargetSchema = z
  .object({
    id: ResourceId,
    postId: ResourceId,
    platform: Platform,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    accountId: z.optional(ResourceId).register(z.globalRegistry, { label: 'account' }),
    customContent: z.optional(z.string()),
    customMedia: z.optional(z.array(MediaItem)),
    scheduledFor: z.optional(Timestamp),
    platformSpecificData: z.optional(PlatformSpecificData),
    platformPostId: z.optional(z.string()),
    nativeUrl: z.optional(z.string().register(z.globalRegistry, { label: 'url', look: 'below' })),
    error: z.optional(z.string().register(z.globalRegistry, { look: 'below' })),
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
    targets: z.array(TargetSchema),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    profileId: z.optional(ProfileId),
    title: z.optional(z.string()),
    content: z.optional(z.string().register(z.globalRegistry, { look: 'line' })),
    scheduledFor: z.optional(Timestamp),
    publishedAt: z.optional(Timestamp),
    timezone: z.optional(z.string()),
    queuedFromProfile: z.optional(ProfileId),
    queueId: z.optional(ResourceId),
    recycling: z.optional(Recycling),
  })
  .register(z.globalRegistry, { id: 'Post' });

export type TargetSchema = z.output<typeof TargetSchema>;
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
  nativeUrl: z.string().register(z.globalRegistry, { label: 'url' }),
  deleted: z.boolean(),
  liked: z.boolean(),
  unliked: z.boolean(),
});
