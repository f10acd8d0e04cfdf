// Discord in the sandbox: pins and roles of the guild that an account belongs to.

import type { BehavioursOf } from '../behaviour.ts';
import { notFound } from '../refusal.ts';
import { accountOn, find } from './find.ts';

export const discord: BehavioursOf<'discord'> = {
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
