// Where connected accounts can publish: Facebook pages and their readiness, Reddit flairs, a Discord guild's channels,
// roles and pins.

import * as z from 'zod/mini';
import { Platform } from './post.ts';
import { sampled } from './rules.ts';
import { connectionTones } from './tones.ts';

const Texts = z.array(z.string());

const FacebookPage = z
  .partial(
    z.object({
      id: z.string(),
      name: z.string(),
      username: z.string(),
      category: z.string(),
      tasks: Texts,
      pageUrl: z.string(),
      pictureUrl: z.string(),
      connectedInstagramAccountId: z.string(),
      connectedInstagramUsername: z.string().register(z.globalRegistry, { label: 'instagram' }),
      connectedInstagramName: z.string(),
      connectedInstagramAccountType: z.string(),
      connectedInstagramProfilePictureUrl: z.string(),
      selected: z.boolean(),
      canPublish: z.boolean(),
      missingPermissions: Texts,
    }),
  )
  .register(z.globalRegistry, { id: 'FacebookPage' });

/** Whether a connected account can publish, and what it lacks. */
const Readiness = z
  .partial(
    z.object({
      platform: Platform,
      ready: z.boolean(),
      status: sampled('ready', { tones: connectionTones, label: 'readiness' }),
      checkedAt: z.string(),
      reconnectRecommended: z.boolean().register(z.globalRegistry, { label: 'reconnect' }),
      selectedDestinationId: z.string(),
      selectedDestinationName: z.string().register(z.globalRegistry, { label: 'selected' }),
      missingScopes: Texts,
      missingPermissions: Texts,
      missingDestinations: Texts,
      issues: z.array(z.partial(z.object({ code: z.string(), message: z.string() }))),
      capabilities: z
        .array(
          z.partial(
            z.object({
              key: sampled('publish'),
              supported: z.boolean(),
              status: sampled('ready'),
              reason: z.string(),
              requiredScopes: Texts,
              requiredPermissions: Texts,
            }),
          ),
        )
        .register(z.globalRegistry, { look: 'lacking' }),
    }),
  )
  .register(z.globalRegistry, { id: 'Readiness' });

export const FacebookPages = z
  .partial(
    z.object({
      accountId: z.string(),
      pages: z.array(FacebookPage),
      selectedPageId: z.string(),
      fetchedAt: z.string(),
      readiness: Readiness,
    }),
  )
  .register(z.globalRegistry, { id: 'FacebookPages' });

export const RedditFlairs = z
  .partial(
    z.object({
      flairs: z.array(
        z
          .partial(
            z.object({
              id: z.string(),
              text: z.string(),
              type: z.string(),
              textEditable: z.boolean(),
            }),
          )
          .register(z.globalRegistry, { id: 'RedditFlair' }),
      ),
    }),
  )
  .register(z.globalRegistry, { id: 'RedditFlairs' });

export const DiscordChannel = z
  .partial(
    z.object({
      id: z.string(),
      guildId: z.string(),
      name: z.string(),
      type: sampled('guild_text'),
      parentId: z.string(),
      position: z.int().check(z.minimum(0)),
      manageable: z.boolean(),
      postable: z.boolean(),
      threadOnly: z.boolean(),
      selected: z.boolean(),
      availableTags: z.array(
        z.partial(z.object({ id: z.string(), name: z.string(), moderated: z.boolean() })),
      ),
    }),
  )
  .register(z.globalRegistry, { id: 'DiscordChannel' });

export const DiscordRole = z
  .partial(
    z.object({
      id: z.string(),
      guildId: z.string(),
      name: z.string(),
      color: z.int().register(z.globalRegistry, { look: 'color' }),
      position: z.int().check(z.minimum(0)),
      managed: z.boolean(),
      mentionable: z.boolean(),
      permissions: z.string(),
    }),
  )
  .register(z.globalRegistry, { id: 'DiscordRole' });

export const DiscordChannels = z
  .partial(
    z.object({ accountId: z.string(), guildId: z.string(), channels: z.array(DiscordChannel) }),
  )
  .register(z.globalRegistry, { id: 'DiscordChannels' });

export const DiscordRoles = z
  .partial(z.object({ accountId: z.string(), guildId: z.string(), roles: z.array(DiscordRole) }))
  .register(z.globalRegistry, { id: 'DiscordRoles' });

export const DiscordPin = z
  .partial(
    z.object({
      accountId: z.string(),
      channelId: z.string(),
      messageId: z.string(),
      action: sampled('pinned', { tones: 'good' }),
      idempotent: z.boolean().register(z.globalRegistry, { label: 'already pinned' }),
    }),
  )
  .register(z.globalRegistry, { id: 'DiscordPin' });
