// The accounts that the sandbox starts with, and what belongs to them: credentials, destinations, messages, pairings and
// a webhook endpoint.

import type { StoredAccount, StoredKinds, StoredRecord } from '../store/tables.ts';
import { toTimestamp } from '../handlers/handler.ts';

/** The sample identifiers in help, the docs and the tests; all of them are in the seed. */
export const samples = {
  /** A post with failed targets, one of which is `targetId`. */
  postId: 'PostSpringLaunch',
  targetId: 'TargetSpringLink',
  publishedPostId: 'PostAutumnRecaps',
  publishedTargetId: 'TargetAutumnMast',
  /** An account for operations on any platform. */
  accountId: 'AccountBlueskyAa',
  blueskyAccountId: 'AccountBlueskyAa',
  mastodonAccountId: 'AccountMastodonA',
  discordAccountId: 'AccountDiscordAa',
  facebookAccountId: 'AccountFacebookA',
  redditAccountId: 'AccountRedditAaa',
  pinterestAccountId: 'AccountPinterest',
  metaadsAccountId: 'AccountMetaAdsAa',
  conversationId: '3kspringlaunch2',
  statusId: '113000000000000001',
  tagId: '987654321012345',
  profileId: 'ProfileMainBrand',
  boardId: '549755885175',
  subreddit: 'typescript',
  /** The session of a Telegram Business pairing; the handlers connect it about six seconds after its first read. */
  sessionId: '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718',
  /** The access code of a Telegram pairing; the handlers connect it about four seconds after its first read. */
  code: 'TG-482913',
  channelId: '112233445566778899',
  messageId: '998877665544332211',
  guildId: '223344556677889900',
  audienceId: '23850000000000001',
  credentialId: 'CredentialSystem',
  webhookId: 'WebhookAlertsOps',
  /** Pairings that never connect: they last half a minute after the first read, have expired, or were refused. */
  expiringCode: 'TG-300030',
  expiredCode: 'TG-190190',
  refusedCode: 'TG-403403',
  expiringSession: '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e55101100000000000030ff',
  expiredSession: '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e55101100000000000190ff',
  refusedSession: '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e55101100000000000403ff',
} as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Everything but the posts, in a sandbox that starts at `now`, milliseconds since 1970. */
export function seedAccounts(now: number): readonly StoredRecord[] {
  const { conversationId, statusId, sessionId, code, webhookId } = samples;
  const { facebookAccountId, blueskyAccountId, pinterestAccountId, metaadsAccountId } = samples;
  const { boardId, subreddit, guildId, channelId, messageId, tagId, audienceId } = samples;
  return [
    ...accounts.map(([id, platform, displayName, rest]): StoredRecord => {
      return ['account', id, { id, platform, displayName, connected: true, ...rest }];
    }),
    credential(samples.credentialId, 'twitter', 'x', 'X app of the organization', now),
    credential(PAGES_CREDENTIAL, 'facebook', 'meta', 'Facebook and Instagram app', now),
    ['pages', facebookAccountId, pagesOf(facebookAccountId, [roasters, japan])],
    ['pages', LINZ_ACCOUNT, pagesOf(LINZ_ACCOUNT, [linz])],
    ['board', boardId, { accountId: pinterestAccountId }],
    ['subreddit', subreddit, { flairs: [...flairs] }],
    ['guild', guildId, { channels, roles }],
    ['discordMessage', messageId, { channelId, pinned: false }],
    [
      'tag',
      tagId,
      { accountId: metaadsAccountId, shared: { platform: 'metaads', sharedAccounts } },
    ],
    ['audience', audienceId, { id: audienceId, name: 'Newsletter readers' }],
    ['audience', '23850000000000002', { id: '23850000000000002', name: 'Bought in May' }],
    ['conversation', conversationId, { accountId: blueskyAccountId }],
    ['status', statusId, mastodonPost(now - 3 * HOUR_MS)],
    ['session', sessionId, pairing('AccountTelegramB', '7001234567', 'Riverbank Business')],
    ['code', code, pairing('AccountTelegramC', '-1001234567890', 'Riverbank Channel')],
    ['code', samples.expiringCode, { ...unpaired, stays: 'pending', lastsMs: 30_000 }],
    ['code', samples.expiredCode, { ...unpaired, stays: 'pending', startedAt: now - HOUR_MS }],
    ['code', samples.refusedCode, { ...unpaired, stays: 'refused' }],
    ['session', samples.expiringSession, { ...unpaired, stays: 'pending_start', lastsMs: 30_000 }],
    [
      'session',
      samples.expiredSession,
      { ...unpaired, stays: 'pending_start', startedAt: now - HOUR_MS },
    ],
    ['session', samples.refusedSession, { ...unpaired, stays: 'refused' }],
    ['webhook', webhookId, endpoint(now)],
  ];
}

