// The command line of every operation, and the request that the API document requires for it. Both are written by hand,
// so that the laws compare the operations with something that is not derived from them.

export interface CommandLine {
  /** The words after `social`. */
  readonly line: string;
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** The JSON body; absent if the request has none. */
  readonly body?: object;
  /** Standard input, where the line reads it. */
  readonly stdin?: string;
}

const session = '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718';
const actions = 'favourite unfavourite reblog unreblog bookmark unbookmark mute unmute'.split(' ');
const events =
  'post.scheduled post.updated post.published post.unpublished post.failed post.partial post.recycled account.connected account.disconnected ad.created ad.status_changed account.ads.initial_sync_completed'.split(
    ' ',
  );

const mastodon = (word: string, action: string): CommandLine => ({
  line: `accounts mastodon ${word} 113000000000000001 -a AccountMastodonA`,
  method: 'POST',
  target: `/v1/accounts/AccountMastodonA/mastodon-statuses/113000000000000001/${action}`,
});

/** One line for each operation, and eight for that of Mastodon. */
export const commandLines: readonly CommandLine[] = [
  { line: 'posts get PostSpringLaunch', method: 'GET', target: '/v1/posts/PostSpringLaunch' },
  {
    line: 'posts retry PostSpringLaunch',
    method: 'POST',
    target: '/v1/posts/PostSpringLaunch/retry',
    body: {},
  },
  {
    line: 'posts reply PostAutumnRecaps --target TargetAutumnMast --text "Thank you!"',
    method: 'POST',
    target: '/v1/posts/PostAutumnRecaps/comments/reply',
    body: { targetId: 'TargetAutumnMast', text: 'Thank you!' },
  },
  {
    line: 'accounts bluesky send 3kspringlaunch2 -a AccountBlueskyAa --text "On its way."',
    method: 'POST',
    target: '/v1/accounts/AccountBlueskyAa/bluesky-conversations/3kspringlaunch2/messages',
    body: { text: 'On its way.' },
  },
  ...actions.map((action) => mastodon(action, action)),
  {
    line: 'accounts discord channels -a AccountDiscordAa',
    method: 'GET',
    target: '/v1/accounts/AccountDiscordAa/discord-channels',
  },
  {
    line: 'accounts tracking-tags shared-accounts 987654321012345 -a AccountMetaAdsAa',
    method: 'GET',
    target: '/v1/accounts/AccountMetaAdsAa/tracking-tags/987654321012345/shared-accounts',
  },
  {
    line: 'connect pinterest select-board -a AccountPinterest --profile ProfileMainBrand --board 549755885175',
    method: 'POST',
    target: '/v1/connect/pinterest/select-board',
    body: {
      accountId: 'AccountPinterest',
      profileId: 'ProfileMainBrand',
      boardId: '549755885175',
    },
  },
  {
    line: 'connect facebook pages -a AccountFacebookA',
    method: 'GET',
    target: '/v1/connect/facebook/pages?accountId=AccountFacebookA',
  },
  {
    line: 'connect reddit flairs -a AccountRedditAaa --subreddit typescript',
    method: 'GET',
    target: '/v1/connect/reddit/flairs?accountId=AccountRedditAaa&subreddit=typescript',
  },
  {
    line: `connect telegram session ${session}`,
    method: 'GET',
    target: `/v1/connect/telegram/business/session/${session}`,
  },
  {
    line: 'connect telegram access-code TG-482913',
    method: 'GET',
    target: '/v1/connect/telegram/access-code/TG-482913',
  },
  {
    line: 'discord pins add 112233445566778899 998877665544332211 -a AccountDiscordAa',
    method: 'PUT',
    target:
      '/v1/discord/channels/112233445566778899/pins/998877665544332211?accountId=AccountDiscordAa',
  },
  {
    line: 'discord roles 223344556677889900 -a AccountDiscordAa',
    method: 'GET',
    target: '/v1/discord/guilds/223344556677889900/roles?accountId=AccountDiscordAa',
  },
  {
    line: 'ads audiences delete 23850000000000001 --yes',
    method: 'DELETE',
    target: '/v1/ads/audiences/23850000000000001',
  },
  {
    line: 'credentials disable CredentialSystem --yes',
    method: 'POST',
    target: '/v1/platform-app-credentials/CredentialSystem/disable',
  },
  {
    line: 'webhooks create --url https://ops.example.com/hook --event post.failed --event post.partial',
    method: 'POST',
    target: '/v1/webhooks',
    body: {
      url: 'https://ops.example.com/hook',
      events: ['post.failed', 'post.partial'],
      name: 'ops.example.com',
    },
  },
  {
    line: 'webhooks update WebhookAlertsOps --inactive',
    method: 'PATCH',
    target: '/v1/webhooks',
    body: { id: 'WebhookAlertsOps', isActive: false },
  },
];

