// A bad two hours: 240 posts of which a target failed, each for one of eight causes. Some go away with a retry, some
// after the second, some only when a person does something. Around them the world of the demo.

import type { Target } from '../../schema/post.ts';
import type { Change } from '../kinds.ts';
import { entry } from './entry.ts';
import { inLetters } from './letters.ts';
import { clockFrom, failed, out, post } from './post.ts';
import { samples } from './samples.ts';
import { seed } from './seed.ts';

const POSTS = 240;
const HOURS = 2;

interface Cause {
  readonly platform: Target['platform'];
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
export function seedOutage(now: number): readonly Change[] {
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
function hitPost(i: number, now: number): Change {
  const { platform, accountId, error, again } = causes[i % causes.length]!;
  const id = inLetters('PostOutage', i);
  const targetId = inLetters('TargetOutA', i);
  const isPartial = i % 3 === 0;
  const sound =
    platform === 'mastodon'
      ? out(inLetters('TargetOutB', i), 'twitter', 'AccountTwitterBb')
      : out(inLetters('TargetOutB', i), 'mastodon', samples.mastodonAccountId);
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
  const targets = [failed(targetId, platform, accountId, error), ...(isPartial ? [sound] : [])];
  return entry('post', id, {
    post: post(at, told, targets),
    ...(again === undefined ? {} : { stubborn: { [targetId]: again } }),
  });
}
