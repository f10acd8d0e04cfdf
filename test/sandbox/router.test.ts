// Every operation against the sandbox with the samples: the answers are what the API document says and nothing else.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { samples } from '../../src/sandbox/seed/accounts.ts';
import { openSandbox, START } from './sandbox.ts';

const inputs: Record<string, Record<string, unknown>> = {
  'posts get': { postId: samples.postId },
  'posts retry': { postId: samples.postId, targetIds: [samples.targetId] },
  'posts reply': {
    postId: samples.publishedPostId,
    targetId: samples.publishedTargetId,
    text: 'Thank you!',
  },
  'accounts bluesky send': {
    accountId: samples.blueskyAccountId,
    conversationId: samples.conversationId,
    text: 'On its way. 🚚',
  },
  'accounts mastodon {action}': {
    accountId: samples.mastodonAccountId,
    statusId: samples.statusId,
    action: 'favourite',
  },
  'accounts discord channels': { accountId: samples.discordAccountId },
  'accounts tracking-tags shared-accounts': {
    accountId: samples.metaadsAccountId,
    tagId: samples.tagId,
  },
  'connect pinterest select-board': {
    accountId: samples.pinterestAccountId,
    profileId: samples.profileId,
    boardId: samples.boardId,
  },
  'connect facebook pages': { accountId: samples.facebookAccountId },
  'connect reddit flairs': { accountId: samples.redditAccountId, subreddit: samples.subreddit },
  'connect telegram session': { sessionId: samples.sessionId },
  'connect telegram access-code': { code: samples.code },
  'discord pins add': {
    accountId: samples.discordAccountId,
    channelId: samples.channelId,
    messageId: samples.messageId,
  },
  'discord roles': { accountId: samples.discordAccountId, guildId: samples.guildId },
  'ads audiences delete': { audienceId: samples.audienceId },
  'credentials disable': { credentialId: samples.credentialId },
  'webhooks create': {
    url: 'https://hooks.example.com/in',
    events: ['post.failed'],
    secret: 'correct horse',
  },
  'webhooks update': { id: samples.webhookId, isActive: false, secret: null },
};

function asRequest(operation: Operation, input: Record<string, unknown>) {
  const { body } = operation.places;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const query = new URLSearchParams(
    operation.places.query.map((name): [string, string] => [name, String(input[name])]),
  );
  const fields = Object.fromEntries(Object.entries(input).filter(([name]) => body.includes(name)));
  return {
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    body: body.length > 0 ? fields : undefined,
  };
}

describe('the eighteen operations', () => {
  it('all have a handler', async () => {
    const commands = (await everyOperation()).map(({ operation }) => operation.command);
    expect(commands.toSorted()).toEqual(Object.keys(inputs).toSorted());
  });

  it('respond as their schemas say, field for field', async () => {
    const { call } = await openSandbox();
    for (const { operation } of await everyOperation()) {
      const { path, body } = asRequest(operation, inputs[operation.command]!);
      const reply = await call(operation.method, path, body);
      expect([operation.command, reply.status, reply.envelope.ok]).toEqual([
        operation.command,
        200,
        true,
      ]);
      expect(Object.keys(reply.envelope)).toEqual(['ok', 'data']);
      // A schema drops fields that it does not know: what is left must be everything.
      expect(operation.result.parse(reply.data)).toEqual(reply.data);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'x-social-sandbox': '1',
        date: new Date(START).toUTCString(),
      });
    }
  });

  it('have sample IDs of sixteen letters, whose target is a failed one of the sample post', async () => {
    const { call } = await openSandbox();
    const { data } = await call('GET', `/v1/posts/${samples.postId}`);
    const target = data.targets.find((one: { id: string }) => one.id === samples.targetId);
    expect(target).toMatchObject({ platform: 'linkedin', status: 'failed' });
    const ids = Object.entries(samples).filter(([, id]) =>
      /^(Post|Target|Account|Credential|Webhook)/.test(id),
    );
    expect(ids.filter(([, id]) => !/^[a-zA-Z]{16}$/.test(id))).toEqual([]);
  });
});
