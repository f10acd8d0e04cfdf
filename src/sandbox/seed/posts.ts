// The posts that the sandbox starts with: in the demo one in each state that an operator meets, in an outage 240 failed
// ones besides. Times are relative to the start, in milliseconds since 1970.

import type { Post, Target } from '../../api/schema/post.ts';
import { toTimestamp } from '../handlers/handler.ts';
import { published } from '../handlers/posts.ts';
import type { StoredPost, StoredRecord } from '../store/tables.ts';
import { samples } from './accounts.ts';

const HOUR_MS = 3_600_000;

type SeedTarget = readonly [
  status: Target['status'],
  id: string,
  platform: Target['platform'],
  accountId: string,
  error?: string,
];

/** Makes posts of a sandbox that starts at `start`, and times in hours from there. */
function seedFrom(start: number) {
  const at = (hours: number): string => toTimestamp(start + hours * HOUR_MS);
  /** Makes a whole post, by default created 50 hours and updated 2 hours before the start. */
  const post = (
    fields: Pick<Post, 'id' | 'status'> & Partial<Post>,
    targets: readonly SeedTarget[],
    attempts?: Pick<StoredPost, 'underway' | 'stubborn' | 'unnoticed'>,
  ): StoredRecord => {
    const whole = {
      organizationId: 'org_riverbank',
      createdBy: 'user_mira',
      profileId: samples.profileId,
      mediaItems: [],
      tags: [],
      hashtags: [],
      mentions: [],
      metadata: {},
      crosspostingEnabled: false,
      createdAt: at(-50),
      updatedAt: at(-2),
      ...fields,
    };
    const { id: postId, createdAt, updatedAt } = whole;
    const wholeTargets = targets.map(([status, id, platform, accountId, error]) => ({
      id,
      platform,
      accountId,
      status,
      ...(status === 'published' ? published(platform, id) : { error }),
      postId,
      createdAt,
      updatedAt,
    }));
    return ['post', postId, { post: { ...whole, targets: wholeTargets }, ...attempts }];
  };
  return { at, post };
}

const SCHEDULED_IN_HOURS = 72;

