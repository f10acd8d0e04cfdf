// Connected accounts and what is done through them: account result, Bluesky message, Mastodon status, tracking tags,
// Telegram pairing.

import * as z from 'zod/mini';
import { Platform } from './post.ts';

/** The platforms that an account can be on: the document lists all but `metaads`, which it shows for tracking tags. */
export const accountPlatforms = [...Platform.options, 'metaads'] as const;

export type AccountPlatform = (typeof accountPlatforms)[number];

/** Whether an account that is known to be on another platform cannot be meant: not where the document is silent. */
export const isStrictPlatform = (platform: string): boolean => platform !== 'metaads';

/** The platform of an operation whose account cannot be on another one: none where the document is silent. */
export const strictPlatformOf = ({
  platform,
}: {
  readonly platform?: string | undefined;
}): string | undefined =>
  platform !== undefined && isStrictPlatform(platform) ? platform : undefined;
import { enumeration, sampled, Timestamp } from './rules.ts';
import { connectionTones } from './tones.ts';

/** Returned by board selection and by Telegram status checks. */
export const AccountResult = z
  .partial(
    z.object({
      accountId: z.string(),
      platform: Platform,
      providerAccountId: z.string(),
      displayName: z.string(),
      attachedToProfileId: z.string().register(z.globalRegistry, { label: 'profile id' }),
      returnTo: z.string(),
    }),
  )
  .register(z.globalRegistry, { id: 'AccountResult' });

export const BlueskyMessage = z
  .partial(
    z.object({
      accountId: z.string(),
      conversationId: z.string(),
      message: z.partial(
        z.object({
          id: z.string(),
          text: z.string(),
          senderDid: z.string(),
          revision: z.string(),
          sentAt: z.string(),
          raw: z.record(z.string(), z.unknown()),
        }),
      ),
      sentAt: z.string(),
    }),
  )
  .register(z.globalRegistry, { id: 'BlueskyMessage' });

/** The eight actions on a Mastodon status, as the path spells them. */
export const MastodonAction = enumeration([
  'favourite',
  'unfavourite',
  'reblog',
  'unreblog',
  'bookmark',
  'unbookmark',
  'mute',
  'unmute',
]).register(z.globalRegistry, { id: 'MastodonAction' });

export const MastodonStatus = z
  .partial(
    z.object({
      id: z.string(),
      uri: z.string(),
      url: z.string(),
      contentHtml: z.string(),
      text: z.string(),
      createdAt: z.string(),
      visibility: z.string(),
      spoilerText: z.string(),
      sensitive: z.boolean(),
      favourited: z.boolean(),
      reblogged: z.boolean(),
      bookmarked: z.boolean(),
      muted: z.boolean(),
      repliesCount: z.int(),
      reblogsCount: z.int(),
      favouritesCount: z.int(),
      account: z.partial(
        z.object({
          id: z.string(),
          username: z.string(),
          acct: z.string(),
          displayName: z.string(),
          url: z.string(),
          avatar: z.string(),
        }),
      ),
      inReplyToId: z.string(),
      inReplyToAccountId: z.string(),
      raw: z.record(z.string(), z.unknown()),
    }),
  )
  .register(z.globalRegistry, { id: 'MastodonStatus' });

export const MastodonActionResult = z
  .partial(
    z.object({
      accountId: z.string(),
      status: MastodonStatus,
      action: sampled('favourite', { tones: 'good' }),
      updatedAt: z.string(),
    }),
  )
  .register(z.globalRegistry, { id: 'MastodonActionResult' });

/** Ad accounts with access to a tracking tag. */
export const SharedAccounts = z
  .partial(
    z.object({
      platform: sampled('metaads'),
      sharedAccounts: z.array(
        z
          .partial(z.object({ id: z.string(), name: z.string(), businessId: z.string() }))
          .register(z.globalRegistry, { id: 'SharedAccount' }),
      ),
    }),
  )
  .register(z.globalRegistry, { id: 'SharedAccounts' });

/** An automatic Telegram business pairing. The document does not show how it moves from status to status. */
export const TelegramSession = z
  .partial(
    z.object({
      sessionId: z.string().register(z.globalRegistry, { sensitive: true }),
      status: sampled('pending_start', { tones: connectionTones }),
      expiresAt: Timestamp,
      account: AccountResult,
    }),
  )
  .register(z.globalRegistry, { id: 'TelegramSession' });

export const TelegramAccessCode = z
  .partial(
    z.object({
      code: z.string().register(z.globalRegistry, { sensitive: true }),
      status: sampled('pending', { tones: connectionTones }),
      expiresAt: Timestamp,
      account: AccountResult,
    }),
  )
  .register(z.globalRegistry, { id: 'TelegramAccessCode' });
