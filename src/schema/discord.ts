// Discord channels, roles and pins of a connected account's guild.

import * as z from 'zod';
import { sampled } from './enumeration.ts';

export const DiscordChannel = z
  .object({
    id: z.string(),
    guildId: z.string(),
    name: z.string(),
    type: sampled('guild_text'),
    parentId: z.string(),
    position: z.int().min(0),
    manageable: z.boolean(),
    postable: z.boolean(),
    threadOnly: z.boolean(),
    selected: z.boolean(),
    availableTags: z.array(
      z.object({ id: z.string(), name: z.string(), moderated: z.boolean() }).partial(),
    ),
  })
  .partial()
  .meta({ id: 'DiscordChannel' });

export const DiscordRole = z
  .object({
    id: z.string(),
    guildId: z.string(),
    name: z.string(),
    color: z.int(),
    position: z.int().min(0),
    managed: z.boolean(),
    mentionable: z.boolean(),
    permissions: z.string(),
  })
  .partial()
  .meta({ id: 'DiscordRole' });

export const DiscordChannels = z
  .object({ accountId: z.string(), guildId: z.string(), channels: z.array(DiscordChannel) })
  .partial()
  .meta({ id: 'DiscordChannels' });

export const DiscordRoles = z
  .object({ accountId: z.string(), guildId: z.string(), roles: z.array(DiscordRole) })
  .partial()
  .meta({ id: 'DiscordRoles' });

export const DiscordPin = z
  .object({
    accountId: z.string(),
    channelId: z.string(),
    messageId: z.string(),
    action: sampled('pinned'),
    idempotent: z.boolean(),
  })
  .partial()
  .meta({ id: 'DiscordPin' });
