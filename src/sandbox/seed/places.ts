// Where the sandbox's accounts can go: pages, boards, flairs, channels, roles, tags, audiences.

import type { Change } from '../kinds.ts';
import { channels, roles } from './discord.ts';
import { entry } from './entry.ts';
import { readyPages, unreadyPages } from './facebook.ts';
import { samples } from './samples.ts';

const { guildId } = samples;

/** The places, which do not hang on the time. */
export function seedPlaces(): readonly Change[] {
  return [
    entry('pages', samples.facebookAccountId, readyPages),
    entry('pages', 'AccountFacebookB', unreadyPages),
    entry('board', samples.boardId, {
      id: samples.boardId,
      accountId: samples.pinterestAccountId,
      name: 'Coffee corners',
    }),
    entry('board', '549755885176', {
      id: '549755885176',
      accountId: samples.pinterestAccountId,
      name: 'Recipes',
    }),
    entry('subreddit', samples.subreddit, {
      flairs: [
        { id: 'f1a2b3c4-0001', text: 'Question', type: 'text', textEditable: false },
        { id: 'f1a2b3c4-0002', text: 'Show and tell', type: 'text', textEditable: true },
        { id: 'f1a2b3c4-0003', text: 'Solved ✅', type: 'richtext', textEditable: false },
      ],
    }),
    entry('subreddit', 'coffee', { flairs: [] }),
    entry('guild', guildId, { id: guildId, channels, roles }),
    entry('discordMessage', samples.messageId, {
      id: samples.messageId,
      channelId: samples.channelId,
      pinned: false,
    }),
    entry('tag', samples.tagId, {
      accountId: samples.metaadsAccountId,
      shared: {
        platform: 'metaads',
        sharedAccounts: [
          { id: 'act_40050060070', name: 'Riverbank Ads', businessId: '100200300400' },
          {
            id: 'act_40050060071',
            name: 'Riverbank Japan リバーバンク',
            businessId: '100200300401',
          },
        ],
      },
    }),
    ...audiences.map(([id, name]) => entry('audience', id, { id, name })),
  ];
}

const audiences = [
  [samples.audienceId, 'Newsletter readers'],
  ['23850000000000002', 'Bought in the last 30 days'],
  ['23850000000000003', 'Lookalike of regulars, 1 %'],
] as const;
