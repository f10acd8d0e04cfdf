// The sandbox apart from posts: it remembers changes, and refuses as a service would.

import { expect, it } from 'vitest';
import { openSandbox } from '../sandbox.ts';

it('sends a message into a conversation of the account', async () => {
  const { call, samples } = await openSandbox();
  const send = (account: string, conversation: string) =>
    call('POST', `/v1/accounts/${account}/bluesky-conversations/${conversation}/messages`, {
      text: 'こんにちは 🌱',
    });
  const first = await send(samples.blueskyAccountId, samples.conversationId);
  expect(first.data.message).toMatchObject({
    text: 'こんにちは 🌱',
    senderDid: expect.stringMatching(/^did:/),
  });
  const second = await send(samples.blueskyAccountId, samples.conversationId);
  expect(second.data.message.id).not.toBe(first.data.message.id);
  expect(await send(samples.blueskyAccountId, 'another')).toMatchObject({ status: 404 });
  expect(await send(samples.mastodonAccountId, samples.conversationId)).toMatchObject({
    status: 422,
  });
  expect(await send('AccountUnknownAa', samples.conversationId)).toMatchObject({ status: 404 });
});

it.each([
  ['favourite', 'unfavourite', 'favourited', 'favouritesCount'],
  ['reblog', 'unreblog', 'reblogged', 'reblogsCount'],
  ['bookmark', 'unbookmark', 'bookmarked', undefined],
  ['mute', 'unmute', 'muted', undefined],
])('%s sets and %s clears, once', async (set, clear, flag, count) => {
  const { call, samples } = await openSandbox();
  const act = async (action: string) => {
    const path = `/v1/accounts/${samples.mastodonAccountId}/mastodon-statuses/${samples.statusId}/${action}`;
    const { data } = await call('POST', path);
    expect(data.action).toBe(action);
    return [data.status[flag], count === undefined ? 0 : data.status[count]];
  };
  const [, before] = await act(clear);
  const one = count === undefined ? 0 : 1;
  expect(await act(set)).toEqual([true, before + one]);
  expect(await act(set)).toEqual([true, before + one]);
  expect(await act(clear)).toEqual([false, before]);
});

it('attaches an account to a profile', async () => {
  const { call, samples } = await openSandbox();
  const { pinterestAccountId: accountId, boardId } = samples;
  const select = (body: object) =>
    call('POST', '/v1/connect/pinterest/select-board', {
      accountId,
      profileId: 'Profile2',
      boardId,
      ...body,
    });
  const { data } = await select({});
  expect(data).toMatchObject({ accountId, platform: 'pinterest', attachedToProfileId: 'Profile2' });
  expect(await select({ accountId: 'AccountUnknownAa' })).toMatchObject({ status: 404 });
  expect(await select({ boardId: '1' })).toMatchObject({ status: 404 });
});

it('lists the resources of an account, and none of another', async () => {
  const { call, samples } = await openSandbox();
  const { facebookAccountId, redditAccountId, discordAccountId, guildId } = samples;
  const pages = (id: string) => call('GET', `/v1/connect/facebook/pages?accountId=${id}`);
  expect((await pages(facebookAccountId)).data.readiness.ready).toBe(true);
  expect((await pages('AccountFacebookB')).data.readiness.ready).toBe(false);
  const flairs = (name: string) =>
    call('GET', `/v1/connect/reddit/flairs?accountId=${redditAccountId}&subreddit=${name}`);
  expect((await flairs('TypeScript')).data.flairs).toHaveLength(3);
  expect(await flairs('nothere')).toMatchObject({ status: 404 });
  const roles = (guild: string) =>
    call('GET', `/v1/discord/guilds/${guild}/roles?accountId=${discordAccountId}`);
  expect((await roles(guildId)).data.roles.length).toBeGreaterThan(1);
  expect(await roles('1')).toMatchObject({ status: 404 });
  const shared = await call(
    'GET',
    `/v1/accounts/${samples.metaadsAccountId}/tracking-tags/1/shared-accounts`,
  );
  expect(shared.status).toBe(404);
});

