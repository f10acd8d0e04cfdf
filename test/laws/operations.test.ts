// The rules for every operation: it is one of the API document, and the names it uses exist. Its examples are run by
// schemas.test.ts, its flags and usage are in docs/commands.md, which generated.test.ts compares.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { commandNamesOf, pathsOf } from '../../src/api/operations/fields.ts';
import { triageOperation } from '../../src/commands/posts/triage.ts';
import { waitOperation } from '../../src/commands/posts/wait.ts';

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

/** The commands of the operations, written out. */
const commands = [
  'posts get',
  'posts retry',
  'posts reply',
  'accounts bluesky send',
  ...['favourite', 'reblog', 'bookmark', 'mute'].flatMap((action) => [
    `accounts mastodon ${action}`,
    `accounts mastodon un${action}`,
  ]),
  'accounts discord channels',
  'accounts tracking-tags shared-accounts',
  'connect pinterest select-board',
  'connect facebook pages',
  'connect reddit flairs',
  'connect telegram session',
  'connect telegram access-code',
  'discord pins add',
  'discord roles',
  'ads audiences delete',
  'credentials disable',
  'webhooks create',
  'webhooks update',
];

const every = await everyOperation();

describe('the operations', () => {
  it('are exactly those of the API document', () => {
    expect(every.map(({ operation: { method, path } }) => `${method} ${path}`).toSorted()).toEqual(
      documented.toSorted(),
    );
  });

  it('have exactly these commands', () => {
    const names = every.flatMap(({ operation }) => commandNamesOf(operation));
    expect(names.map(({ words }) => words.join(' ')).toSorted()).toEqual(commands.toSorted());
  });
});

describe.each([
  ...every,
  { area: 'posts', name: 'triage', operation: triageOperation },
  { area: 'posts', name: 'wait', operation: waitOperation },
])('$area $name', ({ operation }) => {
  const { input, rows, columns, header, path, command, inspect } = operation;
  const fields = Object.keys(input.shape);

  it('names only fields of its input and its result', () => {
    const placeholders = [path, command, JSON.stringify(inspect ?? '')].flatMap((text) =>
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
