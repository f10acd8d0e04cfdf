// Handlers for accounts (messages, status actions, channels, tags) and Discord (pins, roles). Nothing leaves this
// machine.

import { notFound } from '../responses.ts';
import type { StoredKinds } from '../store/tables.ts';
import { accountOn, find, type HandlersOf, makeKey, toTimestamp } from './handler.ts';
import { RIVERBANK_DID } from './posts.ts';

type Status = StoredKinds['status']['status'];

export const accounts: HandlersOf<'accounts'> = {
  blueskySend({ accountId, conversationId, text }, records) {
    accountOn(records, 'bluesky', accountId);
    const conversation = find(records, 'conversation', conversationId);
    if (conversation.accountId !== accountId) throw notFound('conversation', conversationId);
    const id = makeKey(`${conversationId} ${records.count('message') + 1}`);
    const sentAt = toTimestamp(records.now);
    const revision = makeKey(`revision ${id}`);
    const message = { id, text, senderDid: RIVERBANK_DID, revision, sentAt, raw: {} };
    const sent = { accountId, conversationId, message, sentAt };
    records.put('message', id, sent);
    return sent;
  },

  mastodonAction({ accountId, statusId, action }, records) {
    accountOn(records, 'mastodon', accountId);
    const stored = find(records, 'status', statusId);
    if (stored.accountId !== accountId) throw notFound('status', statusId);
    const status = statusAfter(stored.status, action);
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

/** Each action with the field that it sets, or clears with `un` before it, and the count that Mastodon keeps of it. */
const actions = {
  favourite: { flag: 'favourited', count: 'favouritesCount' },
  reblog: { flag: 'reblogged', count: 'reblogsCount' },
  bookmark: { flag: 'bookmarked' },
  mute: { flag: 'muted' },
} as const;

/** Returns the status after an action; an action that is done already changes nothing. */
function statusAfter(status: Status, action: string): Status {
  const effect = actions[action.replace(/^un/, '') as keyof typeof actions];
  const on = !action.startsWith('un');
  if ((status[effect.flag] ?? false) === on) return status;
  const after = { ...status, [effect.flag]: on };
  if ('count' in effect) after[effect.count] = (status[effect.count] ?? 0) + (on ? 1 : -1);
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