export function seedDemoPosts(start: number): readonly StoredRecord[] {
  const { at, post } = seedFrom(start);
  const due = { endsAt: Date.parse(at(SCHEDULED_IN_HOURS)) };
  const repeats = 'X refused the post: its text repeats a post of the last 24 hours.';
  const notGranted = 'The page Riverbank Roasters Linz has still not granted pages_manage_posts.';
  return [
    post(
      {
        id: samples.postId,
        status: 'partial',
        title: 'Spring launch 🌱 春の新作',
        content:
          'Our spring roast is here: apricot, jasmine, honey. In all shops and online from today.',
        hashtags: ['springroast', '春のコーヒー'],
        tags: ['launch', 'spring'],
        mediaItems: [
          {
            type: 'image',
            url: 'https://media.example/riverbank/spring-roast.jpg',
            altText: 'A bag of spring roast among cherry blossom',
            mimeType: 'image/jpeg',
            size: 482_113,
            width: 1600,
            height: 1200,
          },
        ],
        crosspostingEnabled: true,
        publishedAt: at(-2),
        timezone: 'Europe/Vienna',
      },
      [
        ['published', 'TargetSpringTwit', 'twitter', 'AccountTwitterAa'],
        [
          'failed',
          samples.targetId,
          'linkedin',
          'AccountLinkedInA',
          'The LinkedIn access token had expired when the post went out; it has been renewed since.',
        ],
        ['failed', 'TargetSpringMast', 'mastodon', samples.mastodonAccountId, OVERLOADED],
        ['published', 'TargetSpringBlue', 'bluesky', samples.blueskyAccountId],
      ],
      {
        stubborn: {
          TargetSpringMast: [
            'mastodon.example answered 503 again; its status page says 10 minutes.',
          ],
        },
      },
    ),
    post(
      {
        id: samples.publishedPostId,
        status: 'published',
        title: 'Autumn recap: 12 roasts, 4 harvests',
        content: 'Thank you for a wonderful season. Which roast should come back?',
        hashtags: ['coffee'],
        createdAt: at(-200),
        updatedAt: at(-170),
        publishedAt: at(-170),
      },
      [
        ['published', samples.publishedTargetId, 'mastodon', samples.mastodonAccountId],
        ['published', 'TargetAutumnBlue', 'bluesky', samples.blueskyAccountId],
      ],
    ),
    post(
      {
        id: 'PostSummerTeaser',
        status: 'scheduled',
        title: 'Summer teaser',
        content: 'Something cold is coming. 🧊',
        scheduledFor: at(SCHEDULED_IN_HOURS),
        timezone: 'Europe/Vienna',
      },
      [
        ['scheduled', 'TargetSummerInst', 'instagram', 'AccountInstagram'],
        ['scheduled', 'TargetSummerFace', 'facebook', 'AccountFacebookA'],
      ],
      { underway: { TargetSummerInst: due, TargetSummerFace: due } },
    ),
    post(
      {
        id: 'PostWinterDrafts',
        status: 'draft',
        title: 'Winter ideas',
        content: 'Advent calendar? Filter of the week? Ask the shops.',
        createdAt: at(-7),
        updatedAt: at(-5),
      },
      [['draft', 'TargetWinterRedd', 'reddit', 'AccountRedditAaa']],
    ),
    post(
      {
        id: 'PostFlashSaleNow',
        status: 'failed',
        title: 'Flash sale: 24 hours only',
        content: 'A quarter off all filters until tomorrow noon.',
        createdAt: at(-30),
        updatedAt: at(-26),
      },
      [
        ['failed', 'TargetFlashATwit', 'twitter', 'AccountTwitterAa', repeats],
        ['failed', 'TargetFlashBFace', 'facebook', 'AccountFacebookB', PERMISSION_LOST],
      ],
      {
        stubborn: {
          TargetFlashATwit: [repeats, repeats, repeats],
          TargetFlashBFace: [notGranted, notGranted, notGranted],
        },
      },
    ),
    post(
      {
        id: 'PostHarvestNotes',
        status: 'partial',
        title: 'Harvest notes from Huila',
        content: 'Late rain, sweet cherries: what our growers wrote to us this week.',
        createdAt: at(-12),
        updatedAt: at(-3),
        publishedAt: at(-3),
      },
      [
        ['published', 'TargetHarveBMast', 'mastodon', samples.mastodonAccountId],
        ['failed', 'TargetHarveALink', 'linkedin', 'AccountLinkedInA', ANSWER_LOST],
      ],
      { unnoticed: ['TargetHarveALink'] },
    ),
    post(
      {
        id: 'PostReelInReview',
        status: 'action_required',
        title: 'Behind the roaster',
        content: 'Ninety seconds with Aiko at the drum.',
        createdAt: at(-20),
        updatedAt: at(-18),
        publishedAt: at(-18),
      },
      [
        ['published', 'TargetReelInstag', 'instagram', 'AccountInstagram'],
        [
          'action_required',
          'TargetReelTikTok',
          'tiktok',
          'AccountTikTokAaa',
          'TikTok holds the video as a draft: open the app and confirm the music.',
        ],
      ],
    ),
  ];
}

const OVERLOADED = 'mastodon.example answered 503 Service Unavailable after 3 attempts.';

/** It is on LinkedIn, which the service does not know. */
const ANSWER_LOST =
  'The share was sent to LinkedIn, but the connection was lost before its answer came (socket hang up); the post may be live.';

/** A message as long as real ones. */
const PERMISSION_LOST =
  'Facebook refused the post with code 200 (permission error): the page Riverbank Roasters Linz has not granted pages_manage_posts to this connection. The permission was there until the page changed its owner on Monday. A person who manages the page has to open the connection, choose the page again and confirm every permission that is asked for; until then each attempt to publish on it will end like this one.';

const OUTAGE_POSTS = 240;
const OUTAGE_HOURS = 2;

type Cause = readonly [
  platform: Target['platform'],
  accountId: string,
  error: string,
  /** The errors of the retries that fail too, in order; the one after the last succeeds. */
  again?: readonly string[],
];

/** The error of a cause that retries do not remove: it repeats more often than an exercise retries. */
const lasting = (error: string) => [error, [error, error, error, error, error]] as const;