const PAGES_CREDENTIAL = 'CredentialPagesA';
const LINZ_ACCOUNT = 'AccountFacebookB';

const byMetaApp = { credentialId: PAGES_CREDENTIAL };
const byXApp = { credentialId: samples.credentialId };
const inGuild = { guildId: samples.guildId };

/** All are connected, unless they say otherwise. */
const accounts: readonly (readonly [
  id: string,
  platform: string,
  displayName: string,
  rest?: Partial<StoredAccount>,
])[] = [
  [samples.blueskyAccountId, 'bluesky', 'riverbank.example'],
  [samples.mastodonAccountId, 'mastodon', '@riverbank@mastodon.example'],
  [samples.discordAccountId, 'discord', 'Riverbank Regulars ☕', inGuild],
  [samples.facebookAccountId, 'facebook', 'Mira Riverbank', byMetaApp],
  [LINZ_ACCOUNT, 'facebook', 'Riverbank Linz', byMetaApp],
  [samples.redditAccountId, 'reddit', 'u/riverbank'],
  [
    samples.pinterestAccountId,
    'pinterest',
    'Riverbank Roasters',
    { providerAccountId: '549755813888' },
  ],
  [samples.metaadsAccountId, 'metaads', 'Riverbank Ads'],
  ['AccountLinkedInA', 'linkedin', 'Riverbank Roasters'],
  // In the state `outage` its targets fail until it is connected again.
  ['AccountLinkedInB', 'linkedin', 'Riverbank Roasters Linz', { connected: false }],
  ['AccountTwitterAa', 'twitter', '@riverbank', byXApp],
  ['AccountTwitterBb', 'twitter', '@riverbank_jp リバーバンク', byXApp],
  ['AccountTwitterCc', 'twitter', '@riverbank_old', { ...byXApp, connected: false }],
  ['AccountInstagram', 'instagram', 'riverbank.roasters', byMetaApp],
  ['AccountTikTokAaa', 'tiktok', 'riverbank'],
];

function credential(
  id: string,
  platform: 'twitter' | 'facebook',
  credentialFamily: string,
  label: string,
  now: number,
): StoredRecord {
  const verifiedAt = toTimestamp(now - 90 * DAY_MS);
  const value = {
    id,
    scope: 'system',
    organizationId: 'org_riverbank',
    platform,
    credentialFamily,
    credentialType: 'oauth_client',
    label,
    status: 'verified',
    availability: 'production',
    metadata: {},
    lastTestedAt: toTimestamp(now - DAY_MS),
    verifiedAt,
    version: 3,
    createdBy: 'user_mira',
    updatedBy: 'user_mira',
    createdAt: toTimestamp(now - 400 * DAY_MS),
    updatedAt: verifiedAt,
    displayName: label,
    appIdentifierSuffix: '7f3a',
  };
  return ['credential', id, value];
}

const PERMISSION = 'pages_manage_posts';

/** Makes a Facebook page on which an account can publish, unless it lacks permissions. */
const page = (id: string, name: string, username: string, missingPermissions: string[] = []) => ({
  id,
  name,
  username,
  category: 'Coffee shop',
  tasks: missingPermissions.length > 0 ? ['ANALYZE'] : ['CREATE_CONTENT', 'MODERATE', 'ANALYZE'],
  pageUrl: `https://facebook.example/${username}`,
  selected: false,
  canPublish: missingPermissions.length === 0,
  missingPermissions,
});

const roasters = {
  ...page('104200300400501', 'Riverbank Roasters', 'riverbankroasters'),
  connectedInstagramAccountId: '17841400000000001',
  connectedInstagramUsername: 'riverbank.roasters',
  connectedInstagramAccountType: 'BUSINESS',
};
const japan = page('104200300400502', 'Riverbank Japan リバーバンク', 'riverbankjp', [PERMISSION]);
const linz = page('104200300400503', 'Riverbank Roasters Linz', 'riverbanklinz', [PERMISSION]);

/** Makes the pages of an account; the first one is selected, and decides what the account can do. */
function pagesOf(
  accountId: string,
  [selected, ...others]: readonly [ReturnType<typeof page>, ...ReturnType<typeof page>[]],
): StoredKinds['pages'] {
  const { id, name, canPublish, missingPermissions } = selected;
  return {
    accountId,
    pages: [{ ...selected, selected: true }, ...others],
    selectedPageId: id,
    readiness: {
      platform: 'facebook',
      ready: canPublish,
      status: canPublish ? 'ready' : 'action_required',
      reconnectRecommended: !canPublish,
      selectedDestinationId: id,
      selectedDestinationName: name,
      missingScopes: [],
      missingPermissions,
      missingDestinations: [],
      issues: missingPermissions.map((permission) => ({
        code: 'missing_permission',
        message: `The page has not granted ${permission}.`,
      })),
      capabilities: [
        {
          key: 'publish',
          supported: canPublish,
          status: canPublish ? 'ready' : 'missing_permission',
          reason: canPublish ? undefined : `${missingPermissions.join(', ')} is missing`,
          requiredScopes: [],
          requiredPermissions: [PERMISSION],
        },
      ],
    },
  };
}

