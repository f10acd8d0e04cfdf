// What a sandbox contains now: the number of posts in each status, and ids to try commands on.

import type { Post } from '../api/schema/post.ts';
import { postAt } from './handlers/posts.ts';
import type { ListedKind } from './options.ts';
import { type Samples, samples } from './seed/samples.ts';
import type { Header } from './store/contents.ts';
import type { StoredKind, StoredRecords } from './store/tables.ts';

export type ContentsSummary = Readonly<ReturnType<typeof summarize>>;

export function summarize(
  records: StoredRecords,
  { createdAt, start = 'demo' }: Header,
  kind: ListedKind | undefined,
) {
  const stored = postsNow(records);
  const posts: Record<string, number> = {};
  for (const { status } of stored) posts[status] = (posts[status] ?? 0) + 1;
  const found = Object.entries(samples).filter(([name, id]) =>
    exists(name as keyof Samples, id, records),
  );
  const listed = (): readonly { readonly id: string }[] => {
    if (kind === undefined) return [];
    if (kind === 'post') return stored;
    return kind === 'failed-post' ? stored.filter(hasFailed) : records.list(kind);
  };
  return {
    /** The start state. */
    state: start,
    /** ISO 8601. */
    createdAt,
    posts,
    /** The sample ids that exist. */
    samples: Object.fromEntries(found) as Partial<Samples>,
    /** The ids of the kind that was asked for, in the order in which they were stored. */
    ids: listed().map(({ id }) => id),
  };
}

const hasFailed = ({ targets }: Post) => targets.some(({ status }) => status === 'failed');

/** The posts that have a failed target now, in the order in which they were stored. */
export const failedPosts = (records: StoredRecords): readonly Post[] =>
  postsNow(records).filter(hasFailed);

/** All posts as they are now: what is due has settled. */
const postsNow = (records: StoredRecords): readonly Post[] =>
  records.list('post').map((each) => postAt(each, records.now).post);

/** The samples that are stored under another kind than their name says. */
const kinds: Partial<Record<keyof Samples, StoredKind>> = {
  publishedPostId: 'post',
  messageId: 'discordMessage',
};

const kindOf = (name: keyof Samples): StoredKind =>
  kinds[name] ?? (name.endsWith('AccountId') ? 'account' : (name.replace(/Id$/, '') as StoredKind));

/** Whether a sample is stored, or what it is a part of. */
function exists(name: keyof Samples, id: string, records: StoredRecords): boolean {
  if (name === 'profileId') return records.list('account').some((each) => each.profileId === id);
  if (name === 'channelId') return exists('guildId', samples.guildId, records);
  if (name === 'targetId') return exists('postId', samples.postId, records);
  if (name === 'publishedTargetId')
    return exists('publishedPostId', samples.publishedPostId, records);
  return records.get(kindOf(name), id) !== undefined;
}
