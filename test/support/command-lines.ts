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
  '"post.scheduled","post.updated","post.published","post.unpublished","post.failed","post.partial","post.recycled","account.connected","account.disconnected","ad.created","ad.status_changed","account.ads.initial_sync_completed"';

const mastodon = (word: string, action: string) => `
accounts mastodon ${word} 113000000000000001 -a AccountMastodonA
  POST /v1/accounts/AccountMastodonA/mastodon-statuses/113000000000000001/${action}`;

/** Reads a table of command lines, each with its request below: method, target, and the body if there is one. */
const linesIn = (table: string): readonly CommandLine[] =>
  Array.from(
    table.matchAll(/^(\S.*)\n {2}(\S+) (\S+)(?: (.*))?$/gm),
    ([, line, method, target, body]) => ({
      line: line!,
      method: method!,
      target: target!,
      ...(body !== undefined && { body: JSON.parse(body) as object }),
    }),
  );

/** One line for each operation, and eight for that of Mastodon. */
export const commandLines = linesIn(`
posts get PostSpringLaunch
  GET /v1/posts/PostSpringLaunch
posts retry PostSpringLaunch
  POST /v1/posts/PostSpringLaunch/retry {}
posts reply PostAutumnRecaps --target TargetAutumnMast --text "Thank you!"
  POST /v1/posts/PostAutumnRecaps/comments/reply {"targetId":"TargetAutumnMast","text":"Thank you!"}
accounts bluesky send 3kspringlaunch2 -a AccountBlueskyAa --text "On its way."
  POST /v1/accounts/AccountBlueskyAa/bluesky-conversations/3kspringlaunch2/messages {"text":"On its way."}
${actions.map((action) => mastodon(action, action)).join('')}
accounts discord channels -a AccountDiscordAa
  GET /v1/accounts/AccountDiscordAa/discord-channels
accounts tracking-tags shared-accounts 987654321012345 -a AccountMetaAdsAa
  GET /v1/accounts/AccountMetaAdsAa/tracking-tags/987654321012345/shared-accounts
connect pinterest select-board -a AccountPinterest --profile ProfileMainBrand --board 549755885175
  POST /v1/connect/pinterest/select-board {"accountId":"AccountPinterest","profileId":"ProfileMainBrand","boardId":"549755885175"}
connect facebook pages -a AccountFacebookA
  GET /v1/connect/facebook/pages?accountId=AccountFacebookA
connect reddit flairs -a AccountRedditAaa --subreddit typescript
  GET /v1/connect/reddit/flairs?accountId=AccountRedditAaa&subreddit=typescript
connect telegram session ${session}
  GET /v1/connect/telegram/business/session/${session}
connect telegram access-code TG-482913
  GET /v1/connect/telegram/access-code/TG-482913
discord pins add 112233445566778899 998877665544332211 -a AccountDiscordAa
  PUT /v1/discord/channels/112233445566778899/pins/998877665544332211?accountId=AccountDiscordAa
discord roles 223344556677889900 -a AccountDiscordAa
  GET /v1/discord/guilds/223344556677889900/roles?accountId=AccountDiscordAa
ads audiences delete 23850000000000001 --yes
  DELETE /v1/ads/audiences/23850000000000001
credentials disable CredentialSystem --yes
  POST /v1/platform-app-credentials/CredentialSystem/disable
webhooks create --url https://ops.example.com/hook --event post.failed --event post.partial
  POST /v1/webhooks {"url":"https://ops.example.com/hook","events":["post.failed","post.partial"],"name":"ops.example.com"}
webhooks update WebhookAlertsOps --inactive
  PATCH /v1/webhooks {"id":"WebhookAlertsOps","isActive":false}
`);

/** One line for each operation. */
export const operationLines = commandLines.filter(
  ({ line }) => !line.includes('mastodon') || line.includes(' favourite '),
);

/** Further ways to type the operations: every flag, every alias, values that must be encoded or quoted. */
export const commandVariants: readonly CommandLine[] = [
  ...linesIn(`
${mastodon('favorite', 'favourite')}
${mastodon('unfavorite', 'unfavourite')}
${mastodon('boost', 'reblog')}
${mastodon('unboost', 'unreblog')}
posts retry PostSpringLaunch --target TargetSpringLink --target TargetSpringMast
  POST /v1/posts/PostSpringLaunch/retry {"targetIds":["TargetSpringLink","TargetSpringMast"]}
posts retry PostSpringLaunch --target TargetSpringLink,TargetSpringMast
  POST /v1/posts/PostSpringLaunch/retry {"targetIds":["TargetSpringLink","TargetSpringMast"]}
posts reply PostAutumnRecaps --target TargetAutumnMast --text @here --parent-status-id 113
  POST /v1/posts/PostAutumnRecaps/comments/reply {"targetId":"TargetAutumnMast","text":"@here","parentStatusId":"113"}
accounts bluesky send "a/b?c#d%e;f+g é%2f'(x)" -a AccountBlueskyAa --text hi
  POST /v1/accounts/AccountBlueskyAa/bluesky-conversations/a%2Fb%3Fc%23d%25e%3Bf%2Bg%20%C3%A9%252f'(x)/messages {"text":"hi"}
ads audiences delete --yes -- --help
  DELETE /v1/ads/audiences/--help
connect reddit flairs -a AccountRedditAaa --subreddit "c++ & friends"
  GET /v1/connect/reddit/flairs?accountId=AccountRedditAaa&subreddit=c%2B%2B%20%26%20friends
connect facebook pages -a AccountFacebookA --query account=x --query accountId=other
  GET /v1/connect/facebook/pages?accountId=other&account=x
webhooks create --url https://ops.example.com/hook --all-events --name "Ops hook" --inactive
  POST /v1/webhooks {"url":"https://ops.example.com/hook","events":[${events}],"name":"Ops hook","isActive":false}
webhooks update WebhookAlertsOps --active --name New --url https://new.example --event post.failed
  PATCH /v1/webhooks {"id":"WebhookAlertsOps","url":"https://new.example","events":["post.failed"],"name":"New","isActive":true}
webhooks update WebhookAlertsOps --clear-secret --clear-headers
  PATCH /v1/webhooks {"id":"WebhookAlertsOps","secret":null,"customHeaders":null}
`),
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
];

/** Returns the words that store a token without asking the service about it. */
export const loginTo = (url: string, ...more: readonly string[]) =>
  ['auth', 'login', '--no-check', '--base-url', url].concat(more);
