// The destinations of the seeded accounts: Facebook pages, boards, subreddits, a guild with channels and roles, tags,
// audiences.

import type { StoredChange, StoredKinds } from '../store/tables.ts';
import { entry } from './builders.ts';
import { samples } from './samples.ts';

const { guildId } = samples;

type Channel = StoredKinds['guild']['channels'][number];

const channel = (
  id: string,
  name: string,
  position: number,
  rest: Partial<Channel> = {},
): Channel => ({
  id,
  guildId,
  name,
  type: 'guild_text',
  position,
  manageable: true,
  postable: true,
  threadOnly: false,
  selected: false,
  availableTags: [],
  ...rest,
});

const guildChannels: readonly Channel[] = [
  channel(samples.channelId, 'announcements', 0, {
    parentId: '112233445566778800',
    selected: true,
  }),
  channel('112233445566778901', 'お知らせ-日本', 1, { parentId: '112233445566778800' }),
  channel('112233445566778902', 'brew-questions', 2, {
    type: 'guild_forum',
    threadOnly: true,
    availableTags: [
      { id: '1', name: 'Espresso', moderated: false },
      { id: '2', name: 'Answered', moderated: true },
    ],
  }),
  channel('112233445566778903', 'staff', 3, { postable: false }),
];

type Role = StoredKinds['guild']['roles'][number];

const role = (id: string, name: string, position: number, rest: Partial<Role> = {}): Role => ({
  id,
  guildId,
  name,
  color: 0,
  position,
  managed: false,
  mentionable: false,
  permissions: '1071698660929',
  ...rest,
});

const guildRoles: readonly Role[] = [
  role(guildId, '@everyone', 0),
  role('334455667788990001', 'Regulars ☕', 1, { color: 0xc27c0e, mentionable: true }),
  role('334455667788990002', 'Baristas', 2, { color: 0x1f8b4c, mentionable: true }),
  role('334455667788990003', 'Riverbank Publisher', 3, { managed: true, permissions: '8' }),
];

type Pages = StoredKinds['pages'];

const readyPages: Pages = {
  accountId: samples.facebookAccountId,
  pages: [
    {
      id: '104200300400501',
      name: 'Riverbank Roasters',
      username: 'riverbankroasters',
      category: 'Coffee shop',
      tasks: ['CREATE_CONTENT', 'MODERATE', 'ANALYZE'],
      pageUrl: 'https://facebook.example/riverbankroasters',
      connectedInstagramAccountId: '17841400000000001',
      connectedInstagramUsername: 'riverbank.roasters',
      connectedInstagramAccountType: 'BUSINESS',
      selected: true,
      canPublish: true,
      missingPermissions: [],
    },
    {
      id: '104200300400502',
      name: 'Riverbank Japan リバーバンク',
      username: 'riverbankjp',
      category: 'Coffee shop',
      tasks: ['ANALYZE'],
      pageUrl: 'https://facebook.example/riverbankjp',
      selected: false,
      canPublish: false,
      missingPermissions: ['pages_manage_posts'],
    },
  ],
  selectedPageId: '104200300400501',
  readiness: {
    platform: 'facebook',
    ready: true,
    status: 'ready',
    reconnectRecommended: false,
    selectedDestinationId: '104200300400501',
    selectedDestinationName: 'Riverbank Roasters',
    missingScopes: [],
    missingPermissions: [],
    missingDestinations: [],
    issues: [],
    capabilities: [
      {
        key: 'publish',
        supported: true,
        status: 'ready',
        requiredScopes: [],
        requiredPermissions: ['pages_manage_posts'],
      },
    ],
  },
};

const unreadyPages: Pages = {
  accountId: 'AccountFacebookB',
  pages: [
    {
      id: '104200300400503',
      name: 'Riverbank Roasters Linz',
      category: 'Coffee shop',
      tasks: ['ANALYZE'],
      selected: true,
      canPublish: false,
      missingPermissions: ['pages_manage_posts'],
    },
  ],
  selectedPageId: '104200300400503',
  readiness: {
    platform: 'facebook',
    ready: false,
    status: 'action_required',
    reconnectRecommended: true,
    selectedDestinationId: '104200300400503',
    selectedDestinationName: 'Riverbank Roasters Linz',
    missingScopes: [],
    missingPermissions: ['pages_manage_posts'],
    missingDestinations: [],
    issues: [
      { code: 'missing_permission', message: 'The page has not granted pages_manage_posts.' },
    ],
    capabilities: [
      {
        key: 'publish',
        supported: false,
        status: 'missing_permission',
        reason: 'pages_manage_posts is missing',
        requiredScopes: [],
        requiredPermissions: ['pages_manage_posts'],
      },
    ],
  },
};

/** Makes the changes that store the destinations. They do not depend on the time. */
export function seedDestinations(): readonly StoredChange[] {
  return [
    entry('pages', samples.facebookAccountId, readyPages),
    entry('pages', 'AccountFacebookB', unreadyPages),
    entry('board', samples.boardId, {
      id: samples.boardId,
      accountId: samples.pinterestAccountId,
      name: 'Coffee corners',
    }),
    entry('subreddit', samples.subreddit, {
      flairs: [
        { id: 'f1a2b3c4-0001', text: 'Question', type: 'text', textEditable: false },
        { id: 'f1a2b3c4-0002', text: 'Show and tell', type: 'text', textEditable: true },
        { id: 'f1a2b3c4-0003', text: 'Solved ✅', type: 'richtext', textEditable: false },
      ],
    }),
    entry('guild', guildId, { id: guildId, channels: guildChannels, roles: guildRoles }),
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
] as const;
