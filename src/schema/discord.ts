// Discord channels, roles and pins of a connected account's guild.

import * as z from 'zod/mini';
import { sampled } from './enumeration.ts';

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
      color: z.int(),
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
      action: sampled('pinned'),
      idempotent: z.boolean(),
    }),
  )
  .register(z.globalRegistry, { id: 'DiscordPin' });
