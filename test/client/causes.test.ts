// Whose turn it is after a failure, by what the platforms say of it.

import { describe, expect, it } from 'vitest';
import { causeOf, targetCause, type Cause } from '../../src/client/causes.ts';
import { platformReadings } from '../../src/client/platform-causes.ts';
import { Platform } from '../../src/api/schema/post.ts';
import { Failure } from '../../src/base/errors.ts';
import { causeCases } from './cause-cases.ts';

const settledBadly = new Failure('ended_badly', { what: '1 of 1 target finished' });

/** What the platforms and the sandbox's outage say, by what a person has to do about it. */
const texts: Readonly<Partial<Record<Cause, readonly string[]>>> = {
  reconnect: [
    'LinkedIn answered 401: the access token was revoked by a member of the page.',
    'Riverbank Roasters Linz must be reconnected before it can publish.',
    'Facebook refused the post with code 200: the page Riverbank Linz has not granted pages_manage_posts.',
    '(#200) The user has not authorized the application to publish.',
    'Could not authenticate you',
    'ExpiredToken: Token has expired',
    'scope_not_authorized',
    'Missing Access',
    'Missing Permissions',
    'Forbidden: bot was kicked from the channel chat',
    'need administrator rights in the channel chat',
    'You are logged out of Pinterest',
  ],
  content: [
    'Bluesky refused the post: 341 graphemes, the limit is 300.',
    'Invalid app.bsky.feed.post record: Record/text must not be longer than 300 graphemes',
    'BlobTooLarge',
    'Instagram refused the image: its aspect ratio 9:21 is not between 4:5 and 1.91:1.',
    'Validation failed: Text character limit of 500 exceeded',
    'You are not allowed to create a Tweet with duplicate content.',
    'The Tweet needs to be 280 characters or fewer',
    'TOO_LONG: this is too long (max: 300)',
    'Submission needs a flair',
    'file_format_check_failed',
    'frame_rate_check_failed',
    'BASE_TYPE_MAX_LENGTH: must be 2000 or fewer in length',
    'Bad Request: message is too long',
    'that link has already been submitted',
    'LinkedIn: Content is a duplicate of urn:li:share:1',
    'YouTube: the photo could not be read; the author of it should save it again',
  ],
  platform: [
    'spam_risk_too_frequent',
    'The request cannot be completed because you have exceeded your quota.',
    'uploadLimitExceeded',
    'User is over daily status update limit',
    'This request looks like it might be automated.',
    'Your account is suspended',
    'Member is restricted',
    'LinkedIn refused it for violating its policies',
    'TikTok: the app is not audited',
    'Board not found',
    'Your account is locked until you review it',
  ],
  temporary: [
    'mastodon.example answered 503 Service Unavailable after 3 attempts.',
    'X answered 429 Too Many Requests.',
    'X answered 429 Too Many Requests again; its window ends in a minute.',
    'LinkedIn answered 500.',
    'TikTok did not answer within 60 seconds.',
    'Reddit closed the connection before it answered (ECONNRESET).',
    'RATELIMIT: you are doing that too much. try again in 9 minutes.',
    'RateLimitExceeded',
    'Application request limit reached',
    'Too Many Requests: retry after 5',
    'internal_error',
  ],
  other: ['LinkedIn said no.', 'More information is not there.', 'Computer says no.', ''],
};

describe('the cause of a failure', () => {
  const rows = Object.entries(texts).flatMap(([cause, each]) =>
    each.map((text) => [text, cause] as const),
  );
  it.each(rows)('%j is %s', (text, cause) => {
    expect(causeOf(settledBadly, [{ platform: '', error: text }])).toBe(cause);
  });

  it('is not called unknown, as an outcome is', () => {
    const lost = new Failure('outcome_unknown', { what: 'the connection was lost' });
    expect(causeOf(lost, [])).toBe('unknown');
    expect(causeOf(settledBadly, [{ platform: '', error: 'No.' }])).toBe('other');
  });

  it('is the request where the service itself refused it', () => {
    const refused = new Failure('refused', { what: 'no', code: 'no_thanks', status: 422 });
    expect(causeOf(refused, [])).toBe('request');
    const what = 'There is no post PostPhotoGallery.';
    const gone = new Failure('not_found', { what, code: 'post_not_found' });
    expect(causeOf(gone, [])).toBe('request');
    const quoted = 'Nothing to retry in PostPhotoGallery.';
    const idle = new Failure('refused', { what: quoted, code: 'no_thanks', status: 422 });
    expect(causeOf(idle, [])).toBe('request');
    const long = new Failure('refused', { what: 'no', code: 'text_too_long', status: 422 });
    expect(causeOf(long, [])).toBe('content');
  });
});

describe('the cause that a platform’s error is read as', () => {
  const read = causeCases.map(([platform, error, cause, also]) => {
    return { platform, error, cause, also, got: targetCause(platform, error) };
  });
  const said = ({ platform, error, cause, got }: (typeof read)[number]) =>
    `${platform}: ${error}: ${got}, not ${cause}`;

  it('is right for nine cases in ten, and for most with no second answer', () => {
    const wrong = read.filter(({ cause, also, got }) => got !== cause && got !== also);
    const second = read.filter(({ cause, got }) => got !== cause);
    expect(read.length).toBeGreaterThan(300);
    const most = (share: number) => Math.floor(read.length * share);
    // The list itself, so that a failure shows what was read wrongly.
    expect(wrong.map(said).slice(most(0.1))).toEqual([]);
    expect(second.map(said).slice(most(0.15))).toEqual([]);
  });

  it('is never temporary for what needs a person', () => {
    const vain = read.filter(
      ({ cause, also, got }) =>
        got === 'temporary' && cause !== 'temporary' && also !== 'temporary',
    );
    expect(vain.map(said)).toEqual([]);
  });

  it('is known for each of the fourteen platforms, with the page that says so', () => {
    expect(Object.keys(platformReadings).toSorted()).toEqual(Platform.options.toSorted());
    for (const platform of Platform.options) {
      expect(platformReadings[platform]!.source).toMatch(/^[\w.-]+\.\w+\//);
      expect(read.filter((each) => each.platform === platform).length).toBeGreaterThan(7);
    }
  });

  it('takes a code before words, and no word of another platform', () => {
    expect(targetCause('facebook', '(#190) Please try again later')).toBe('reconnect');
    expect(targetCause('facebook', 'Duplicate caption: too long (#4)')).toBe('temporary');
    // The numbers of one platform mean nothing on another.
    expect(targetCause('discord', '(#190)')).toBe('other');
    expect(targetCause('twitter', 'code 50013')).toBe('other');
    expect(targetCause('linkedin', 'SUBREDDIT_NOEXIST')).toBe('other');
  });

  it('does not take an amount for a code', () => {
    expect(targetCause('facebook', 'The caption is too long (2200 characters)')).toBe('content');
    expect(targetCause('facebook', 'The image is 190 pixels wide, which is too small')).toBe(
      'content',
    );
  });

  it('takes no longer for an error without end', () => {
    const long = 'the video image (code post application '.repeat(30_000);
    const started = performance.now();
    for (const platform of Platform.options) targetCause(platform, long);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
