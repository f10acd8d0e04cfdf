// A bad two hours: 240 posts of which a target failed, each for one of eight causes. Some go away with a retry, some
// after the second, some only when a person does something. Around them the world of the demo.

import type { TargetSchema } from '../../api/schema/post.ts';
import type { StartName } from '../options.ts';
import type { StoredChange, StoredAccount } from '../store/tables.ts';
import { seedAccounts } from './accounts.ts';
import { clockFrom, entry, failedTarget, inLetters, publishedTarget, post } from './builders.ts';
import { seedConversations } from './conversations.ts';
import { seedDestinations } from './destinations.ts';
import { seedPosts } from './posts.ts';
import { samples } from './samples.ts';

// What a fresh sandbox holds: the small world of one coffee roaster, the same identifiers every time.

const MINUTE_MS = 60_000;

/** Everything in a sandbox that starts at `now`, milliseconds since 1970; times are told from the whole minute. */
export function seed(now: number): readonly StoredChange[] {
  const start = now - (now % MINUTE_MS);
  return [
    ...seedPosts(start),
    ...seedAccounts(start),
    ...seedDestinations(),
    ...seedConversations(start),
  ];
}

// A year of an organization that posts much: 3000 posts beside the demo, every twelfth with a failed target that a
// retry mends. For lists, batches and scripts that must not care how much there is.

const BIG_POSTS = 3000;
const BIG_HOURS = 365 * 24;
const FAILED_EVERY = 12;

/** `now` in milliseconds since 1970. */
function seedBig(now: number): readonly StoredChange[] {
  const at = clockFrom(now - (now % 60_000));
  const posts = Array.from({ length: BIG_POSTS }, (_, i) => {
    const id = inLetters('PostBig', i);
    const [first, second] = [inLetters('TargetBigA', i), inLetters('TargetBigB', i)];
    const wentOut = at(-BIG_HOURS * ((BIG_POSTS - i) / BIG_POSTS));
    const isPartial = i % FAILED_EVERY === 0;
    const told = {
      id,
      status: isPartial ? ('partial' as const) : ('published' as const),
      title: `Post ${i + 1}`,
      content: 'One of very many.',
      createdAt: wentOut,
      updatedAt: wentOut,
      publishedAt: wentOut,
    };
    const targets = [
      isPartial
        ? failedTarget(
            first,
            'mastodon',
            samples.mastodonAccountId,
            'mastodon.example answered 502.',
          )
        : publishedTarget(first, 'mastodon', samples.mastodonAccountId),
      publishedTarget(second, 'bluesky', samples.blueskyAccountId),
    ];
    return entry('post', id, { post: post(at, told, targets) });
  });
  return [...seed(now), ...posts];
}

// A sandbox as empty as is useful: every account in order and somewhere to go, one post that is out, and no trouble.

/** What may hold trouble, or is there to be taken away. */
const leftOut: readonly StoredChange[0][] = [
  'audience',
  'code',
  'conversation',
  'session',
  'status',
  'webhook',
];

/** `now` in milliseconds since 1970. */
function seedClean(now: number): readonly StoredChange[] {
  return seed(now).filter(([kind, id, value]) => {
    if (kind === 'post') return id === samples.publishedPostId;
    if (kind === 'account') return !(value as StoredAccount).needsReconnect;
    if (kind === 'pages') return id === samples.facebookAccountId;
    return !leftOut.includes(kind);
  });
}

const POSTS = 240;
const HOURS = 2;

interface Cause {
  readonly platform: TargetSchema['platform'];
  readonly accountId: string;
  readonly error: string;
  /** Why the next attempts fail too; a person must act where there are many. */
  readonly again?: readonly string[];
}

/** The account that nobody has reconnected: a retry on it fails as long as that is so. */
const LOST_ACCOUNT = 'AccountLinkedInB';

/** For what a retry cannot mend. */
const always = (error: string) => Array.from({ length: 5 }, () => error);

const TOO_LONG = 'Bluesky refused the post: 341 graphemes, the limit is 300.';
const ASPECT = 'Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.';
const PERMISSION =
  'Facebook refused the post with code 200: the page Riverbank Linz has not granted pages_manage_posts.';

const causes: readonly Cause[] = [
  {
    platform: 'mastodon',
    accountId: samples.mastodonAccountId,
    error: 'mastodon.example answered 503 Service Unavailable after 3 attempts.',
  },
  {
    platform: 'linkedin',
    accountId: LOST_ACCOUNT,
    error: 'LinkedIn answered 401: the access token was revoked by a member of the page.',
  },
  {
    platform: 'twitter',
    accountId: 'AccountTwitterAa',
    error: 'X answered 429 Too Many Requests.',
    again: ['X answered 429 Too Many Requests again; its window ends in a minute.'],
  },
  {
    platform: 'facebook',
    accountId: 'AccountFacebookB',
    error: PERMISSION,
    again: always(PERMISSION),
  },
  {
    platform: 'instagram',
    accountId: 'AccountInstagram',
    error: ASPECT,
    again: always(ASPECT),
  },
  {
    platform: 'bluesky',
    accountId: samples.blueskyAccountId,
    error: TOO_LONG,
    again: always(TOO_LONG),
  },
  {
    platform: 'tiktok',
    accountId: 'AccountTikTokAaa',
    error: 'TikTok did not answer within 60 seconds.',
  },
  {
    platform: 'reddit',
    accountId: samples.redditAccountId,
    error: 'Reddit closed the connection before it answered (ECONNRESET).',
  },
];

/** `now` in milliseconds since 1970. */
function seedOutage(now: number): readonly StoredChange[] {
  const posts = Array.from({ length: POSTS }, (_, i) => hitPost(i, now));
  const lost = {
    id: LOST_ACCOUNT,
    platform: 'linkedin',
    providerAccountId: 'urn:li:organization:1041',
    displayName: 'Riverbank Roasters Linz',
    connected: false,
    needsReconnect: true,
    profileId: samples.profileId,
  };
  return [...seed(now), entry('account', LOST_ACCOUNT, lost), ...posts];
}

/** Every third was to go out on a second platform too, and did: it is partial, the others failed. */
function hitPost(i: number, now: number): StoredChange {
  const { platform, accountId, error, again } = causes[i % causes.length]!;
  const id = inLetters('PostOutage', i);
  const targetId = inLetters('TargetOutA', i);
  const isPartial = i % 3 === 0;
  const sound =
    platform === 'mastodon'
      ? publishedTarget(inLetters('TargetOutB', i), 'twitter', 'AccountTwitterBb')
      : publishedTarget(inLetters('TargetOutB', i), 'mastodon', samples.mastodonAccountId);
  const at = clockFrom(now - (now % 60_000));
  const wentOut = at(-HOURS * ((POSTS - i) / POSTS));
  const told = {
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
    ...(isPartial ? [sound] : []),
  ];
  return entry('post', id, {
    post: post(at, told, targets),
    ...(again === undefined ? {} : { stubborn: { [targetId]: again } }),
  });
}

// The states that a sandbox can start from, by name.

/** Everything in a sandbox that starts so at a time in milliseconds since 1970. */
export const starts: Readonly<Record<StartName, (now: number) => readonly StoredChange[]>> = {
  demo: seed,
  outage: seedOutage,
  clean: seedClean,
  big: seedBig,
};
