// The contents of a sandbox, without its service: the number of posts in each status, sample IDs, and a reset.

import type { Post } from '../api/schema/post.ts';
import { postAt, unnoticedIn } from './handlers/posts.ts';
import { samples } from './seed/accounts.ts';
import { type Header, openState, type StateOptions } from './store/store.ts';
import type { StoredPost, StoredRecords } from './store/tables.ts';

type ContentsSummary = Readonly<ReturnType<typeof summarize>>;

/** Summarizes the sandbox of `stateDir`, and makes it if there is none. */
export const summarizeSandbox = async (options: StateOptions): Promise<ContentsSummary> =>
  (await openState(options)).run(summarize);

/**
 * Resets the sandbox of `stateDir`; servers that run on it follow at once, with the same token. Resolves with the posts
 * that then have a failed target.
 */
export async function resetSandbox(options: StateOptions): Promise<readonly Post[]> {
  const state = await openState(options);
  await state.reset();
  return state.run(failedPosts);
}

function summarize(records: StoredRecords, { createdAt, start }: Header) {
  const posts: Record<string, number> = {};
  const postIds: Record<string, string> = {};
  const stored = postsNow(records);
  for (const { id, status } of stored.map(({ post }) => post)) {
    posts[status] = (posts[status] ?? 0) + 1;
    postIds[status] ??= id;
  }
  return {
    state: start,
    /** ISO 8601. */
    createdAt,
    posts,
    /** A post in each status. */
    postIds,
    /** The number of replies that were posted: a test of a script checks it. */
    replies: records.count('reply'),
    /** The posts on the platforms that belong to failed targets: a person who opens the accounts sees them. */
    onPlatforms: stored.flatMap(unnoticedIn),
    samples,
  };
}

/** Returns the posts with a failed target, in the order in which they were stored. */
const failedPosts = (records: StoredRecords): readonly Post[] =>
  postsNow(records)
    .map(({ post }) => post)
    .filter(({ targets }) => targets.some(({ status }) => status === 'failed'));

/** Returns all posts as they are now: targets whose time has come are done. */
const postsNow = (records: StoredRecords): readonly StoredPost[] =>
  records.list('post').map((stored) => postAt(stored, records.now));
