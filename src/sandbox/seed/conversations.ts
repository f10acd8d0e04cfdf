// The conversation, statuses, pairings and webhook endpoint of the seed.

import { RIVERBANK_DID } from '../handlers/posts.ts';
import type { StoredChange, StoredKinds } from '../store/tables.ts';
import { toTimestamp } from '../handlers/lookup.ts';
import { entry } from './builders.ts';
import { samples } from './samples.ts';

const HOUR_MS = 3_600_000;

/** Conversations, statuses, pairings and endpoints of a sandbox that starts at `now`, milliseconds since 1970. */
export function seedConversations(now: number): readonly StoredChange[] {
  return [
    entry('conversation', samples.conversationId, {
      id: samples.conversationId,
      accountId: samples.blueskyAccountId,
      senderDid: RIVERBANK_DID,
    }),
    entry('status', samples.statusId, status(now - 3 * HOUR_MS)),
    entry('session', samples.sessionId, {
      account: telegram('AccountTelegramB', '7001234567', 'Riverbank Business'),
    }),
    entry('code', samples.code, {
      account: telegram('AccountTelegramC', '-1001234567890', 'Riverbank Channel'),
    }),
    entry('webhook', samples.webhookId, endpoint(now)),
  ];
}

const telegram = (accountId: string, providerAccountId: string, displayName: string) => ({
  accountId,
  platform: 'telegram' as const,
  providerAccountId,
  displayName,
  attachedToProfileId: samples.profileId,
  returnTo: `/profiles/${samples.profileId}/destinations`,
});

function status(at: number): StoredKinds['status'] {
  const text = 'Tried the spring roast from @riverbank this morning. Apricot! 🍑';
  return {
    accountId: samples.mastodonAccountId,
    status: {
      id: samples.statusId,
      uri: `https://mastodon.example/users/jo/statuses/${samples.statusId}`,
      url: `https://mastodon.example/@jo/${samples.statusId}`,
      contentHtml: `<p>${text}</p>`,
      text,
      createdAt: toTimestamp(at),
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
