// The contents of a sandbox now, without a service: the number of posts in each status, ids to try commands on; and a
// start from the beginning.

import type { Post } from '../api/schema/post.ts';
import { postAt } from './handlers/posts.ts';
import { samples } from './seed/samples.ts';
import { type Header, openState, type StateOptions } from './store/store.ts';
import type { StoredRecords } from './store/tables.ts';

export type ContentsSummary = Readonly<ReturnType<typeof summarize>>;

/** The contents of the sandbox of `stateDir`. Makes it when there is none. */
export const summarizeSandbox = async (options: StateOptions): Promise<ContentsSummary> =>
  (await openState(options)).run(summarize);

/**
 * Resets the sandbox of `stateDir`; servers that run on it follow at once, with the same token. Resolves to the posts
 * that have a failed target then.
 */
export async function resetSandbox(options: StateOptions): Promise<readonly Post[]> {
  const state = await openState(options);
  await state.reset();
  return state.run(failedPosts);
}

function summarize(records: StoredRecords, { createdAt, start }: Header) {
  const posts: Record<string, number> = {};
  for (const { status } of postsNow(records)) posts[status] = (posts[status] ?? 0) + 1;
  const { audienceId, ...lasting } = samples;
  const isThere = records.get('audience', audienceId) !== undefined;
  return {
    /** The start state. */
    state: start,
    /** ISO 8601. */
    createdAt,
    posts,
    /** The replies that were posted: what a test of a script counts. */
    replies: records.count('reply'),
    /** Sample ids; an audience is the one thing that can be deleted. */
    samples: { ...lasting, ...(isThere ? { audienceId } : {}) },
  };
}

/** The posts that have a failed target now, in the order in which they were stored. */
const failedPosts = (records: StoredRecords): readonly Post[] =>
  postsNow(records).filter(({ targets }) => targets.some(({ status }) => status === 'failed'));

/** All posts as they are now: due targets have ended. */
const postsNow = (records: StoredRecords): readonly Post[] =>
  records.list('post').map((each) => postAt(each, records.now).post);
