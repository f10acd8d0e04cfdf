// Connected accounts and what is done through them: account result, Bluesky message, Mastodon status, tracking tags,
// Telegram pairing. A time is a `Timestamp` only where the API document says so, else a string.

import * as z from 'zod/mini';
import { Platform } from './platforms.ts';
import { fieldMeta, enumeration, partialObject, resource, sampled, Timestamp } from './rules.ts';

/** Returned by board selection and by Telegram status checks. */
export const AccountResult = resource('AccountResult', {
  accountId: z.string(),
  platform: Platform,
  providerAccountId: z.string(),
  displayName: z.string(),
  attachedToProfileId: z.string().register(fieldMeta, { label: 'profile id' }),
  returnTo: z.string(),
});

export const BlueskyMessage = resource('BlueskyMessage', {
  accountId: z.string(),
  conversationId: z.string(),
  message: partialObject({
    id: z.string(),
    text: z.string(),
    senderDid: z.string(),
    revision: z.string(),
    sentAt: z.string(),
    raw: z.record(z.string(), z.unknown()),
  }),
  sentAt: z.string(),
});

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

export const MastodonStatus = resource('MastodonStatus', {
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
  account: partialObject({
    id: z.string(),
    username: z.string(),
    acct: z.string(),
    displayName: z.string(),
    url: z.string(),
    avatar: z.string(),
  }),
  inReplyToId: z.string(),
  inReplyToAccountId: z.string(),
  raw: z.record(z.string(), z.unknown()),
});

export const MastodonActionResult = resource('MastodonActionResult', {
  accountId: z.string(),
  status: MastodonStatus,
  // The document lists this one value for the result, not the eight of the path.
  action: sampled('favourite', { tones: 'good' }),
  updatedAt: z.string(),
});

/** Ad accounts with access to a tracking tag. */
export const SharedAccounts = resource('SharedAccounts', {
  platform: sampled('metaads'),
  sharedAccounts: z.array(
    resource('SharedAccount', { id: z.string(), name: z.string(), businessId: z.string() }),
  ),
});

/** An automatic Telegram business pairing. The API document does not show the transitions between its statuses. */
export const TelegramSession = resource('TelegramSession', {
  sessionId: z.string().register(fieldMeta, { sensitive: true }),
  status: sampled('pending_start', { tones: 'status' }),
  expiresAt: Timestamp,
  account: AccountResult,
});

export const TelegramAccessCode = resource('TelegramAccessCode', {
  code: z.string().register(fieldMeta, { sensitive: true }),
  status: sampled('pending', { tones: 'status' }),
  expiresAt: Timestamp,
  account: AccountResult,
});