const flairs = [
  { id: 'f1a2b3c4-0001', text: 'Question', type: 'text', textEditable: false },
  { id: 'f1a2b3c4-0002', text: 'Show and tell', type: 'text', textEditable: true },
  { id: 'f1a2b3c4-0003', text: 'Solved ✅', type: 'richtext', textEditable: false },
] as const;

type Channel = StoredKinds['guild']['channels'][number];

const channel = (id: string, name: string, position: number, rest?: Partial<Channel>): Channel => ({
  id,
  guildId: samples.guildId,
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

const inCategory = { parentId: '112233445566778800' };
const forum = {
  type: 'guild_forum',
  threadOnly: true,
  availableTags: [
    { id: '1', name: 'Espresso', moderated: false },
    { id: '2', name: 'Answered', moderated: true },
  ],
};

const channels: readonly Channel[] = [
  channel(samples.channelId, 'announcements', 0, { ...inCategory, selected: true }),
  channel('112233445566778901', 'お知らせ-日本', 1, inCategory),
  channel('112233445566778902', 'brew-questions', 2, forum),
  channel('112233445566778903', 'staff', 3, { postable: false }),
];

type Role = StoredKinds['guild']['roles'][number];

const role = (id: string, name: string, position: number, rest?: Partial<Role>): Role => ({
  id,
  guildId: samples.guildId,
  name,
  color: 0,
  position,
  managed: false,
  mentionable: false,
  permissions: '1071698660929',
  ...rest,
});

const roles: readonly Role[] = [
  role(samples.guildId, '@everyone', 0),
  role('334455667788990001', 'Regulars ☕', 1, { color: 0xc27c0e, mentionable: true }),
  role('334455667788990002', 'Baristas', 2, { color: 0x1f8b4c, mentionable: true }),
  role('334455667788990003', 'Riverbank Publisher', 3, { managed: true, permissions: '8' }),
];

const sharedAccounts = [
  { id: 'act_40050060070', name: 'Riverbank Ads', businessId: '100200300400' },
  { id: 'act_40050060071', name: 'Riverbank Japan リバーバンク', businessId: '100200300401' },
];

function mastodonPost(createdAt: number): StoredKinds['status'] {
  const { mastodonAccountId: accountId, statusId: id } = samples;
  const text = 'Tried the spring roast from @riverbank this morning. Apricot! 🍑';
  return {
    accountId,
    status: {
      id,
      uri: `https://mastodon.example/users/jo/statuses/${id}`,
      url: `https://mastodon.example/@jo/${id}`,
      contentHtml: `<p>${text}</p>`,
      text,
      createdAt: toTimestamp(createdAt),
      visibility: 'public',
      spoilerText: '',
      sensitive: false,
      favourited: false,
      reblogged: false,
      bookmarked: false,
      muted: false,
      repliesCount: 1,
      reblogsCount: 2,
      favouritesCount: 12,
      account: {
        id: '109300000000000099',
        username: 'jo',
        acct: 'jo',
        displayName: 'Jo 🌻',
        url: 'https://mastodon.example/@jo',
        avatar: 'https://mastodon.example/avatars/jo.png',
      },
      raw: {},
    },
  };
}

const pairing = (accountId: string, providerAccountId: string, displayName: string) => ({
  account: {
    accountId,
    platform: 'telegram' as const,
    providerAccountId,
    displayName,
    attachedToProfileId: samples.profileId,
    returnTo: `/profiles/${samples.profileId}/destinations`,
  },
});

const unpaired = pairing('AccountTelegramD', '-1001234567891', 'Riverbank Test');

const endpoint = (now: number): StoredKinds['webhook'] => ({
  id: samples.webhookId,
  organizationId: 'org_riverbank',
  name: 'Alerts for operations',
  url: 'https://ops.example.com/hooks/social',
  events: ['post.failed', 'post.partial', 'account.disconnected'],
  isActive: true,
  hasSecret: true,
  customHeaders: { 'X-Team': 'operations' },
  failureCount: 0,
  createdBy: 'user_mira',
  createdAt: toTimestamp(now - 1000 * HOUR_MS),
  updatedAt: toTimestamp(now - 400 * HOUR_MS),
  lastFiredAt: toTimestamp(now - 2 * HOUR_MS),
});
