// Posts in the sandbox by the clock: what a retry starts, how it ends, what it refuses.

import { expect, it } from 'vitest';
import { openSandbox, type Parsed } from '../sandbox.ts';

type Openness = Awaited<ReturnType<typeof openSandbox>>;

const POST = 'PostSpringLaunch';
const statuses = ({ data }: { data: Parsed }): Record<string, string> => ({
  post: data.status,
  ...Object.fromEntries(data.targets.map((target: Parsed) => [target.id, target.status])),
});
const get = async ({ call }: Openness, id = POST) => statuses(await call('GET', `/v1/posts/${id}`));
const retry = ({ call }: Openness, id = POST, body: unknown = {}) =>
  call('POST', `/v1/posts/${id}/retry`, body);

it('takes a retry through publishing to its end, target by target', async () => {
  const box = await openSandbox();
  const before = await box.call('GET', `/v1/posts/${POST}`);
  expect(statuses(before)).toEqual({
    post: 'partial',
    TargetSpringTwit: 'published',
    TargetSpringLink: 'failed',
    TargetSpringMast: 'failed',
    TargetSpringBlue: 'published',
  });

  const moving = { TargetSpringLink: 'publishing', TargetSpringMast: 'publishing' };
  expect(statuses(await retry(box))).toMatchObject({ post: 'publishing', ...moving });
  box.clock.now += 800;
  expect(await get(box)).toMatchObject({ post: 'publishing', ...moving });
  box.clock.now += 200;
  expect(await get(box)).toMatchObject({
    post: 'publishing',
    TargetSpringLink: 'published',
    TargetSpringMast: 'publishing',
  });
  box.clock.now += 1000;
  expect(await get(box)).toMatchObject({ post: 'partial', TargetSpringMast: 'failed' });

  await retry(box);
  box.clock.now += 2000;
  const after = await box.call('GET', `/v1/posts/${POST}`);
  expect(new Set(Object.values(statuses(after)))).toEqual(new Set(['published']));
  for (const target of after.data.targets) {
    expect(target).toMatchObject({
      platformPostId: expect.any(String),
      nativeUrl: expect.stringMatching(/^https:/),
    });
    expect(target).not.toHaveProperty('error');
  }
  expect(after.data.targets[2].updatedAt > before.data.targets[2].updatedAt).toBe(true);
});

it('retries only the named targets, once each', async () => {
  const box = await openSandbox();
  const reply = await retry(box, POST, { targetIds: ['TargetSpringLink', 'TargetSpringLink'] });
  expect(statuses(reply)).toMatchObject({
    TargetSpringLink: 'publishing',
    TargetSpringMast: 'failed',
  });
  box.clock.now += 1000;
  expect(await get(box)).toMatchObject({ post: 'partial', TargetSpringLink: 'published' });
});

it('says why a retry failed again', async () => {
  const box = await openSandbox();
  await retry(box, 'PostFlashSaleNow');
  box.clock.now += 3000;
  const { data } = await box.call('GET', '/v1/posts/PostFlashSaleNow');
  expect(data).toMatchObject({ status: 'failed' });
  // The platform refuses the same content again.
  expect(data.targets[0]).toMatchObject({ status: 'failed' });
  expect(data.targets[1]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('pages_manage_posts'),
  });
});

it('rejects retries that make no sense', async () => {
  const box = await openSandbox();
  const codes = async (id: string, body?: unknown) => {
    const { status, envelope } = await retry(box, id, body);
    return [status, envelope.error.code];
  };
  expect(await codes('PostUnknownAaaaa')).toEqual([404, 'post_not_found']);
  expect(await codes('PostAutumnRecaps')).toEqual([409, 'nothing_failed']);
  expect(await codes('PostWinterDrafts')).toEqual([409, 'nothing_failed']);
  expect(await codes(POST, { targetIds: ['TargetSpringTwit'] })).toEqual([
    409,
    'target_not_failed',
  ]);
  expect(await codes(POST, { targetIds: ['TargetAutumnMast'] })).toEqual([404, 'target_not_found']);
  await retry(box);
  expect(await codes(POST)).toEqual([409, 'already_publishing']);
  expect(await codes(POST, { targetIds: ['TargetSpringLink'] })).toEqual([
    409,
    'target_not_failed',
  ]);
});

it.each([
  ['by name', { targetIds: ['TargetSpringMast'] }],
  ['with the whole post', {}],
])('retries a failed target while another is publishing, %s', async (_how, body) => {
  const box = await openSandbox();
  await retry(box, POST, { targetIds: ['TargetSpringLink'] });
  box.clock.now += 500;
  expect(statuses(await retry(box, POST, body))).toMatchObject({
    TargetSpringLink: 'publishing',
    TargetSpringMast: 'publishing',
  });
  // The first attempt continues.
  box.clock.now += 500;
  expect(await get(box)).toMatchObject({
    TargetSpringLink: 'published',
    TargetSpringMast: 'publishing',
  });
});

it('publishes a scheduled post when its time has come', async () => {
  const box = await openSandbox();
  expect(await get(box, 'PostSummerTeaser')).toMatchObject({ post: 'scheduled' });
  box.clock.now += 73 * 3_600_000;
  expect(await get(box, 'PostSummerTeaser')).toMatchObject({
    post: 'published',
    TargetSummerInst: 'published',
  });
});

it('replies on published targets only', async () => {
  const { call, samples } = await openSandbox();
  const reply = (postId: string, targetId: string, more = {}) =>
    call('POST', `/v1/posts/${postId}/comments/reply`, { targetId, text: 'Thank you!', ...more });
  const mastodon = await reply(samples.publishedPostId, samples.publishedTargetId);
  expect(mastodon.data).toMatchObject({
    platform: 'mastodon',
    accountId: samples.mastodonAccountId,
  });
  const again = await reply(samples.publishedPostId, samples.publishedTargetId);
  expect(again.data.commentUri).not.toBe(mastodon.data.commentUri);
  const pair = { rootUri: 'at://a', rootCid: 'b', parentUri: 'at://c', parentCid: 'd' };
  const bluesky = await reply(samples.publishedPostId, 'TargetAutumnBlue', pair);
  expect(bluesky.data).toMatchObject({
    platform: 'bluesky',
    commentCid: expect.stringMatching(/^bafyrei/),
  });
  expect(await reply(samples.postId, samples.targetId)).toMatchObject({ status: 409 });
  expect(await reply(samples.postId, samples.publishedTargetId)).toMatchObject({ status: 404 });
  expect(await reply('PostUnknownAaaaa', samples.targetId)).toMatchObject({ status: 404 });
});
