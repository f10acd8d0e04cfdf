// The posts that the sandbox starts with: one of each state that an operator meets.
// Times hang on the start, so that a fresh sandbox looks like a working week.

import type { Post, Target } from '../../schema/post.ts';
import { published } from '../behaviour/publication.ts';
import type { Change, StoredPost } from '../kinds.ts';
import { stamp } from '../stamp.ts';
import { entry } from './entry.ts';
import { samples } from './samples.ts';

const HOUR_MS = 3_600_000;

type Draft = Pick<Post, 'id' | 'status' | 'title' | 'content'> & Partial<Post>;

/** The posts of a sandbox that starts at `now`, milliseconds since 1970. */
export function seedPosts(now: number): readonly Change[] {
  const at = (hours: number) => stamp(now + hours * HOUR_MS);
  const post = (
    draft: Draft,
    targets: readonly Omit<Target, 'postId' | 'createdAt' | 'updatedAt'>[],
  ): Post => ({
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
    ...draft,
    targets: targets.map((target) => ({
      ...target,
      postId: draft.id,
      createdAt: draft.createdAt ?? at(-50),
      updatedAt: draft.updatedAt ?? at(-2),
    })),
  });
  const stored: readonly StoredPost[] = [
    spring(post, at),
    { post: autumn(post, at) },
    {
      post: summer(post, at),
      underway: dueAt(now + 72 * HOUR_MS, ['TargetSummerInst', 'TargetSummerFace']),
    },
    { post: winter(post, at) },
    { post: flash(post, at) },
    { post: reel(post, at) },
  ];
  return stored.map((one) => entry('post', one.post.id, one));
}

type MakePost = (
  draft: Draft,
  targets: readonly Omit<Target, 'postId' | 'createdAt' | 'updatedAt'>[],
) => Post;
type At = (hours: number) => string;

const out = (id: string, platform: Target['platform'], accountId: string) =>
  ({ id, platform, accountId, status: 'published', ...published({ id, platform }) }) as const;

const failed = (id: string, platform: Target['platform'], accountId: string, error: string) =>
  ({ id, platform, accountId, status: 'failed', error }) as const;

const dueAt = (settlesAt: number, ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, { settlesAt }]));

function spring(post: MakePost, at: At): StoredPost {
  const overloaded = 'mastodon.example answered 503 Service Unavailable after 3 attempts.';
  return {
    post: post(
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
        out('TargetSpringTwit', 'twitter', 'AccountTwitterAa'),
        failed(
          samples.targetId,
          'linkedin',
          'AccountLinkedInA',
          'The LinkedIn access token had expired when the post went out; it has been renewed since.',
        ),
        failed('TargetSpringMast', 'mastodon', samples.mastodonAccountId, overloaded),
        out('TargetSpringBlue', 'bluesky', samples.blueskyAccountId),
      ],
    ),
    stubborn: {
      TargetSpringMast: ['mastodon.example answered 503 again; its status page says 10 minutes.'],
    },
  };
}

const autumn = (post: MakePost, at: At) =>
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
      out(samples.publishedTargetId, 'mastodon', samples.mastodonAccountId),
      out('TargetAutumnBlue', 'bluesky', samples.blueskyAccountId),
    ],
  );

const summer = (post: MakePost, at: At) =>
  post(
    {
      id: 'PostSummerTeaser',
      status: 'scheduled',
      title: 'Summer teaser',
      content: 'Something cold is coming. 🧊',
      scheduledFor: at(72),
      timezone: 'Europe/Vienna',
    },
    [
      {
        id: 'TargetSummerInst',
        platform: 'instagram',
        accountId: 'AccountInstagram',
        status: 'scheduled',
      },
      {
        id: 'TargetSummerFace',
        platform: 'facebook',
        accountId: 'AccountFacebookA',
        status: 'scheduled',
      },
    ],
  );

const winter = (post: MakePost, at: At) =>
  post(
    {
      id: 'PostWinterDrafts',
      status: 'draft',
      title: 'Winter ideas',
      content: 'Advent calendar? Filter of the week? Ask the shops.',
      createdAt: at(-7),
      updatedAt: at(-5),
    },
    [
      {
        id: 'TargetWinterRedd',
        platform: 'reddit',
        accountId: 'AccountRedditAaa',
        status: 'draft',
      },
    ],
  );

const flash = (post: MakePost, at: At) =>
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
      failed(
        'TargetFlashATwit',
        'twitter',
        'AccountTwitterAa',
        'X refused the post: its text repeats a post of the last 24 hours.',
      ),
      failed(
        'TargetFlashBFace',
        'facebook',
        'AccountFacebookB',
        'Facebook refused the post with code 200 (permission error): the page Riverbank Roasters Linz has not granted pages_manage_posts to this connection. The permission was there until the page changed its owner on Monday. A person who manages the page has to open the connection, choose the page again and confirm every permission that is asked for; until then each attempt to publish on it will end like this one.',
      ),
    ],
  );

const reel = (post: MakePost, at: At) =>
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
      out('TargetReelInstag', 'instagram', 'AccountInstagram'),
      {
        id: 'TargetReelTikTok',
        platform: 'tiktok',
        accountId: 'AccountTikTokAaa',
        status: 'action_required',
        error: 'TikTok holds the video as a draft: open the app and confirm the music.',
      },
    ],
  );
