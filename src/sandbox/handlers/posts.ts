// Handlers for posts: read one, retry its failed targets, reply on a published target. A retry only stores when its
// targets will be done; `postAt` applies that by the clock.

import type { Post, TargetSchema } from '../../api/schema/post.ts';
import { conflict, invalid } from '../responses.ts';
import type { PublishAttempt, StoredRecords, StoredPost } from '../store/tables.ts';
import { find, makeCid, makeKey, makeNumber, toTimestamp } from './lookup.ts';
import type { HandlersOf } from './types.ts';

/**
 * Returns a post as it is at `now`: targets whose time has come are done, and the status follows them. Stores nothing.
 */
export function postAt(stored: StoredPost, now: number): StoredPost {
  const underway = Object.entries(stored.underway ?? {});
  const due = underway.filter(([, attempt]) => attempt.settlesAt <= now);
  if (due.length === 0) return stored;
  const attempts = new Map(due);
  const targets = stored.post.targets.map((target) => {
    const attempt = attempts.get(target.id);
    return attempt === undefined ? target : settled(target, attempt.settlesAt, attempt.failure);
  });
  const last = Math.max(...due.map(([, attempt]) => attempt.settlesAt));
  return {
    ...stored,
    post: withTargets(stored.post, targets, last),
    underway: Object.fromEntries(underway.filter(([id]) => !attempts.has(id))),
  };
}

/** Returns the post with these targets, the status that follows from them, and `at` as the time of its last change. */
function withTargets(post: Post, targets: TargetSchema[], at: number): Post {
  const status = statusOf(targets) ?? post.status;
  const isOut = targets.some((target) => target.status === 'published');
  const publishedAt = post.publishedAt ?? (isOut ? toTimestamp(at) : undefined);
  return {
    ...post,
    status,
    targets,
    updatedAt: toTimestamp(at),
    ...(publishedAt === undefined ? {} : { publishedAt }),
  };
}

/** Derives the status from the targets; `undefined` if they do not determine it. */
function statusOf(targets: readonly TargetSchema[]): Post['status'] | undefined {
  const has = (status: TargetSchema['status']) =>
    targets.some((target) => target.status === status);
  if (has('publishing')) return 'publishing';
  if (has('action_required')) return 'action_required';
  if (has('failed')) return has('published') ? 'partial' : 'failed';
  return targets.length > 0 && targets.every((target) => target.status === 'published')
    ? 'published'
    : undefined;
}

function settled(
  { error: _gone, ...target }: TargetSchema,
  at: number,
  failure: string | undefined,
): TargetSchema {
  const updatedAt = toTimestamp(at);
  if (failure !== undefined) return { ...target, status: 'failed', updatedAt, error: failure };
  return { ...target, ...published(target), status: 'published', updatedAt };
}

/** Returns the ID and address of a published target. All addresses use reserved names that lead nowhere. */
export function published({ id, platform }: Pick<TargetSchema, 'id' | 'platform'>) {
  const key = platform === 'bluesky' ? makeKey(id) : makeNumber(id);
  return platform === 'bluesky'
    ? { platformPostId: blueskyUri(key), nativeUrl: blueskyUrl(key) }
    : { platformPostId: key, nativeUrl: `https://${platform}.example/@riverbank/${key}` };
}

const blueskyUri = (key: string) => `at://${RIVERBANK_DID}/app.bsky.feed.post/${key}`;
const blueskyUrl = (key: string) => `https://bluesky.example/profile/riverbank.example/post/${key}`;

/** The Bluesky identity of the organization that the sandbox is about. */
export const RIVERBANK_DID = 'did:plc:riverbank2coffee5roasters';

/** The first target of a retry is done after this time, each further one a little later. */
const SETTLES_AFTER_MS = 900;
const NEXT_SETTLES_AFTER_MS = 350;
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
      const usual = Math.min(SETTLES_AFTER_MS + i * NEXT_SETTLES_AFTER_MS, SLOWEST_MS);
      const delay = records.settleMs ?? usual;
      const reason = failure ?? reconnectNeeded(records, target);
      underway[target.id] = {
        settlesAt: records.now + delay,
        ...(reason === undefined ? {} : { failure: reason }),
      };
    });
    const targets = stored.post.targets.map((target) =>
      chosen.includes(target) ? startedAgain(target, records.now) : target,
    );
    const post = withTargets(stored.post, targets, records.now);
    records.put('post', postId, { post, underway, stubborn });
    return post;
  },

  reply({ postId, targetId, parentUri, parentStatusId }, records) {
    const { post } = present(records, postId);
    const target = targetOf(post, targetId, 'targetId');
    if (target.status !== 'published') {
      const message = `Target ${targetId} has the status ${target.status}; only a published target accepts replies.`;
      throw conflict('target_not_published', message);
    }
    const parent = target.platform === 'bluesky' ? parentUri : parentStatusId;
    const comment = commentOn(target, `${targetId} ${parent ?? ''} ${records.count('reply') + 1}`);
    const reply = {
      postId,
      targetId,
      platform: target.platform,
      createdAt: toTimestamp(records.now),
      ...(target.accountId === undefined ? {} : { accountId: target.accountId }),
      ...comment,
    };
    records.put('reply', reply.commentUri, reply);
    return reply;
  },
};

function present(records: StoredRecords, postId: string): StoredPost {
  return postAt(find(records, 'post', postId), records.now);
}

/** Returns the targets of a retry. Throws if there is nothing to retry. */
function toRetry(post: Post, targetIds: readonly string[] | undefined): readonly TargetSchema[] {
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
  const named = [...new Set(targetIds)].map((id) => targetOf(post, id, 'targetIds'));
  const sound = named.find((target) => target.status !== 'failed');
  if (sound === undefined) return named;
  const message = `Target ${sound.id} has the status ${sound.status}; only a failed target can be retried.`;
  throw conflict('target_not_failed', message);
}

function targetOf(post: Post, id: string, field: string): TargetSchema {
  const target = post.targets.find((one) => one.id === id);
  if (target !== undefined) return target;
  throw invalid([{ field, message: `must name targets of post ${post.id}, got ${id}` }]);
}

function startedAgain({ error: _gone, ...target }: TargetSchema, now: number): TargetSchema {
  return { ...target, status: 'publishing', updatedAt: toTimestamp(now) };
}

function reconnectNeeded(records: StoredRecords, target: TargetSchema): string | undefined {
  const account =
    target.accountId === undefined ? undefined : records.get('account', target.accountId);
  return account?.needsReconnect
    ? `${account.displayName} must be reconnected before it can publish.`
    : undefined;
}

/** Makes the identifiers of a new comment on its platform. */
function commentOn({ platform, nativeUrl }: TargetSchema, text: string) {
  if (platform === 'bluesky') {
    const key = makeKey(text);
    return { commentUri: blueskyUri(key), commentCid: makeCid(text), nativeUrl: blueskyUrl(key) };
  }
  const commentUri = `https://${platform}.example/@riverbank/${makeNumber(text)}`;
  return {
    commentUri,
    nativeUrl: platform === 'mastodon' ? commentUri : (nativeUrl ?? commentUri),
  };
}
