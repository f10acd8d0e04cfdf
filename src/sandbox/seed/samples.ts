// The sample identifiers in help, the docs and the tests; all of them are in the seed.

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
  /** Connects about six seconds after the first read. */
  sessionId: '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718',
  /** Connects about four seconds after the first read. */
  code: 'TG-482913',
  channelId: '112233445566778899',
  messageId: '998877665544332211',
  guildId: '223344556677889900',
  audienceId: '23850000000000001',
  credentialId: 'CredentialSystem',
  webhookId: 'WebhookAlertsOps',
} as const;
