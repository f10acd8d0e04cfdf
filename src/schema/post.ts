// Post and Target, with Recycling and PlatformSpecificData ("Resources and their fields").

import * as z from 'zod';
import { enumeration, sampled } from './enumeration.ts';
import { ProfileId, ResourceId } from './ids.ts';
import { MediaItem } from './media.ts';
import { Platform } from './platform.ts';
import { Timestamp } from './time.ts';

/** The nine statuses that posts and targets share ("States and transitions"); moves between them are not shown. */
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
]).meta({ id: 'Status' });

export const Recycling = z
  .looseObject({
    enabled: z.boolean().optional(),
    interval: enumeration(['daily', 'weekly', 'monthly']).optional(),
    frequency: enumeration(['daily', 'weekly', 'monthly']).optional(),
    every: z.int().min(1).max(365).optional(),
    maxOccurrences: z.int().min(1).max(1000).optional(),
    endsAt: Timestamp.optional(),
    expiresAt: Timestamp.optional(),
    until: Timestamp.optional(),
    endDate: Timestamp.optional(),
    preserveQueue: z.boolean().optional(),
    allowDuplicateForRecycling: z.boolean().optional(),
  })
  .meta({ id: 'Recycling' });

const PlatformSpecificData = z
  .object({
    replyToTweetId: z.string(),
    quoteTweetId: z.string(),
    mediaIds: z.array(z.string()),
    replySettings: sampled('following'),
    threadItems: z.array(
      z.object({ content: z.string(), mediaItems: z.array(MediaItem) }).partial(),
    ),
    poll: z.object({ options: z.array(z.string()), duration_minutes: z.int() }).partial(),
    longVideo: z.boolean(),
    paidPartnership: z.boolean(),
    madeWithAi: z.boolean(),
    firstComment: z.string(),
    sensitiveMedia: z
      .object({ adultContent: z.boolean(), graphicViolence: z.boolean(), other: z.boolean() })
      .partial(),
  })
  .partial()
  .meta({ id: 'PlatformSpecificData' });

/** One target a platform account. */
export const Target = z
  .object({
    id: ResourceId,
    postId: ResourceId,
    platform: Platform,
    status: Status,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    accountId: ResourceId.optional(),
    customContent: z.string().optional(),
    customMedia: z.array(MediaItem).optional(),
    scheduledFor: Timestamp.optional(),
    platformSpecificData: PlatformSpecificData.optional(),
    platformPostId: z.string().optional(),
    nativeUrl: z.string().optional(),
    error: z.string().optional(),
  })
  .meta({ id: 'Target' });

export const Post = z
  .object({
    id: ResourceId,
    organizationId: z.string().min(1),
    createdBy: z.string().min(1),
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
    profileId: ProfileId.optional(),
    title: z.string().optional(),
    content: z.string().optional(),
    scheduledFor: Timestamp.optional(),
    publishedAt: Timestamp.optional(),
    timezone: z.string().optional(),
    queuedFromProfile: ProfileId.optional(),
    queueId: ResourceId.optional(),
    recycling: Recycling.optional(),
  })
  .meta({ id: 'Post' });

export type Target = z.output<typeof Target>;
export type Post = z.output<typeof Post>;

/** A reply to a comment on a published target ("Comment reply result"). */
export const CommentReply = z
  .object({
    postId: z.string(),
    targetId: z.string(),
    platform: Platform,
    createdAt: z.string(),
    accountId: z.string(),
    commentUri: z.string(),
    commentCid: z.string(),
    platformLikeId: z.string(),
    nativeUrl: z.string(),
    deleted: z.boolean(),
    liked: z.boolean(),
    unliked: z.boolean(),
  })
  .partial()
  .meta({ id: 'CommentReply' });
