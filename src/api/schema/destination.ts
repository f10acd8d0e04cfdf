// The destinations of connected accounts: Facebook pages and their readiness, Reddit flairs, a Discord guild's
// channels, roles and pins.

import * as z from 'zod/mini';
import { Platform } from './platforms.ts';
import { fieldMeta, partialObject, resource, sampled } from './rules.ts';

const Texts = z.array(z.string());

const FacebookPage = resource('FacebookPage', {
  id: z.string(),
  name: z.string(),
  username: z.string(),
  category: z.string(),
  tasks: Texts,
  pageUrl: z.string(),
  pictureUrl: z.string(),
  connectedInstagramAccountId: z.string(),
  connectedInstagramUsername: z.string().register(fieldMeta, { label: 'instagram' }),
  connectedInstagramName: z.string(),
  connectedInstagramAccountType: z.string(),
  connectedInstagramProfilePictureUrl: z.string(),
  selected: z.boolean(),
  canPublish: z.boolean(),
  missingPermissions: Texts,
});

/** Says whether a connected account can publish, and what it lacks. */
const Readiness = resource('Readiness', {
  platform: Platform,
  ready: z.boolean(),
  status: sampled('ready', { tones: 'status', label: 'readiness' }),
  checkedAt: z.string(),
  reconnectRecommended: z.boolean().register(fieldMeta, { label: 'reconnect' }),
  selectedDestinationId: z.string(),
  selectedDestinationName: z.string().register(fieldMeta, { label: 'selected' }),
  missingScopes: Texts,
  missingPermissions: Texts,
  missingDestinations: Texts,
  issues: z.array(partialObject({ code: z.string(), message: z.string() })),
  capabilities: z
    .array(
      partialObject({
        key: sampled('publish'),
        supported: z.boolean(),
        status: sampled('ready'),
        reason: z.string(),
        requiredScopes: Texts,
        requiredPermissions: Texts,
      }),
    )
    .register(fieldMeta, { look: 'notReady' }),
});

export const FacebookPages = resource('FacebookPages', {
  accountId: z.string(),
  pages: z.array(FacebookPage),
  selectedPageId: z.string(),
  fetchedAt: z.string(),
  readiness: Readiness,
});

export const RedditFlairs = resource('RedditFlairs', {
  flairs: z.array(
    resource('RedditFlair', {
      id: z.string(),
      text: z.string(),
      type: z.string(),
      textEditable: z.boolean(),
    }),
  ),
});

export const DiscordChannel = resource('DiscordChannel', {
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
    partialObject({ id: z.string(), name: z.string(), moderated: z.boolean() }),
  ),
});

export const DiscordRole = resource('DiscordRole', {
  id: z.string(),
  guildId: z.string(),
  name: z.string(),
  color: z.int().register(fieldMeta, { look: 'color' }),
  position: z.int().check(z.minimum(0)),
  managed: z.boolean(),
  mentionable: z.boolean(),
  permissions: z.string(),
});

export const DiscordChannels = resource('DiscordChannels', {
  accountId: z.string(),
  guildId: z.string(),
  channels: z.array(DiscordChannel),
});

export const DiscordRoles = resource('DiscordRoles', {
  accountId: z.string(),
  guildId: z.string(),
  roles: z.array(DiscordRole),
});

export const DiscordPin = resource('DiscordPin', {
  accountId: z.string(),
  channelId: z.string(),
  messageId: z.string(),
  action: sampled('pinned', { tones: 'good' }),
  idempotent: z.boolean().register(fieldMeta, { label: 'already pinned' }),
});
