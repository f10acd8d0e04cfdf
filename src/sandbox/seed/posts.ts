// The posts that the sandbox starts with: one in each state that an operator meets. Times are relative to the start.

import type { StoredChange, StoredPost } from '../store/tables.ts';
import {
  type At,
  clockFrom,
  entry,
  failedTarget,
  publishedTarget,
  post,
  waitingTarget,
} from './builders.ts';
import { samples } from './samples.ts';

const SCHEDULED_IN_HOURS = 72;

/** The posts of a sandbox that starts at `start`, milliseconds since 1970. */
export function seedPosts(start: number): readonly StoredChange[] {
  const at = clockFrom(start);
  const stored: readonly StoredPost[] = [
    spring(at),
    { post: autumn(at) },
    summer(at),
    { post: winter(at) },
    flash(at),
    { post: reel(at) },
  ];
  return stored.map((one) => entry('post', one.post.id, one));
}

function spring(at: At): StoredPost {
  const overloaded = 'mastodon.example answered 503 Service Unavailable after 3 attempts.';
  return {
    post: post(at, {
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
      targets: [
        publishedTarget('TargetSpringTwit', 'twitter', 'AccountTwitterAa'),
        failedTarget(
          samples.targetId,
          'linkedin',
          'AccountLinkedInA',
          'The LinkedIn access token had expired when the post went out; it has been renewed since.',
        ),
        failedTarget('TargetSpringMast', 'mastodon', samples.mastodonAccountId, overloaded),
        publishedTarget('TargetSpringBlue', 'bluesky', samples.blueskyAccountId),
      ],
    }),
    stubborn: {
      TargetSpringMast: ['mastodon.example answered 503 again; its status page says 10 minutes.'],
    },
  };
}

const autumn = (at: At) =>
  post(at, {
    id: samples.publishedPostId,
    status: 'published',
    title: 'Autumn recap: 12 roasts, 4 harvests',
    content: 'Thank you for a wonderful season. Which roast should come back?',
    hashtags: ['coffee'],
    createdAt: at(-200),
    updatedAt: at(-170),
    publishedAt: at(-170),
    targets: [
      publishedTarget(samples.publishedTargetId, 'mastodon', samples.mastodonAccountId),
      publishedTarget('TargetAutumnBlue', 'bluesky', samples.blueskyAccountId),
    ],
  });

function summer(at: At): StoredPost {
  const due = { settlesAt: Date.parse(at(SCHEDULED_IN_HOURS)) };
  return {
    post: post(at, {
      id: 'PostSummerTeaser',
      status: 'scheduled',
      title: 'Summer teaser',
      content: 'Something cold is coming. 🧊',
      scheduledFor: at(SCHEDULED_IN_HOURS),
      timezone: 'Europe/Vienna',
      targets: [
        waitingTarget('scheduled', 'TargetSummerInst', 'instagram', 'AccountInstagram'),
        waitingTarget('scheduled', 'TargetSummerFace', 'facebook', 'AccountFacebookA'),
      ],
    }),
    underway: { TargetSummerInst: due, TargetSummerFace: due },
  };
}

const winter = (at: At) =>
  post(at, {
    id: 'PostWinterDrafts',
    status: 'draft',
    title: 'Winter ideas',
    content: 'Advent calendar? Filter of the week? Ask the shops.',
    createdAt: at(-7),
    updatedAt: at(-5),
    targets: [waitingTarget('draft', 'TargetWinterRedd', 'reddit', 'AccountRedditAaa')],
  });

function flash(at: At): StoredPost {
  const missing = 'The page Riverbank Roasters Linz has still not granted pages_manage_posts.';
  return {
    post: post(at, {
      id: 'PostFlashSaleNow',
      status: 'failed',
      title: 'Flash sale: 24 hours only',
      content: 'A quarter off all filters until tomorrow noon.',
      createdAt: at(-30),
      updatedAt: at(-26),
      targets: [
        failedTarget(
          'TargetFlashATwit',
          'twitter',
          'AccountTwitterAa',
          'X refused the post: its text repeats a post of the last 24 hours.',
        ),
        failedTarget('TargetFlashBFace', 'facebook', 'AccountFacebookB', PERMISSION_LOST),
      ],
    }),
    stubborn: { TargetFlashBFace: [missing, missing, missing] },
  };
}

/** A message as long as real ones. */
const PERMISSION_LOST =
  'Facebook refused the post with code 200 (permission error): the page Riverbank Roasters Linz has not granted pages_manage_posts to this connection. The permission was there until the page changed its owner on Monday. A person who manages the page has to open the connection, choose the page again and confirm every permission that is asked for; until then each attempt to publish on it will end like this one.';

const reel = (at: At) =>
  post(at, {
    id: 'PostReelInReview',
    status: 'action_required',
    title: 'Behind the roaster',
    content: 'Ninety seconds with Aiko at the drum.',
    createdAt: at(-20),
    updatedAt: at(-18),
    publishedAt: at(-18),
    targets: [
      publishedTarget('TargetReelInstag', 'instagram', 'AccountInstagram'),
      {
        ...waitingTarget('action_required', 'TargetReelTikTok', 'tiktok', 'AccountTikTokAaa'),
        error: 'TikTok holds the video as a draft: open the app and confirm the music.',
      },
    ],
  });
