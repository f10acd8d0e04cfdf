// "Accounts" in the API document: Bluesky messages, Mastodon actions, Discord channels, tracking tags.

import {
  BlueskyMessage,
  MastodonAction,
  MastodonActionResult,
  SharedAccounts,
} from '../schema/account.ts';
import { DiscordChannels } from '../schema/destination.ts';
import { accountId, ForeignId } from '../schema/ids.ts';
import { described, textSchema } from '../schema/rules.ts';
import { operation } from './define-operation.ts';

export const blueskySend = operation({
  command: 'accounts bluesky send',
  summary: 'Send a direct message into a Bluesky conversation',
  question: 'Send a message to conversation',
  details:
    'Text only: the service supports no attachments here. A message cannot be deleted afterwards.',
  platform: 'bluesky',
  method: 'POST',
  path: '/v1/accounts/{accountId}/bluesky-conversations/{conversationId}/messages',
  input: {
    conversationId: described(
      ForeignId,
      'Conversation ID (any form, from the service or Bluesky)',
      { argument: 'one' },
    ),
    accountId,
    text: described(textSchema(1, 10_000), 'Text of the message, 1 to 10000 characters', {
      prose: true,
    }),
  },
  result: BlueskyMessage,
  columns: ['message.id', 'conversationId', 'accountId', 'sentAt', 'message.text'],
  done: (said) => `Sent a message to the Bluesky conversation ${said('conversationId')}`,
  inspect: 'Check the conversation in Bluesky: the API cannot list messages.',
  examples: {
    'Send a message':
      'social accounts bluesky send 3kspringlaunch2 -a AccountBlueskyAa --text "On its way."',
  },
});

/** A command for each action, whose name stands where `{action}` is. */
export const mastodonAction = operation({
  command: 'accounts mastodon {action}',
  summary: '{action} a Mastodon status',
  platform: 'mastodon',
  method: 'POST',
  path: '/v1/accounts/{accountId}/mastodon-statuses/{statusId}/{action}',
  input: {
    statusId: described(ForeignId, 'Mastodon status ID (the number in its URL)', {
      argument: 'many',
    }),
    accountId,
    action: MastodonAction,
  },
  result: MastodonActionResult,
  columns: [
    'action',
    'status.id',
    'status.favourited',
    'status.reblogged',
    'status.bookmarked',
    'status.muted',
    'status.url',
    'updatedAt',
  ],
  onlySetsValues: true,
  done(said) {
    const action = said('input.action') ?? '';
    const undoes = action.startsWith('un');
    const word =
      { favourite: 'favourited', reblog: 'reblogged', bookmark: 'bookmarked' }[
        undoes ? action.slice(2) : action
      ] ?? 'muted';
    const isSo = (said(`status.${word}`) ?? String(!undoes)) === 'true';
    return `The Mastodon status ${said('statusId')} is ${isSo ? '' : 'not '}${word} now`;
  },
  inspect:
    'Check the status on Mastodon: the API cannot show it. Running the command again is probably harmless.',
  examples: {
    '{action} a status': 'social accounts mastodon {action} 113000000000000001 -a AccountMastodonA',
  },
});

export const discordChannels = operation({
  command: 'accounts discord channels',
  summary: 'List the guild channels an account manages',
  platform: 'discord',
  method: 'GET',
  path: '/v1/accounts/{accountId}/discord-channels',
  input: { accountId },
  result: DiscordChannels,
  rows: 'channels',
  header: ['guildId', 'accountId'],
  columns: ['name', 'id', 'type', 'postable', 'selected', 'manageable', 'threadOnly', 'parentId'],
  examples: { 'List channels': 'social accounts discord channels -a AccountDiscordAa' },
});

export const sharedAccounts = operation({
  command: 'accounts tracking-tags shared-accounts',
  summary: 'List the ad accounts that share a tracking tag',
  platform: 'metaads',
  method: 'GET',
  path: '/v1/accounts/{accountId}/tracking-tags/{tagId}/shared-accounts',
  input: {
    tagId: described(ForeignId, 'Tracking tag ID (any form, from the ad provider)', {
      argument: 'one',
    }),
    accountId,
  },
  result: SharedAccounts,
  rows: 'sharedAccounts',
  header: ['platform'],
  columns: ['name', 'id', 'businessId'],
  examples: {
    'List the accounts that share a tag':
      'social accounts tracking-tags shared-accounts 987654321012345 -a AccountMetaAdsAa',
  },
});
