// What a sandbox contains now: the number of posts in each status, and ids to try commands on.

import { postAt } from './handlers/posts.ts';
import type { ListedKind, StartName } from './options.ts';
import { type Samples, samples } from './seed/samples.ts';
import type { StoredKind, StoredRecords } from './store/tables.ts';

export interface ContentsSummary {
  /** The start state. */
  readonly state: StartName;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly posts: Readonly<Record<string, number>>;
  /** The sample ids that exist. */
  readonly samples: Partial<Samples>;
}

/** The ids of a kind, in the order in which they were stored. */
export function idsOfKind(kind: ListedKind, records: StoredRecords): readonly string[] {
  if (kind !== 'post' && kind !== 'failed-post') return records.list(kind).map(({ id }) => id);
  return postsIn(records)
    .filter(({ targets }) => kind === 'post' || targets.some(({ status }) => status === 'failed'))
    .map(({ id }) => id);
}

/** How many posts stand in which status. */
export function postsByStatus(records: StoredRecords): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of postsIn(records)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The sample ids that exist. */
export function samplesIn(records: StoredRecords): Partial<Samples> {
  return Object.fromEntries(
    Object.entries(samples).filter(([name, id]) => isThere(name as keyof Samples, id, records)),
  );
}

const postsIn = (records: StoredRecords) =>
  records.list('post').map((stored) => postAt(stored, records.now).post);

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

function isThere(name: keyof Samples, id: string, records: StoredRecords): boolean {
  const kind = kinds[name];
  if (kind !== undefined) return records.get(kind, id) !== undefined;
  if (name === 'channelId') return records.get('guild', samples.guildId) !== undefined;
  if (name === 'profileId') return records.list('account').some((each) => each.profileId === id);
  const postId = name === 'targetId' ? samples.postId : samples.publishedPostId;
  return records.get('post', postId) !== undefined;
}
