// The two states that a sandbox can start from: demo and outage. The same identifiers every time.

import type { TargetSchema } from '../../api/schema/post.ts';
import type { StartName } from '../options.ts';
import type { StoredChange } from '../store/tables.ts';
import { seedAccounts } from './accounts.ts';
import { clockFrom, entry, failedTarget, inLetters, publishedTarget, post } from './builders.ts';
import { seedConversations } from './conversations.ts';
import { seedDestinations } from './destinations.ts';
import { seedPosts } from './posts.ts';
import { samples } from './samples.ts';

const toMinute = (now: number): number => now - (now % 60_000);

/** The demo, one coffee roaster, at `now` in milliseconds since 1970; times count from the whole minute. */
export function seedDemo(now: number): readonly StoredChange[] {
  const start = toMinute(now);
  return [
    ...seedPosts(start),
    ...seedAccounts(start),
    ...seedDestinations(),
    ...seedConversations(start),
  ];
}

const OUTAGE_POSTS = 240;
const OUTAGE_HOURS = 2;

type Cause = readonly [
  platform: TargetSchema['platform'],
  accountId: string,
  error: string,
  /** The errors of the next attempts, in order; the attempt after the last one succeeds. */
  nextErrors?: readonly string[],
];

/** A disconnected account: a retry on it fails until it is connected again. */
const LOST_ACCOUNT = 'AccountLinkedInB';

/** Makes a cause that the next five retries do not remove, more than an exercise makes. */
const lasting = (platform: Cause[0], accountId: string, error: string): Cause => [
  platform,
  accountId,
  error,
  Array.from({ length: 5 }, () => error),
];

const causes: readonly Cause[] = [
  [
    'mastodon',
    samples.mastodonAccountId,
    'mastodon.example answered 503 Service Unavailable after 3 attempts.',
  ],
  [
    'linkedin',
    LOST_ACCOUNT,
    'LinkedIn answered 401: the access token was revoked by a member of the page.',
  ],
  [
    'twitter',
    'AccountTwitterAa',
    'X answered 429 Too Many Requests.',
    ['X answered 429 Too Many Requests again; its window ends in a minute.'],
  ],
  lasting(
    'facebook',
    'AccountFacebookB',
    'Facebook refused the post with code 200: the page Riverbank Linz has not granted pages_manage_posts.',
  ),
  lasting(
    'instagram',
    'AccountInstagram',
    'Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.',
  ),
  lasting(
    'bluesky',
    samples.blueskyAccountId,
    'Bluesky refused the post: 341 graphemes, the limit is 300.',
  ),
  ['tiktok', 'AccountTikTokAaa', 'TikTok did not answer within 60 seconds.'],
  [
    'reddit',
    samples.redditAccountId,
    'Reddit closed the connection before it answered (ECONNRESET).',
  ],
];

/**
 * A bad two hours: 240 posts with a failed target, each for one of eight causes. Some succeed with the first retry, some
 * with the second, some only when a person acts. The records of the demo are there too.
 */
function seedOutage(now: number): readonly StoredChange[] {
  const posts = Array.from({ length: OUTAGE_POSTS }, (_, i) => failedPost(i, now));
  const lost = {
    id: LOST_ACCOUNT,
    platform: 'linkedin',
    providerAccountId: 'urn:li:organization:1041',
    displayName: 'Riverbank Roasters Linz',
    connected: false,
    needsReconnect: true,
    profileId: samples.profileId,
  };
  return [...seedDemo(now), entry('account', LOST_ACCOUNT, lost), ...posts];
}

/** Makes a failed post. Every third one was published on a second platform, so it is partial. */
function failedPost(i: number, now: number): StoredChange {
  const [platform, accountId, error, nextErrors] = causes[i % causes.length]!;
  const id = inLetters('PostOutage', i);
  const targetId = inLetters('TargetOutA', i);
  const isPartial = i % 3 === 0;
  const other: readonly ['twitter' | 'mastodon', string] =
    platform === 'mastodon'
      ? ['twitter', 'AccountTwitterBb']
      : ['mastodon', samples.mastodonAccountId];
  const at = clockFrom(toMinute(now));
  const wentOut = at(-OUTAGE_HOURS * ((OUTAGE_POSTS - i) / OUTAGE_POSTS));
  const fields = {
    id,
    status: isPartial ? ('partial' as const) : ('failed' as const),
    title: `Menu of the day, shop ${i + 1}`,
    content: 'Soup, cake, and the roast of the week.',
    createdAt: at(-24),
    updatedAt: wentOut,
    ...(isPartial ? { publishedAt: wentOut } : {}),
  };
  const targets = [
    failedTarget(targetId, platform, accountId, error),
    ...(isPartial ? [publishedTarget(inLetters('TargetOutB', i), ...other)] : []),
  ];
  return entry('post', id, {
    post: post(at, { ...fields, targets }),
    ...(nextErrors === undefined ? {} : { stubborn: { [targetId]: nextErrors } }),
  });
}

/** The contents of a sandbox in each state, which starts at a time in milliseconds since 1970. */
export const starts: Readonly<Record<StartName, (now: number) => readonly StoredChange[]>> = {
  demo: seedDemo,
  outage: seedOutage,
};