it('expires and completes pairings by the clock, from the first request', async () => {
  const { call, clock, samples } = await openSandbox();
  const session = async (id: string) =>
    (await call('GET', `/v1/connect/telegram/business/session/${id}`)).data;
  clock.now += 60_000;
  expect(await session(samples.sessionId)).toMatchObject({ status: 'pending_start' });
  clock.now += 2500;
  expect(await session(samples.sessionId)).toMatchObject({ status: 'pending_confirmation' });
  clock.now += 4000;
  const paired = await session(samples.sessionId);
  expect(paired).toMatchObject({ status: 'connected', account: { platform: 'telegram' } });

  const code = async (id: string) =>
    (await call('GET', `/v1/connect/telegram/access-code/${id}`)).data;
  expect(await code(samples.code)).toMatchObject({ status: 'pending' });
  clock.now += 4500;
  expect(await code(samples.code)).toMatchObject({ status: 'connected', account: {} });
});

it('pins once and says so afterwards', async () => {
  const { call, samples } = await openSandbox();
  const pin = (channel: string, message: string) =>
    call(
      'PUT',
      `/v1/discord/channels/${channel}/pins/${message}?accountId=${samples.discordAccountId}`,
    );
  expect((await pin(samples.channelId, samples.messageId)).data.idempotent).toBe(false);
  expect((await pin(samples.channelId, samples.messageId)).data.idempotent).toBe(true);
  expect(await pin(samples.channelId, '1')).toMatchObject({ status: 404 });
  expect(await pin('1', samples.messageId)).toMatchObject({ status: 404 });
});

it('reports the accounts of a disabled credential', async () => {
  const { call, clock, samples } = await openSandbox();
  const disable = () =>
    call('POST', `/v1/platform-app-credentials/${samples.credentialId}/disable`);
  const first = await disable();
  expect(first.data).toMatchObject({
    action: 'disabled',
    credential: { id: samples.credentialId, status: 'disabled', platform: 'twitter' },
    impact: { linkedAccountCount: 3, connectedAccountCount: 2, needsReconnectAccountCount: 3 },
  });
  expect((await disable()).data.impact).toMatchObject({
    connectedAccountCount: 0,
    needsReconnectAccountCount: 3,
  });
  await call('POST', '/v1/posts/PostFlashSaleNow/retry', { targetIds: ['TargetFlashATwit'] });
  clock.now += 2000;
  const { data } = await call('GET', '/v1/posts/PostFlashSaleNow');
  expect(data.targets[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('reconnected'),
  });
});

it('refuses an account that must be reconnected', async () => {
  const { call } = await openSandbox();
  await call('POST', '/v1/platform-app-credentials/CredentialPagesA/disable');
  const pages = await call('GET', '/v1/connect/facebook/pages?accountId=AccountFacebookA');
  expect(pages).toMatchObject({ status: 409, envelope: { error: { code: 'reconnect_required' } } });
});

it('keeps webhook endpoints without ever showing a secret', async () => {
  const { call } = await openSandbox();
  const url = 'https://hooks.example.com/in';
  const created = await call('POST', '/v1/webhooks', {
    url,
    events: ['post.failed'],
    secret: 'correct horse',
  });
  expect(created.data).toMatchObject({
    name: 'hooks.example.com',
    hasSecret: true,
    isActive: true,
    customHeaders: {},
  });
  const { id } = created.data;
  const update = async (body: object) =>
    (await call('PATCH', '/v1/webhooks', { id, ...body })).data;
  expect(await update({ customHeaders: { 'X-Team': 'ops' }, name: 'Ops' })).toMatchObject({
    name: 'Ops',
    customHeaders: { 'X-Team': 'ops' },
    url,
  });
  expect(await update({ isActive: false })).toMatchObject({ isActive: false, hasSecret: true });
  const cleared = await update({ secret: null, customHeaders: null });
  expect(cleared).toMatchObject({ hasSecret: false, customHeaders: {}, isActive: false });
  expect(JSON.stringify([created, cleared])).not.toContain('correct horse');
  const other = await call('POST', '/v1/webhooks', { url, events: ['post.failed'] });
  expect(other.data.id).not.toBe(id);
  expect(await call('PATCH', '/v1/webhooks', { id: 'WebhookUnknownAa' })).toMatchObject({
    status: 404,
  });
});