const causes: readonly Cause[] = [
  ['mastodon', samples.mastodonAccountId, OVERLOADED],
  [
    'linkedin',
    'AccountLinkedInB',
    'LinkedIn answered 401: the access token was revoked by a member of the page.',
  ],
  [
    'twitter',
    'AccountTwitterAa',
    'X answered 429 Too Many Requests.',
    ['X answered 429 Too Many Requests again; its window ends in a minute.'],
  ],
  [
    'facebook',
    'AccountFacebookB',
    ...lasting(
      'Facebook refused the post with code 200: the page Riverbank Linz has not granted pages_manage_posts.',
    ),
  ],
  [
    'instagram',
    'AccountInstagram',
    ...lasting('Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.'),
  ],
  [
    'bluesky',
    samples.blueskyAccountId,
    ...lasting('Bluesky refused the post: 341 graphemes, the limit is 300.'),
  ],
  ['tiktok', 'AccountTikTokAaa', 'TikTok did not answer within 60 seconds.'],
  [
    'reddit',
    samples.redditAccountId,
    'Reddit closed the connection before it answered (ECONNRESET).',
  ],
];

/**
 * A bad two hours: 240 posts with a failed target, each for one of eight causes. Some succeed with the first retry, some
 * with the second, some only when a person acts. Every third one was published on a second platform, so it is partial.
 * Two more were published although their target failed.
 */
export function seedOutagePosts(start: number): readonly StoredRecord[] {
  const { at, post } = seedFrom(start);
  const unnoticed = unnoticedTargets.map(([id, title, targetId, platform, accountId, error]) =>
    post(
      { id, status: 'failed', title, createdAt: at(-24), updatedAt: at(-1) },
      [['failed', targetId, platform, accountId, error]],
      { unnoticed: [targetId] },
    ),
  );
  const failedPosts = Array.from({ length: OUTAGE_POSTS }, (_, i) => {
    const [platform, accountId, error, again] = causes[i % causes.length]!;
    const targetId = inLetters('TargetOutA', i);
    const isPartial = i % 3 === 0;
    const wentOut = at(-OUTAGE_HOURS * ((OUTAGE_POSTS - i) / OUTAGE_POSTS));
    const failed: SeedTarget = ['failed', targetId, platform, accountId, error];
    const other = inLetters('TargetOutB', i);
    const second: SeedTarget =
      platform === 'mastodon'
        ? ['published', other, 'twitter', 'AccountTwitterBb']
        : ['published', other, 'mastodon', samples.mastodonAccountId];
    return post(
      {
        id: inLetters('PostOutage', i),
        status: isPartial ? 'partial' : 'failed',
        title: `Menu of the day, shop ${i + 1}`,
        content: 'Soup, cake, and the roast of the week.',
        createdAt: at(-24),
        updatedAt: wentOut,
        publishedAt: isPartial ? wentOut : undefined,
      },
      isPartial ? [failed, second] : [failed],
      again && { stubborn: { [targetId]: again } },
    );
  });
  return [...failedPosts, ...unnoticed];
}

/** Posts with a target that was published although its platform answered otherwise, or not at all. */
const unnoticedTargets: readonly (readonly [
  id: string,
  title: string,
  targetId: string,
  platform: Target['platform'],
  accountId: string,
  error: string,
])[] = [
  [
    'PostLostAnswerAa',
    'Cupping on Sunday',
    'TargetLostAInsta',
    'instagram',
    'AccountInstagram',
    '(#4) Application request limit reached',
  ],
  [
    'PostLostAnswerBb',
    'Which grinder do you use?',
    'TargetLostBReddi',
    'reddit',
    samples.redditAccountId,
    'Reddit accepted the submission but did not return its link.',
  ],
];

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Makes an ID of sixteen letters from a prefix of at most 15 and a number: ('PostOutage', 27) → `PostOutageaaaabb`. */
function inLetters(prefix: string, n: number): string {
  const digits = n.toString(26).replace(/./g, (digit) => LETTERS[parseInt(digit, 26)]!);
  return prefix + digits.padStart(16 - prefix.length, 'a');
}
