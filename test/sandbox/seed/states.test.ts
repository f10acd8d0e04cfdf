// The content of each starting state: complete posts, unique IDs, and the figures of its description.

import { describe, expect, it } from 'vitest';
import type { StoredRecord, StoredKinds, StoredPost } from '../../../src/sandbox/store/tables.ts';
import { samples } from '../../../src/sandbox/seed/accounts.ts';
import { type StartName, startNames, starts } from '../../../src/sandbox/store/store.ts';
import { resetSandbox, summarizeSandbox } from '../../../src/sandbox/contents.ts';
import { Post } from '../../../src/api/schema/post.ts';
import { ResourceId } from '../../../src/api/schema/ids.ts';
import { WebhookEndpoint } from '../../../src/api/schema/webhook.ts';
import { openSandbox, START } from '../sandbox.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const valuesOf = <K extends keyof StoredKinds>(changes: readonly StoredRecord[], kind: K) =>
  changes.filter(([each]) => each === kind).map(([, , value]) => value as StoredKinds[K]);
const postsOf = (name: StartName) =>
  valuesOf(starts[name](START), 'post').map(({ post }: StoredPost) => post);
const failedIn = (name: StartName) =>
  postsOf(name).filter(({ targets }) => targets.some(({ status }) => status === 'failed'));

describe.each(startNames)('%s', (name) => {
  it('has valid posts on existing accounts, and valid endpoints, with unique IDs', () => {
    const changes = starts[name](START);
    const keys = changes.map(([kind, id]) => `${kind} ${id}`);
    expect(new Set(keys).size).toBe(keys.length);
    const posts = postsOf(name);
    const accounts = new Map(valuesOf(changes, 'account').map((each) => [each.id, each]));
    for (const id of accounts.keys()) expect(ResourceId.parse(id)).toBe(id);
    for (const endpoint of valuesOf(changes, 'webhook'))
      expect(WebhookEndpoint.parse(endpoint)).toEqual(endpoint);
    for (const post of posts) {
      expect(Post.parse(post)).toEqual(post);
      expect(ResourceId.safeParse(post.id).success).toBe(true);
      for (const { id, accountId, platform, updatedAt } of post.targets) {
        expect(ResourceId.safeParse(id).success).toBe(true);
        expect(accounts.get(accountId!)?.platform).toBe(platform);
        expect(Date.parse(updatedAt)).toBeLessThanOrEqual(START);
      }
    }
    const targets = posts.flatMap((post) => post.targets.map(({ id }) => id));
    expect(new Set(targets).size).toBe(targets.length);
  });

  it('is described by a summary, with existing sample IDs', async () => {
    const place = { stateDir: temporaryFolder(), now: () => START };
    await resetSandbox({ ...place, start: name });
    const seen = await summarizeSandbox(place);
    expect(seen.state).toBe(name);
    expect(Object.values(seen.posts).reduce((sum, each) => sum + each)).toBe(postsOf(name).length);
    expect(seen.samples).toEqual(samples);
    const { call } = await openSandbox(place.stateDir);
    const get = await call('GET', `/v1/posts/${seen.samples.publishedPostId}`);
    expect(get.data.targets[0].id).toBe(seen.samples.publishedTargetId);
  });
});

it.each([
  ['demo', 'PostHarvestNotes', 'TargetHarveALink'],
  ['outage', 'PostLostAnswerAa', 'TargetLostAInsta'],
] as const)('%s has a failed target that a retry publishes twice', async (start, postId, id) => {
  const stateDir = temporaryFolder();
  const { call, clock } = await openSandbox(stateDir, { start });
  const addresses = async () => {
    const { onPlatforms } = await summarizeSandbox({ stateDir, now: () => clock.now });
    return onPlatforms.find(({ targetId }) => targetId === id)!.nativeUrls;
  };
  const [first, ...none] = await addresses();
  expect(none).toEqual([]);
  await call('POST', `/v1/posts/${postId}/retry`, { targetIds: [id] });
  clock.now += 5000;
  const { data } = await call('GET', `/v1/posts/${postId}`);
  const retried = data.targets.find((target: { id: string }) => target.id === id);
  expect(retried).toMatchObject({ status: 'published' });
  expect(retried.nativeUrl).not.toBe(first);
  expect(await addresses()).toEqual([first, retried.nativeUrl]);
});

it('outage has 240 posts with a failed target, for eight causes; a retry fixes some at once', async () => {
  const failed = failedIn('outage').filter(({ id }) => id.startsWith('PostOutage'));
  expect(failed).toHaveLength(240);
  const causes = new Set(failed.map(({ targets }) => targets[0]!.error));
  expect(causes.size).toBe(8);
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['failed', 'partial']));

  const { call, clock } = await openSandbox(undefined, { start: 'outage' });
  const eight = failed.slice(1, 9);
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (const { id } of eight) await call('POST', `/v1/posts/${id}/retry`, {});
    clock.now += 5000;
    const seen = await Promise.all(eight.map(({ id }) => call('GET', `/v1/posts/${id}`)));
    rounds.push(seen.filter(({ data }) => data.status === 'published').length);
  }
  expect(rounds).toEqual([3, 4, 4]);
});
