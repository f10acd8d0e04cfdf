// What a sandbox contains now: the number of posts in each status, and ids to try commands on.

import type { Post } from '../api/schema/post.ts';
import { postAt } from './handlers/posts.ts';
import type { ListedKind, StartName } from './options.ts';
import { type Samples, samples } from './seed/samples.ts';
import type { Header } from './store/contents.ts';
import type { StoredKind, StoredRecords } from './store/tables.ts';

export interface ContentsSummary {
  /** The start state. */
  readonly state: StartName;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly posts: Readonly<Record<string, number>>;
  /** The sample ids that exist. */
  readonly samples: Partial<Samples>;
  /** The ids of the kind that was asked for, in the order in which they were stored. */
  readonly ids: readonly string[];
}

export function summarize(
  records: StoredRecords,
  { createdAt, start = 'demo' }: Header,
  kind: ListedKind | undefined,
): ContentsSummary {
  const stored = postsNow(records);
  const posts: Record<string, number> = {};
  for (const { status } of stored) posts[status] = (posts[status] ?? 0) + 1;
  const found = Object.entries(samples).filter(([name, id]) =>
    exists(name as keyof Samples, id, records),
  );
  const listed = {
    post: () => stored,
    'failed-post': () => stored.filter(hasFailed),
    account: () => records.list('account'),
    audience: () => records.list('audience'),
    credential: () => records.list('credential'),
    webhook: () => records.list('webhook'),
  } satisfies Record<ListedKind, () => readonly { readonly id: string }[]>;
  return {
    state: start,
    createdAt,
    posts,
    samples: Object.fromEntries(found),
    ids: kind === undefined ? [] : listed[kind]().map(({ id }) => id),
  };
}

const hasFailed = ({ targets }: Post) => targets.some(({ status }) => status === 'failed');

/** The posts that have a failed target now, in the order in which they were stored. */
export const failedPosts = (records: StoredRecords): readonly Post[] =>
  postsNow(records).filter(hasFailed);

/** All posts as they are now: what is due has settled. */
const postsNow = (records: StoredRecords): readonly Post[] =>
  records.list('post').map((each) => postAt(each, records.now).post);

/** The kind of each sample that is stored on its own; the others are a part of something. */
const kinds: Partial<Record<keyof Samples, StoredKind>> = {
  postId: 'post',
  publishedPostId: 'post',
  accountId: 'account',
  blueskyAccountId: 'account',
  mastodonAccountId: 'account',
  discordAccountId: 'account',
  facebookAccountId: 'account',
  redditAccountId: 'account',
  pinterestAccountId: 'account',
  metaadsAccountId: 'account',
  conversationId: 'conversation',
  statusId: 'status',
  tagId: 'tag',
  boardId: 'board',
  subreddit: 'subreddit',
  sessionId: 'session',
  code: 'code',
  messageId: 'discordMessage',
  guildId: 'guild',
  audienceId: 'audience',
  credentialId: 'credential',
  webhookId: 'webhook',
};

function exists(name: keyof Samples, id: string, records: StoredRecords): boolean {
  const kind = kinds[name];
  if (kind !== undefined) return records.get(kind, id) !== undefined;
  if (name === 'channelId') return records.get('guild', samples.guildId) !== undefined;
  if (name === 'profileId') return records.list('account').some((each) => each.profileId === id);
  const postId = name === 'targetId' ? samples.postId : samples.publishedPostId;
  return records.get('post', postId) !== undefined;
}
