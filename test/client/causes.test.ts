// Whose turn it is after a failure, by what the platforms say of it.

import { describe, expect, it } from 'vitest';
import {
  causeOf,
  causeOfTargets,
  targetCause,
  targetErrorLines,
  targetErrorsIn,
  targetsTone,
  withCauses,
  type Cause,
} from '../../src/client/causes.ts';
import { platformReadings } from '../../src/client/platform-causes.ts';
import { Platform } from '../../src/api/schema/platforms.ts';
import { Failure } from '../../src/base/errors.ts';
import type { FailureKind } from '../../src/base/exit-codes.ts';
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
    const accepted = new Failure('interrupted', { what: 'stopped', outcome: 'accepted' });
    expect(causeOf(accepted, [])).toBe('other');
    expect(causeOf(settledBadly, [{ platform: '', error: 'No.' }])).toBe('other');
  });

  it.each<readonly [FailureKind, Cause]>([
    ['unauthorized', 'token'],
    ['rate_limited', 'temporary'],
    ['no_answer', 'temporary'],
    ['outcome_unknown', 'unknown'],
    ['interrupted', 'unknown'],
    ['terminated', 'unknown'],
    ['hung_up', 'unknown'],
    ['not_found', 'request'],
    ['refused', 'request'],
    ['local_io', 'other'],
    ['ended_badly', 'other'],
  ])('is by its kind, of %s: %s', (kind, cause) => {
    expect(causeOf(new Failure(kind, { what: 'no' }), [])).toBe(cause);
  });

  it('is by the words of the failure only where no target says anything', () => {
    const said = (targets: readonly string[], facts: { what: string; code?: string }) =>
      causeOf(
        new Failure('ended_badly', facts),
        targets.map((error) => ({ platform: '', error })),
      );
    expect(said([], { what: 'The caption is too long.' })).toBe('content');
    expect(said([], { what: 'LinkedIn answered 503.' })).toBe('temporary');
    expect(said(['No.'], { what: 'The caption is too long.' })).toBe('other');
    expect(said(['No.'], { what: 'No.', code: 'caption_too_long' })).toBe('content');
    expect(said(['Try again.'], { what: 'No.', code: 'caption_too_long' })).toBe('temporary');
  });

  it('of several targets is what comes first for a person', () => {
    const errors = ['Try again.', 'Too long.', 'Blocked.', 'Token expired.', 'No.'];
    const first = (from: number, to?: number) =>
      causeOfTargets(errors.slice(from, to).map((error) => ({ platform: '', error })));
    expect([first(0), first(0, 3), first(2, 3), first(0, 1), first(4)]).toEqual([
      'reconnect',
      'content',
      'platform',
      'temporary',
      'other',
    ]);
    expect(
      causeOfTargets(['Blocked.', 'Try again.'].map((error) => ({ platform: '', error }))),
    ).toBe('platform');
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

/** Other spellings of the same, and codes without words that say as much. */
const spellings: readonly (readonly [platform: string, cause: Cause, errors: readonly string[]])[] =
  [
    ['', 'reconnect', ['Please log in.', 'The login is gone.', 'You are logged out.']],
    ['', 'reconnect', ['A user who is unauthorised', 'A user who is unauthorized']],
    ['', 'temporary', ['It timed out.', 'A timeout', 'A time-out', 'RateLimit', 'ratelimit']],
    [
      '',
      'platform',
      ['The daily share limit of a member', 'The posting limit', 'It was takendown'],
    ],
    ['', 'platform', ['It was taken down.', 'The page is gone.', 'The pages are gone.']],
    [
      '',
      'content',
      ['The link is broken.', 'Links are broken.', 'One grapheme more', 'A byte more'],
    ],
    ['', 'content', ['A character more', 'Characters are left.', 'Bytes are left.']],
    [
      'linkedin',
      'temporary',
      ['The video: read ECONNRESET', 'The image: bad gateway', 'Video: EPIPE'],
    ],
    ['linkedin', 'temporary', ['The image: Gateway timeout!!', 'The image: gateway time-out.']],
    ['linkedin', 'content', ['Service unavailable for an image of this length']],
    [
      'twitter',
      'content',
      ['The author restricted replies. (433)', 'The media category is not open to the session.'],
    ],
    [
      'twitter',
      'content',
      ['mediaid: no session', 'invalidmedia: no session', 'invalid media: session'],
    ],
    [
      'twitter',
      'content',
      ['The gif you sent here exceeds it: session', 'The image not taken: session'],
    ],
    [
      'twitter',
      'content',
      ['The post was deleted in this session.', 'The tweet of it was deleted: session'],
    ],
    [
      'twitter',
      'reconnect',
      ['{"type":"https://api.twitter.com/2/problems/unsupported-authentication"}'],
    ],
    ['twitter', 'platform', ['usagecap: token', 'usage-cap: token', 'credits depleted: token']],
    [
      'twitter',
      'platform',
      ['creditdepleted: token', 'client forbidden: token', 'clientforbidden: token'],
    ],
    [
      'twitter',
      'reconnect',
      ['unauthorised caption', 'unauthorized caption', 'not authorised: caption'],
    ],
    ['twitter', 'reconnect', ['not authorized: caption']],
    [
      'twitter',
      'temporary',
      ['An internal error of the session', 'The session timed out', 'session timeout'],
    ],
    ['twitter', 'temporary', ['session time out', 'An internal server error: session']],
    ['linkedin', 'reconnect', ['Error 65604 of a video', 'The video: serviceErrorCode 65604']],
    [
      'linkedin',
      'temporary',
      ['The video is processing', 'Video status: processed', 'Video status processing'],
    ],
    ['linkedin', 'temporary', ['The video is not ready', 'The video is not yet available']],
    ['linkedin', 'platform', ['application call limit: token', 'member day limit: token']],
    [
      'linkedin',
      'platform',
      ['member per day limit: token', 'application limit: token', 'day-limit, spam'],
    ],
    ['linkedin', 'reconnect', ['accessdenied for this video', 'organisation role of the video']],
    [
      'linkedin',
      'reconnect',
      ['organization role of the video', 'administrator rights for the image'],
    ],
    [
      'linkedin',
      'reconnect',
      ['admin rights for the image', 'unauthorised image', 'unauthorized image'],
    ],
    [
      'linkedin',
      'temporary',
      ['The session timed out', 'The session: time out', 'A session timeout'],
    ],
    ['linkedin', 'reconnect', ['No permission for guidelines']],
    ['tiktok', 'content', ['spam_risk_text', 'invalid_params: token', 'invalid_param: token']],
    ['tiktok', 'content', ['The caption is open.', 'Its duration in this network']],
    [
      'tiktok',
      'reconnect',
      ['unauthorised title', 'Please authorize the caption', 'login: title', 'log in: title'],
    ],
    [
      'tiktok',
      'temporary',
      ['The session timed out', 'A timeout of the session', 'session time out'],
    ],
    ['pinterest', 'reconnect', ['An image (29)', 'code 3: an image']],
    ['pinterest', 'temporary', ['An image (8)', 'code 12: an image']],
    ['pinterest', 'content', ['Something of the token (235)', 'code 2786: a token']],
    [
      'pinterest',
      'platform',
      ['The max number of pins: token', 'The maximum number of boards: token'],
    ],
    [
      'pinterest',
      'reconnect',
      ['Please authorise the image', 'Please authorize the image', 'login: image'],
    ],
    ['pinterest', 'reconnect', ['log in: image']],
    ['pinterest', 'temporary', ['An image timed out', 'A timeout of an image', 'image: time out']],
    [
      'reddit',
      'content',
      ['BAD_CSS_NAME: login', 'INVALID_LANG: login', 'SUBREDDIT_NO_EXIST: login'],
    ],
    ['reddit', 'content', ['A link of this session']],
    [
      'reddit',
      'temporary',
      ['BAD_GATEWAY: login', 'login timed out', 'login timeout', 'login time out'],
    ],
    ['reddit', 'platform', ['They arent allowed to post: title', 'account too new: title']],
    ['reddit', 'platform', ['An account is suspended: title']],
    [
      'reddit',
      'reconnect',
      ['login: a link', 'log in: a link', 'unauthorised link', 'unauthorized link'],
    ],
    [
      'telegram',
      'temporary',
      ['FLOOD_WAIT_7 of a token', 'FLOODWAIT of a token', 'slow mode: token'],
    ],
    [
      'telegram',
      'temporary',
      ['slowmode: token', 'token timed out', 'token timeout', 'token time out'],
    ],
    [
      'telegram',
      'reconnect',
      ['CHAT_SEND_MEDIA_FORBIDDEN', 'CHAT_WRITE_FORBIDDEN', 'A bot cant: url'],
    ],
    ['telegram', 'reconnect', ["A bot can't: url", 'Forbidden: no guidelines']],
    [
      'telegram',
      'platform',
      ['PREMIUM only: bot token', 'premium only: url', 'It needs boosts: url'],
    ],
    [
      'telegram',
      'content',
      ['webpage of the session', 'web page of the session', 'PHOTO_CROP: bot token'],
    ],
    [
      'discord',
      'temporary',
      ['Unknown channel (40062)', 'token timed out', 'token timeout', 'token time out'],
    ],
    [
      'discord',
      'reconnect',
      ['A length (50001)', 'missing permission: length', 'missing permissions: embed'],
    ],
    ['discord', 'reconnect', ['unauthorised embed', 'unauthorized embed']],
    [
      'discord',
      'platform',
      ['A token (40333)', 'You are banned: embed', 'It is disabled in this session.'],
    ],
    ['discord', 'content', ['A token (50035)']],
    ['bluesky', 'reconnect', ['token expired: blob', 'token has expired: blob']],
    ['bluesky', 'platform', ['Please confirm your email: record', 'confirming email: record']],
    ['bluesky', 'platform', ['confirm email: record']],
    [
      'bluesky',
      'temporary',
      ['A record timed out', 'A timeout of a record', 'record: time out', 'Try again: record'],
    ],
    ['mastodon', 'reconnect', ['invalid_client: image', 'unauthorized_client: image']],
    [
      'mastodon',
      'platform',
      ['Your login is pending: image', 'Your login is currently disabled: image'],
    ],
    ['mastodon', 'content', ['Text cant be blank: login', "Text can't be blank: login"]],
    [
      'mastodon',
      'temporary',
      ['login timed out', 'login timeout', 'login time out', 'remote login'],
    ],
    [
      'facebook',
      'temporary',
      ['{"message":"caption", "is_transient":true}', '"is_transient": true, caption'],
    ],
    ['facebook', 'reconnect', ['session expired: caption', 'session has expired: caption']],
    [
      'facebook',
      'reconnect',
      ['The caption lacks the permission', 'A user who lack the right, old permission: link'],
    ],
    [
      'facebook',
      'reconnect',
      ['caption without permission', 'pages_read: caption', 'threads_basic: caption'],
    ],
    [
      'facebook',
      'platform',
      ['24 hour posts: caption', '24-hour publish: link', 'restrict: link', 'restricted: link'],
    ],
    [
      'facebook',
      'content',
      ['The caption has 190 characters (code 190 characters)', 'code 4.5: caption'],
    ],
    ['facebook', 'content', ['code 4 seconds: a video', 'The video has code 1000.']],
    ['youtube', 'content', ['invalidVideoId: token', 'playlistItemNotFound: token']],
    ['youtube', 'reconnect', ['invalid_grant of a title', 'invalidity of a token']],
    ['youtube', 'platform', ['accessNotConfigured: token']],
    ['youtube', 'platform', ['exceeded your quota: title', 'exceeded the daily number: title']],
    ['youtube', 'platform', ['account closed: title', 'The channel of 2 was suspended: tag']],
    ['youtube', 'platform', ['uploaders terminated: tag', 'uploaderClosed suspended: tag']],
    ['youtube', 'platform', ['termsofuse: title', 'terms of use: title']],
    ['youtube', 'temporary', ['transcod is open: tags', 'Transcoding still runs: tags']],
    [
      'youtube',
      'content',
      ['A tag of the session', 'Its tags of the session', 'badrequest: session'],
    ],
    ['youtube', 'content', ['bad request: session']],
    ['youtube', 'temporary', ['The session timed out', 'A session timeout', 'session time out']],
    ['youtube', 'temporary', ['The session: internal', 'backend of the session']],
    ['googlebusiness', 'reconnect', ['UNAUTHENTICATED per day', 'invalid_grant: daily']],
    [
      'googlebusiness',
      'platform',
      ['SERVICE_DISABLED: insufficient', 'accessNotConfigured: insufficient'],
    ],
    [
      'googlebusiness',
      'platform',
      ['location closed: token', 'The profile of 2 is suspended: token'],
    ],
    [
      'googlebusiness',
      'temporary',
      ['A title timed out', 'A timeout of the title', 'title: time out'],
    ],
    ['discord', 'temporary', ['unauthorized: rate limit']],
    ['twitter', 'reconnect', ['unauthorised: over capacity', 'not authorised: over capacity']],
    ['twitter', 'reconnect', ['unauthorized: over capacity', 'not authorized: over capacity']],
    ['linkedin', 'temporary', ['status: processes, video']],
    [
      'pinterest',
      'platform',
      ['maximum boards: token', 'max boards: token', 'limit of pins: token'],
    ],
    ['reddit', 'content', ['SUBREDDIT_NOEXIST: banned', 'SUBREDDIT_NO_EXIST: banned']],
  ];

/** Cases that are read as their second cause. */
const SECOND_ANSWERS = 3;

describe('the cause that a platform’s error is read as', () => {
  const readAll = () =>
    causeCases.map(([platform, error, cause, also]) => {
      return { platform, error, cause, also, got: targetCause(platform, error) };
    });
  const said = ({ platform, error, cause, got }: ReturnType<typeof readAll>[number]) =>
    `${platform}: ${error}: ${got}, not ${cause}`;

  it('is right for each case, and for all but a few with no second answer', () => {
    const read = readAll();
    expect(read.length).toBeGreaterThan(300);
    const wrong = read.filter(({ cause, also, got }) => got !== cause && got !== also);
    expect(wrong.map(said)).toEqual([]);
    const second = read.filter(({ cause, got }) => got !== cause);
    // The list itself, so that a failure shows what was read otherwise.
    expect(second.map(said).slice(SECOND_ANSWERS)).toEqual([]);
  });

  it('is never temporary for what needs a person', () => {
    const vain = readAll().filter(
      ({ cause, also, got }) =>
        got === 'temporary' && cause !== 'temporary' && also !== 'temporary',
    );
    expect(vain.map(said)).toEqual([]);
  });

  it('is known for each of the fourteen platforms, with the page that says so', () => {
    expect(Object.keys(platformReadings).toSorted()).toEqual(Platform.options.toSorted());
    for (const platform of Platform.options) {
      expect(platformReadings[platform]!.source).toMatch(/^[\w.-]+\.\w+\//);
      expect(causeCases.filter(([on]) => on === platform).length).toBeGreaterThan(7);
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

  it.each<readonly [error: string, cause: Cause]>([
    ['HTTP 401: no', 'reconnect'],
    ['HTTP 401: an error of the platform', 'reconnect'],
    ['HTTP 403: no', 'reconnect'],
    ['(403) no', 'reconnect'],
    ['HTTP 408: no', 'temporary'],
    ['HTTP 429: no', 'temporary'],
    ['HTTP 500: no', 'temporary'],
    ['HTTP 400: no', 'other'],
    ['HTTP 413: no', 'content'],
    ['HTTP 415: no', 'content'],
    ['HTTP 422: no', 'content'],
    ['status: 503', 'temporary'],
    ['"status":503', 'temporary'],
    ['status code 503', 'temporary'],
    ["error code: '503'", 'temporary'],
    ['answered 503 to it', 'temporary'],
    ['503', 'temporary'],
    ['(503) no', 'temporary'],
    ['(408) no', 'temporary'],
    ['(429) no', 'temporary'],
    ['1503 of them', 'other'],
    ['it took 503 of them', 'other'],
  ])('is by the HTTP status where no words say more: %j is %s', (error, cause) => {
    expect(targetCause('', error)).toBe(cause);
  });

  it.each(spellings)('of %s: is %s for %j', (platform, cause, errors) => {
    for (const error of errors)
      expect([error, targetCause(platform, error)]).toEqual([error, cause]);
  });

  it('is that of the words before a busy service, except for words of the content', () => {
    expect(targetCause('linkedin', 'HTTP 503: the video is too large')).toBe('temporary');
    expect(targetCause('linkedin', 'HTTP 503: the member is restricted')).toBe('platform');
    expect(targetCause('linkedin', 'HTTP 401: the member is restricted')).toBe('platform');
    expect(targetCause('linkedin', 'HTTP 401: the video is too large')).toBe('reconnect');
  });

  it('is not read from the host, tags, addresses and names of JSON members', () => {
    for (const error of [
      'HTTP 400 from media.content.test',
      '<title> <image src=text>',
      'see https://media.test/caption/text',
      'see http://media.test/caption',
      '{"caption": 1, "media" : 2}',
    ])
      expect(targetCause('', error)).toBe('other');
    expect(targetCause('', 'see <b>the</b>caption')).toBe('content');
    expect(targetCause('', 'no "caption", no')).toBe('content');
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
    expect(targetCause('', `${'no '.repeat(1500)} caption`)).toBe('other');
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('the targets of a post that did not go out', () => {
  const post = {
    status: 'partial',
    targets: [
      { id: 'a', platform: 'linkedin', status: 'published', error: 'Token expired.' },
      { id: 'b', platform: 'twitter', status: 'failed', error: 'Too long.', accountId: 'Acct' },
      { id: 'c', status: 'failed', error: 'Try again.', accountId: 7 },
      { id: 'd', platform: 'twitter', status: 'failed' },
    ],
  };

  it('are those with an error that are not published, of those asked for', () => {
    const [b, c] = [
      { platform: 'twitter', error: 'Too long.', account: 'Acct' },
      { platform: '', error: 'Try again.' },
    ];
    expect(targetErrorsIn(post)).toEqual([b, c]);
    expect(targetErrorsIn(post, ['a', 'c', 'd'])).toEqual([c]);
    for (const data of [undefined, 'text', {}, { targets: 'none' }])
      expect(targetErrorsIn(data)).toEqual([]);
  });

  it('are shown with their platform and the cause', () => {
    const lines = ['twitter: Too long. (content)', 'Try again. (temporary)'];
    expect(targetErrorLines(post)).toEqual(lines);
    expect(targetErrorLines(post, ['b'])).toEqual([lines[0]]);
    const [a, b, c, d] = post.targets;
    expect(withCauses(post)).toEqual({
      status: 'partial',
      targets: [
        a,
        { ...b, error: 'Too long. (content)' },
        { ...c, error: 'Try again. (temporary)' },
        d,
      ],
    });
    expect(withCauses({ targets: [] })).toEqual({ targets: [] });
    expect(withCauses('text')).toBe('text');
  });

  it('make the post bad, where its own status is not', () => {
    const tone = (status: unknown, ...each: readonly unknown[]) =>
      targetsTone({ status, targets: each.map((one) => ({ status: one })) });
    expect(tone('published', 'published', 'failed')).toBe('bad');
    expect(tone('published', 'published')).toBe('good');
    expect(tone('publishing', 'published')).toBe('moving');
    expect(tone(undefined)).toBe('good');
    expect(tone(7, 7)).toBe('good');
  });
});
