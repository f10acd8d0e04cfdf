// The deliveries that a webhook of the sandbox would get. The API document shows no payload: its shape is an
// assumption.

import type { Post } from '../api/schema/post.ts';
import { makeId, toTimestamp } from './handlers/lookup.ts';
import { postAt } from './handlers/posts.ts';
import { conflict, notFound } from './responses.ts';
import type { StoredAccount, StoredRecords } from './store/tables.ts';

export type SandboxDelivery = ReturnType<typeof makeDelivery>;

function makeDelivery(
  event: string,
  createdAt: string,
  subject: string,
  data: Readonly<Record<string, object>>,
) {
  return { id: makeId(`delivery ${event} ${subject} ${createdAt}`), event, createdAt, data };
}

/** The body that a webhook is assumed to get for a post; by itself its event follows from the status of the post. */
export function postDelivery(
  post: Post,
  event = post.status === 'partial' ? 'post.partial' : 'post.failed',
): SandboxDelivery {
  return makeDelivery(event, post.updatedAt, post.id, { post });
}

/** The status of the posts that an event is about; any post fits the others. */
const statusOfEvent: Readonly<Record<string, Post['status']>> = {
  'post.scheduled': 'scheduled',
  'post.published': 'published',
  'post.unpublished': 'draft',
  'post.failed': 'failed',
  'post.partial': 'partial',
};

/**
 * A delivery of an event about what is stored: the post that is named, else the first that fits. Throws an `HttpError`
 * where there is none.
 */
export function deliveryOfEvent(
  records: StoredRecords,
  event: string,
  postId?: string,
): SandboxDelivery {
  if (event.startsWith('post.')) return postDelivery(postFor(records, event, postId), event);
  const createdAt = toTimestamp(records.now);
  if (event.startsWith('ad.')) {
    const ad = { id: makeId('ad of the sandbox'), status: 'active' };
    return makeDelivery(event, createdAt, ad.id, { ad });
  }
  const account = accountFor(records, event);
  return makeDelivery(event, createdAt, account.accountId, { account });
}

function postFor(records: StoredRecords, event: string, postId: string | undefined): Post {
  if (postId !== undefined) {
    const stored = records.get('post', postId);
    if (stored === undefined) throw notFound('post', postId);
    return postAt(stored, records.now).post;
  }
  const status = statusOfEvent[event];
  const posts = records.list('post').map((each) => postAt(each, records.now).post);
  const found = posts.find((post) => status === undefined || post.status === status);
  if (found !== undefined) return found;
  throw conflict('nothing_fits', `no post of the sandbox is ${status ?? 'stored'}`);
}

function accountFor(records: StoredRecords, event: string) {
  const fits = ({ needsReconnect, platform }: StoredAccount) =>
    event === 'account.disconnected'
      ? needsReconnect
      : event === 'account.connected'
        ? !needsReconnect
        : platform === 'metaads';
  const accounts = records.list('account');
  const found = accounts.find(fits) ?? accounts[0];
  if (found === undefined) throw conflict('nothing_fits', 'the sandbox has no account');
  const { id: accountId, platform, providerAccountId, displayName } = found;
  return { accountId, platform, providerAccountId, displayName };
}
