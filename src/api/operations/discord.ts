// "Discord" in the API document: pin a message, list a guild's roles.

import { described } from '../schema/rules.ts';
import { DiscordPin, DiscordRoles } from '../schema/destination.ts';
import { accountId, DiscordId } from '../schema/ids.ts';
import { operation } from './define-operation.ts';

export const pinsAdd = operation({
  command: 'discord pins add',
  summary: 'Pin a message in a channel',
  question: 'Pin a message in channel',
  details: 'Pinning a message that is already pinned changes nothing.',
  platform: 'discord',
  method: 'PUT',
  path: '/v1/discord/channels/{channelId}/pins/{messageId}',
  input: {
    channelId: described(
      DiscordId,
      'Channel ID (1 to 20 digits, from social accounts discord channels)',
      { argument: 'one' },
    ),
    messageId: described(DiscordId, 'Message ID (1 to 20 digits, from Discord: Copy Message ID)', {
      argument: 'one',
    }),
    accountId,
  },
  result: DiscordPin,
  query: ['accountId'],
  columns: ['action', 'idempotent', 'channelId', 'messageId', 'accountId'],
  done: (said) => `The message ${said('messageId')} is pinned in the channel ${said('channelId')}`,
  inspect:
    'Check the pinned messages of the channel in Discord: the API cannot list them. Running the command again changes nothing more.',
  examples: {
    'Pin a message':
      'social discord pins add 112233445566778899 998877665544332211 -a AccountDiscordAa',
  },
});

export const roles = operation({
  command: 'discord roles',
  summary: 'List the roles of a guild',
  platform: 'discord',
  method: 'GET',
  path: '/v1/discord/guilds/{guildId}/roles',
  input: {
    guildId: described(
      DiscordId,
      'Guild ID (1 to 20 digits, from social accounts discord channels)',
      { argument: 'one' },
    ),
    accountId,
  },
  result: DiscordRoles,
  rows: 'roles',
  header: ['guildId', 'accountId'],
  columns: ['name', 'id', 'color', 'mentionable', 'managed', 'position', 'permissions'],
  examples: { 'List roles': 'social discord roles 223344556677889900 -a AccountDiscordAa' },
});
