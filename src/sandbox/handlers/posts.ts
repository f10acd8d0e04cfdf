// Handlers for posts: read one, retry its failed targets, reply on a published target. A retry only stores when its
// targets will be done; `postAt` applies that by the clock.

import type { Post, Target } from '../../api/schema/post.ts';
import { conflict, notFound } from '../responses.ts';
import type { PublishAttempt, StoredPost, StoredRecords } from '../store/tables.ts';
import { find, type HandlersOf, makeCid, makeKey, makeNumber, toTimestamp } from './handler.ts';

/**
 * Returns a post as it is at `now`: targets whose time has come are done, and the status follows them. Stores nothing.
 */
export function postAt(stored: StoredPost, now: number): StoredPost {
  const underway = Object.entries(stored.underway ?? {});
  const due = underway.filter(([, attempt]) => attempt.endsAt <= now);
  if (due.length === 0) return stored;
  const attempts = new Map(due);
  const targets = stored.post.targets.map((target) =>
    afterAttempt(target, attempts.get(target.id), stored.unnoticed?.includes(target.id)),
  );
  const last = Math.max(...due.map(([, attempt]) => attempt.endsAt));
  return {
    ...stored,
    post: withTargets(stored.post, targets, last),
    underway: Object.fromEntries(underway.filter(([id]) => !attempts.has(id))),
  };
}

/** Returns the post with these targets, the status that follows from them, and `at` as the time of its last change. */
function withTargets(post: Post, targets: Target[], at: number): Post {
  const status = statusOf(targets) ?? post.status;
  const isOut = targets.some((target) => target.status === 'published');
  const updatedAt = toTimestamp(at);
  return {
    ...post,
    status,
    targets,
    updatedAt,
    publishedAt: post.publishedAt ?? (isOut ? updatedAt : undefined),
  };
}

/** Derives the status from the targets; `undefined` if they do not determine it. */
function statusOf(targets: readonly Target[]): Post['status'] | undefined {
  const has = (status: Target['status']) => targets.some((target) => target.status === status);
  if (has('publishing')) return 'publishing';
  if (has('action_required')) return 'action_required';
  if (has('failed')) return has('published') ? 'partial' : 'failed';
  return targets.length > 0 && targets.every((target) => target.status === 'published')
    ? 'published'
    : undefined;
}

/** Returns the target after an attempt, if there was one. What `isSecond` makes has an address of its own. */
function afterAttempt(
  target: Target,
  attempt: PublishAttempt | undefined,
  isSecond = false,
): Target {
  if (attempt === undefined) return target;
  const { endsAt, failure: error } = attempt;
  const changed = { ...target, error, updatedAt: toTimestamp(endsAt) };
  if (error !== undefined) return { ...changed, status: 'failed' };
  const text = isSecond ? `${target.id} again` : target.id;
  return { ...changed, ...published(target.platform, text), status: 'published' };
}

/** Lists the addresses on the platforms of targets whose first publication the service did not notice. */
export const unnoticedIn = ({ post, unnoticed = [] }: StoredPost) =>
  post.targets
    .filter(({ id }) => unnoticed.includes(id))
    .map(({ id, platform, nativeUrl }) => ({
      postId: post.id,
      targetId: id,
      platform,
      nativeUrls: [
        published(platform, id).nativeUrl,
        ...(nativeUrl === undefined ? [] : [nativeUrl]),
      ],
    }));

/** The Bluesky identity of the organization that the sandbox is about. */
export const RIVERBANK_DID = 'did:plc:riverbank2coffee5roasters';

/**
 * Makes the ID and the address of what is published on a platform; equal texts have equal IDs. All addresses use
 * reserved names.
 */
export function published(platform: string, text: string) {
  if (platform !== 'bluesky') {
    const id = makeNumber(text);
    return { platformPostId: id, nativeUrl: `https://${platform}.example/@riverbank/${id}` };
  }
  const key = makeKey(text);
  return {
    platformPostId: `at://${RIVERBANK_DID}/app.bsky.feed.post/${key}`,
    nativeUrl: `https://bluesky.example/profile/riverbank.example/post/${key}`,
  };
}

