// The rules for every operation: it is one of the eighteen, the names it uses exist, and its flags are unique. Its
// examples are run by schemas.test.ts.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { commandNamesOf, pathsOf } from '../../src/api/operations/fields.ts';
import { triageOperation, waitOperation } from '../../src/commands/posts/posts.ts';
import { globalFlags } from '../../src/config/flags.ts';
import { testCli } from '../support/test-cli.ts';

/** "Endpoints" of the API document, written out. */
const documented = [
  'POST /v1/posts/{postId}/retry',
  'GET /v1/posts/{postId}',
  'POST /v1/posts/{postId}/comments/reply',
  'POST /v1/accounts/{accountId}/bluesky-conversations/{conversationId}/messages',
  'POST /v1/accounts/{accountId}/mastodon-statuses/{statusId}/{action}',
  'GET /v1/accounts/{accountId}/discord-channels',
  'GET /v1/accounts/{accountId}/tracking-tags/{tagId}/shared-accounts',
  'POST /v1/connect/pinterest/select-board',
  'GET /v1/connect/facebook/pages',
  'GET /v1/connect/reddit/flairs',
  'GET /v1/connect/telegram/business/session/{sessionId}',
  'GET /v1/connect/telegram/access-code/{code}',
  'PUT /v1/discord/channels/{channelId}/pins/{messageId}',
  'GET /v1/discord/guilds/{guildId}/roles',
  'DELETE /v1/ads/audiences/{audienceId}',
  'POST /v1/platform-app-credentials/{credentialId}/disable',
  'POST /v1/webhooks',
  'PATCH /v1/webhooks',
];

/** The tree that is typed, written out: each operation's commands with what must follow them. */
const commands: Readonly<Record<string, string>> = {
  'posts get': '<post-id>...',
  'posts retry': '<post-id>...',
  'posts reply': '<post-id> --target <id> --text <text>',
  'accounts bluesky send': '<conversation-id> -a <id> --text <text>',
  'accounts mastodon favourite': '<status-id>... -a <id>',
  'accounts mastodon unfavourite': '<status-id>... -a <id>',
  'accounts mastodon reblog': '<status-id>... -a <id>',
  'accounts mastodon unreblog': '<status-id>... -a <id>',
  'accounts mastodon bookmark': '<status-id>... -a <id>',
  'accounts mastodon unbookmark': '<status-id>... -a <id>',
  'accounts mastodon mute': '<status-id>... -a <id>',
  'accounts mastodon unmute': '<status-id>... -a <id>',
  'accounts discord channels': '-a <id>',
  'accounts tracking-tags shared-accounts': '<tag-id> -a <id>',
  'connect pinterest select-board': '-a <id> --profile <id> --board <id>',
  'connect facebook pages': '-a <id>',
  'connect reddit flairs': '-a <id> --subreddit <name>',
  'connect telegram session': '<session-id>',
  'connect telegram access-code': '<code>',
  'discord pins add': '<channel-id> <message-id> -a <id>',
  'discord roles': '<guild-id> -a <id>',
  'ads audiences delete': '<audience-id>...',
  'credentials disable': '<credential-id>...',
  'webhooks create': '--url <https-url> --event <name>',
  'webhooks update': '<webhook-id>',
};

const every = await everyOperation();
const spelled = every.flatMap(({ operation }) =>
  commandNamesOf(operation).map((spelling) => ({
    command: spelling.words.join(' '),
    operation,
    spelling,
  })),
);

describe('the operations', () => {
  it('are exactly the eighteen of the API document', () => {
    expect(every).toHaveLength(18);
    expect(every.map(({ operation: { method, path } }) => `${method} ${path}`).toSorted()).toEqual(
      documented.toSorted(),
    );
  });

  it('have twenty-five commands', () => {
    expect(spelled.map(({ command }) => command).toSorted()).toEqual(
      Object.keys(commands).toSorted(),
    );
  });

  it.each([
    ['favourite', 'favorite'],
    ['unfavourite', 'unfavorite'],
    ['reblog', 'boost'],
    ['unreblog', 'unboost'],
  ])('accept %s also as %s', (word, alias) => {
    const found = spelled.find(({ command }) => command === `accounts mastodon ${word}`);
    expect(found?.spelling.aliases).toEqual([alias]);
  });
});

describe.each([
  ...every,
  { area: 'posts', name: 'triage', operation: triageOperation },
  { area: 'posts', name: 'wait', operation: waitOperation },
])('$area $name', ({ operation }) => {
  const { input, rows, columns, header, path, command, inspect = '' } = operation;
  const fields = Object.keys(input.shape);

  it('names only fields of its input and its result', () => {
    const placeholders = [path, command, inspect].flatMap((text) =>
      Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name!),
    );
    const named = [...placeholders, ...operation.query, operation.partsField ?? []].flat();
    expect(fields).toEqual(expect.arrayContaining(named));
    const within = columns.map((column) => (rows === undefined ? column : `${rows}.${column}`));
    expect(pathsOf(operation)).toEqual(expect.arrayContaining([...header, ...within]));
    expect(operation.examples).not.toEqual({});
  });

  it('sends as query the fields that are not in the path of a bodyless method', () => {
    const isBodiless = ['GET', 'PUT', 'DELETE'].includes(operation.method);
    const outside = fields.filter((field) => !path.includes(`{${field}}`));
    expect(operation.places.query).toEqual(isBodiless ? outside : []);
  });

  it('is waited for, and settled, by a read', () => {
    const { wait, settle, method } = operation;
    const reads = [wait && (wait.poll?.method ?? method), settle?.read.method];
    expect(reads.filter((read) => read !== undefined && read !== 'GET')).toEqual([]);
  });

  it('has advice for an unknown outcome when it is a change', () => {
    expect(operation.inspect !== undefined).toBe(operation.method !== 'GET');
  });
});

describe.each(spelled)('social $command', ({ command, spelling }) => {
  it('has a help page: summary, usage, examples and flags', async () => {
    const help = async (line: string) =>
      (await testCli().social(`${line} --help`.split(' '))).stdout;
    const page = await help(command);
    expect(page).toContain(spelling.summary);
    const usage = `social ${command} ${commands[command]!} [flags]`;
    expect(page.replaceAll(/\s+/g, ' ')).toContain(usage);
    const whole = page.replaceAll(/ \\\n +/g, ' ');
    for (const line of Object.values(spelling.examples)) {
      const rows = whole.split('\n').map((row) => row.replace(/ {2}# .*/, ''));
      expect(rows).toContain(`  ${line}`);
    }
    const shared = new Set(['--help', '-h', '--account', '-a']);
    const own = flagsOn(page);
    expect(new Set(own).size).toBe(own.length);
    const global = globalFlags.flatMap(
      ({ flags }) => flags.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [],
    );
    expect(own.filter((flag) => global.includes(flag) && !shared.has(flag))).toEqual([]);
  });
});

/** The flags that a help page lists, short and long. */
function flagsOn(page: string): string[] {
  return [...page.matchAll(/^ {2}(?: {4}|(-\w), )(--[\w-]+)/gm)].flatMap(([, short, long]) =>
    short === undefined ? [long!] : [short, long!],
  );
}
