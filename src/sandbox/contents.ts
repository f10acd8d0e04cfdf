// The contents of a sandbox, without its service: the number of posts in each status, sample IDs, and a reset.

import type { Post } from '../api/schema/post.ts';
import { postAt } from './handlers/posts.ts';
import { samples } from './seed/accounts.ts';
import { type Header, openState, type StateOptions } from './store/store.ts';
import type { StoredRecords } from './store/tables.ts';

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
  for (const { status } of postsNow(records)) posts[status] = (posts[status] ?? 0) + 1;
  return {
    state: start,
    /** ISO 8601. */
    createdAt,
    posts,
    /** The number of replies that were posted: a test of a script checks it. */
    replies: records.count('reply'),
    samples,
  };
}

/** Returns the posts with a failed target, in the order in which they were stored. */
const failedPosts = (records: StoredRecords): readonly Post[] =>
  postsNow(records).filter(({ targets }) => targets.some(({ status }) => status === 'failed'));

/** Returns all posts as they are now: targets whose time has come are done. */
const postsNow = (records: StoredRecords): readonly Post[] =>
  records.list('post').map((stored) => postAt(stored, records.now).post);