/** The first target of a retry is done after this time, each further one a little later. */
const ENDS_AFTER_MS = 900;
const NEXT_ENDS_AFTER_MS = 350;
const SLOWEST_MS = 3000;

export const posts: HandlersOf<'posts'> = {
  get: ({ postId }, records) => present(records, postId).post,

  retry({ postId, targetIds }, records) {
    const stored = present(records, postId);
    const chosen = toRetry(stored.post, targetIds);
    const stubborn = { ...stored.stubborn };
    const underway: Record<string, PublishAttempt> = { ...stored.underway };
    chosen.forEach((target, i) => {
      const [failure, ...later] = stubborn[target.id] ?? [];
      stubborn[target.id] = later;
      const usual = Math.min(ENDS_AFTER_MS + i * NEXT_ENDS_AFTER_MS, SLOWEST_MS);
      underway[target.id] = {
        endsAt: records.now + (records.publishAfterMs ?? usual),
        failure: reconnectNeeded(records, target) ?? failure,
      };
    });
    const again = {
      status: 'publishing' as const,
      error: undefined,
      updatedAt: toTimestamp(records.now),
    };
    const targets = stored.post.targets.map((target) =>
      chosen.includes(target) ? { ...target, ...again } : target,
    );
    const post = withTargets(stored.post, targets, records.now);
    records.put('post', postId, { ...stored, post, underway, stubborn });
    return post;
  },

  reply({ postId, targetId, parentUri, parentStatusId }, records) {
    const { post } = present(records, postId);
    const target = targetOf(post, targetId);
    if (target.status !== 'published') {
      const message = `Target ${targetId} has the status ${target.status}; only a published target accepts replies.`;
      throw conflict('target_not_published', message);
    }
    const { platform, accountId } = target;
    const isBluesky = platform === 'bluesky';
    const parent = (isBluesky ? parentUri : parentStatusId) ?? '';
    const text = `${targetId} ${parent} ${records.count('reply') + 1}`;
    const { platformPostId, nativeUrl } = published(platform, text);
    const reply = {
      postId,
      targetId,
      platform,
      createdAt: toTimestamp(records.now),
      accountId,
      commentUri: isBluesky ? platformPostId : nativeUrl,
      commentCid: isBluesky ? makeCid(text) : undefined,
      nativeUrl,
    };
    records.put('reply', reply.commentUri, reply);
    return reply;
  },
};

function present(records: StoredRecords, postId: string): StoredPost {
  return postAt(find(records, 'post', postId), records.now);
}

/** Returns the targets of a retry. Throws if there is nothing to retry. */
function toRetry(post: Post, targetIds: readonly string[] | undefined): readonly Target[] {
  const failed = post.targets.filter((target) => target.status === 'failed');
  if (targetIds === undefined) {
    if (failed.length > 0) return failed;
    if (post.status === 'publishing')
      throw conflict(
        'already_publishing',
        `Post ${post.id} is being published; wait until it is finished.`,
      );
    const message = `Post ${post.id} has the status ${post.status}; none of its targets has failed.`;
    throw conflict('nothing_failed', message);
  }
  const named = [...new Set(targetIds)].map((id) => targetOf(post, id));
  const notFailed = named.find((target) => target.status !== 'failed');
  if (notFailed === undefined) return named;
  const message = `Target ${notFailed.id} has the status ${notFailed.status}; only a failed target can be retried.`;
  throw conflict('target_not_failed', message);
}

function targetOf(post: Post, id: string): Target {
  const target = post.targets.find((one) => one.id === id);
  if (target !== undefined) return target;
  throw notFound('target', `${id} of post ${post.id}`);
}

function reconnectNeeded(records: StoredRecords, target: Target): string | undefined {
  const account = records.get('account', target.accountId ?? '');
  if (account === undefined || account.connected) return undefined;
  return `${account.displayName} must be reconnected before it can publish.`;
}