/** One line for each operation. */
export const operationLines = commandLines.filter(
  ({ line }) => !line.includes('mastodon') || line.includes(' favourite '),
);

/** Further ways to type the operations: every flag, every alias, values that must be encoded or quoted. */
export const commandVariants: readonly CommandLine[] = [
  mastodon('favorite', 'favourite'),
  mastodon('unfavorite', 'unfavourite'),
  mastodon('boost', 'reblog'),
  mastodon('unboost', 'unreblog'),
  {
    line: 'posts retry PostSpringLaunch --target TargetSpringLink --target TargetSpringMast',
    method: 'POST',
    target: '/v1/posts/PostSpringLaunch/retry',
    body: { targetIds: ['TargetSpringLink', 'TargetSpringMast'] },
  },
  {
    line: 'posts retry PostSpringLaunch --target TargetSpringLink,TargetSpringMast',
    method: 'POST',
    target: '/v1/posts/PostSpringLaunch/retry',
    body: { targetIds: ['TargetSpringLink', 'TargetSpringMast'] },
  },
  {
    line: 'posts reply PostAutumnRecaps --target TargetAutumnBlue --text-file - --root-uri at://r --root-cid bafyr --parent-uri at://p --parent-cid bafyp',
    stdin: 'It\'s "done" – 100 % for $HOME & `you` \\ 🎉\nsecond line\n\n',
    method: 'POST',
    target: '/v1/posts/PostAutumnRecaps/comments/reply',
    body: {
      targetId: 'TargetAutumnBlue',
      text: 'It\'s "done" – 100 % for $HOME & `you` \\ 🎉\nsecond line\n',
      rootUri: 'at://r',
      rootCid: 'bafyr',
      parentUri: 'at://p',
      parentCid: 'bafyp',
    },
  },
  {
    line: 'posts reply PostAutumnRecaps --target TargetAutumnMast --text @here --parent-status-id 113',
    method: 'POST',
    target: '/v1/posts/PostAutumnRecaps/comments/reply',
    body: { targetId: 'TargetAutumnMast', text: '@here', parentStatusId: '113' },
  },
  {
    line: `accounts bluesky send "a/b?c#d%e;f+g é%2f'(x)" -a AccountBlueskyAa --text hi`,
    method: 'POST',
    target:
      "/v1/accounts/AccountBlueskyAa/bluesky-conversations/a%2Fb%3Fc%23d%25e%3Bf%2Bg%20%C3%A9%252f'(x)/messages",
    body: { text: 'hi' },
  },
  {
    line: 'ads audiences delete --yes -- --help',
    method: 'DELETE',
    target: '/v1/ads/audiences/--help',
  },
  {
    line: 'connect reddit flairs -a AccountRedditAaa --subreddit "c++ & friends"',
    method: 'GET',
    target:
      '/v1/connect/reddit/flairs?accountId=AccountRedditAaa&subreddit=c%2B%2B%20%26%20friends',
  },
  {
    line: 'connect facebook pages -a AccountFacebookA --query account=x --query accountId=other',
    method: 'GET',
    target: '/v1/connect/facebook/pages?accountId=other&account=x',
  },
  {
    line: 'webhooks create --url https://ops.example.com/hook --all-events --name "Ops hook" --inactive',
    method: 'POST',
    target: '/v1/webhooks',
    body: { url: 'https://ops.example.com/hook', events, name: 'Ops hook', isActive: false },
  },
  {
    line: 'webhooks update WebhookAlertsOps --active --name New --url https://new.example --event post.failed',
    method: 'PATCH',
    target: '/v1/webhooks',
    body: {
      id: 'WebhookAlertsOps',
      url: 'https://new.example',
      events: ['post.failed'],
      name: 'New',
      isActive: true,
    },
  },
  {
    line: 'webhooks update WebhookAlertsOps --clear-secret --clear-headers',
    method: 'PATCH',
    target: '/v1/webhooks',
    body: { id: 'WebhookAlertsOps', secret: null, customHeaders: null },
  },
];

/** Returns the words that store a token without asking the service about it. */
export const loginTo = (url: string, ...more: readonly string[]) => [
  'auth',
  'login',
  '--no-check',
  '--base-url',
  url,
  ...more,
];
