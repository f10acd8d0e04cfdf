// Handlers for accounts (messages, status actions, channels, tags) and Discord (pins, roles). Nothing leaves this machine.

import { notFound } from '../responses.ts';
import type { StoredKinds } from '../store/tables.ts';
import { accountOn, find, makeKey, toTimestamp } from './lookup.ts';
import type { HandlersOf } from './types.ts';

type Status = StoredKinds['status']['status'];

export const accounts: HandlersOf<'accounts'> = {
  blueskySend({ accountId, conversationId, text }, records) {
    accountOn(records, 'bluesky', accountId);
    const conversation = find(records, 'conversation', conversationId);
    if (conversation.accountId !== accountId) throw notFound('conversation', conversationId);
    const id = makeKey(`${conversationId} ${records.count('message') + 1}`);
    const sentAt = toTimestamp(records.now);
    const { senderDid } = conversation;
    const message = { id, text, senderDid, revision: makeKey(`revision ${id}`), sentAt, raw: {} };
    const sent = { accountId, conversationId, message, sentAt };
    records.put('message', id, sent);
    return sent;
  },

  mastodonAction({ accountId, statusId, action }, records) {
    accountOn(records, 'mastodon', accountId);
    const known = find(records, 'status', statusId);
    if (known.accountId !== accountId) throw notFound('status', statusId);
    const status = acted(known.status, action);
    records.put('status', statusId, { accountId, status });
    return { accountId, status, action, updatedAt: toTimestamp(records.now) };
  },

  discordChannels({ accountId }, records) {
    const { guildId = '' } = accountOn(records, 'discord', accountId);
    const { channels } = find(records, 'guild', guildId);
    return { accountId, guildId, channels: channels.filter((channel) => channel.manageable) };
  },

  sharedAccounts({ accountId, tagId }, records) {
    accountOn(records, 'metaads', accountId);
    const tag = find(records, 'tag', tagId, 'tracking_tag');
    if (tag.accountId !== accountId) throw notFound('tracking_tag', tagId);
    return tag.shared;
  },
};

/** What each action sets: the flag, its count where Mastodon keeps one, and whether it is set or cleared. */
const actions = {
  favourite: { flag: 'favourited', count: 'favouritesCount', on: true },
  unfavourite: { flag: 'favourited', count: 'favouritesCount', on: false },
  reblog: { flag: 'reblogged', count: 'reblogsCount', on: true },
  unreblog: { flag: 'reblogged', count: 'reblogsCount', on: false },
  bookmark: { flag: 'bookmarked', on: true },
  unbookmark: { flag: 'bookmarked', on: false },
  mute: { flag: 'muted', on: true },
  unmute: { flag: 'muted', on: false },
} as const satisfies Record<string, { flag: keyof Status; count?: keyof Status; on: boolean }>;

/** The status after an action; one that is done already changes nothing. */
function acted(status: Status, action: keyof typeof actions): Status {
  const effect = actions[action];
  if ((status[effect.flag] ?? false) === effect.on) return status;
  const after = { ...status, [effect.flag]: effect.on };
  if ('count' in effect) after[effect.count] = (status[effect.count] ?? 0) + (effect.on ? 1 : -1);
  return after;
}

export const discord: HandlersOf<'discord'> = {
  pinsAdd({ accountId, channelId, messageId }, records) {
    const { guildId = '' } = accountOn(records, 'discord', accountId);
    const { channels } = find(records, 'guild', guildId);
    if (!channels.some((channel) => channel.id === channelId)) throw notFound('channel', channelId);
    const message = find(records, 'discordMessage', messageId, 'message');
    if (message.channelId !== channelId) throw notFound('message', messageId);
    if (!message.pinned) records.put('discordMessage', messageId, { ...message, pinned: true });
    return { accountId, channelId, messageId, action: 'pinned', idempotent: message.pinned };
  },

  roles({ accountId, guildId }, records) {
    const account = accountOn(records, 'discord', accountId);
    if (account.guildId !== guildId) throw notFound('guild', guildId);
    return { accountId, guildId, roles: [...find(records, 'guild', guildId).roles] };
  },
};
