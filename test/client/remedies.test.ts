// The cause of a failure is read from the code and the words of its platform.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readFailure,
  readTargets,
  type TargetError,
  targetErrorLines,
  targetErrorsIn,
  targetsTone,
  withCauses,
  type Cause,
} from '../../src/client/remedies.ts';
import { type CauseRule, parseCauseRules } from '../../src/client/taught-causes.ts';
import { readCause } from '../../src/client/cause.ts';
import { Platform } from '../../src/api/schema/platforms.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../src/base/errors.ts';

const causeOf = (failure: Failure, targets: readonly TargetError[]) =>
  readFailure(failure, targets, []).cause;
const causeOfTargets = (targets: readonly TargetError[]) => readTargets(targets, []).cause;
const targetCause = (platform: string, error: string) => readCause(platform, error).cause;

const settledBadly = new Failure('ended_badly', { what: '1 of 1 target finished' });

describe('the cause of a failure', () => {
  it('is never called "unknown", which is an outcome', () => {
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
  ])('follows the kind of the failure, %s: %s', (kind, cause) => {
    expect(causeOf(new Failure(kind, { what: 'no' }), [])).toBe(cause);
  });

  it.each([
    [409, 'Post A has the status published; none has failed.', 'request'],
    [409, 'Post A has the status draft.', 'request'],
    [422, 'Post A is being published; wait.', 'request'],
    [422, 'The caption is too long.', 'content'],
  ])('is not read from the state that a refusal with %s names: %s', (status, what, cause) => {
    expect(causeOf(new Failure('refused', { what, status }), [])).toBe(cause);
  });

  it('is that of the platform and of the rules, also where the same error was read before', () => {
    const { rules } = parseCauseRules('*\tcontent\trequest limit', 'rules');
    const none: readonly CauseRule[] = [];
    const read = (error: string) => [
      readCause('instagram', error, none).cause,
      readCause('linkedin', error, none).cause,
      readCause('linkedin', error, rules).cause,
    ];
    const others = Array.from({ length: 1000 }, (_, i) => `Error ${i}`);
    const error = 'Application request limit reached.';
    const causes = [error, error, ...others, error, `${error} ${'.'.repeat(1000)}`].map(read);
    const each = ['unsure', 'temporary', 'content'];
    expect([...causes.slice(0, 2), ...causes.slice(-2)]).toEqual([each, each, each, each]);
  });

  it('follows the message only when no target has an error', () => {
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

  it('of several targets is the most urgent one for a person', () => {
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

  it('is the request when the service itself refused it', () => {
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

  it.each<readonly [what: string, facts: Partial<FailureFacts>, cause: Cause]>([
    ['HTTP 401: Revoked.', { status: 401 }, 'token'],
    ['HTTP 401: a page: "Sign in"', { status: 401, sender: 'gateway' }, 'other'],
    ['HTTP 403: a page: "Token required"', { status: 403, sender: 'gateway' }, 'other'],
    ['HTTP 403: You do not have permission.', { status: 403 }, 'other'],
    ['HTTP 403: Reconnect the account first.', { status: 403 }, 'reconnect'],
    ['HTTP 403: The video is too long.', { status: 403 }, 'content'],
  ])('with a status is of a token for 401 alone: %s', (what, facts, cause) => {
    expect(causeOf(new Failure('unauthorized', { what, ...facts }), [])).toBe(cause);
  });

  it('is read from the details of a response, if its message says nothing', () => {
    const details = [{ field: 'a', message: 'No.' }, { message: 'The video is too long.' }];
    const refused = (what: string, status?: number) =>
      causeOf(new Failure('refused', { what, status, details }), []);
    expect(refused('HTTP 422: No.', 422)).toBe('content');
    expect(refused('HTTP 422: Reconnect first.', 422)).toBe('reconnect');
    // Without a status, the details are our own.
    expect(refused('No.')).toBe('request');
  });

  it('is temporary for a limit, but not for a quota of a month', () => {
    const what = 'HTTP 429: The monthly quota is used up.';
    expect(causeOf(new Failure('rate_limited', { what }), [])).toBe('temporary');
    expect(causeOf(new Failure('rate_limited', { what, isLasting: true }), [])).toBe('platform');
  });
});

/** Other spellings of the same, and codes beside words that say something else. */
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
    ['twitter', 'content', ['The author restricted replies. (433)']],
    ['linkedin', 'reconnect', ['Error 65604 of a video', 'The video: serviceErrorCode 65604']],
    ['tiktok', 'content', ['spam_risk_text', 'invalid_params: token']],
    ['pinterest', 'temporary', ['An image (8)', 'code 12: an image']],
    ['telegram', 'temporary', ['FLOOD_WAIT_7 of a token']],
    ['reddit', 'content', ['SUBREDDIT_NO_EXIST: banned', 'BAD_CSS_NAME: login']],
    ['googlebusiness', 'platform', ['SERVICE_DISABLED: insufficient']],
  ];

/** Platform, text, cause, and where there is one a second that is as good. */
const causeCases = ['causes.tsv', 'unsure.tsv'].flatMap((name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t') as [platform: string, error: string, ...expected: string[]]),
);

describe('the cause of a platform error', () => {
  it.each(causeCases)('%s: %s', (platform, error, ...expected) => {
    expect(expected).toContain(targetCause(platform, error));
  });

  it('is that it may be published already, before all others but a rule of an operator', () => {
    const error = 'HTTP 401 (code 190): the post may be live';
    expect(readCause('facebook', error)).toEqual({
      cause: 'unsure',
      readFrom: '"may be live" in the text',
    });
    const { rules } = parseCauseRules('*\treconnect\tmay be live', 'team.tsv');
    expect(readCause('facebook', error, rules).cause).toBe('reconnect');
    // Two parts of the text say it together.
    expect(readCause('facebook', 'Socket hang up during the publish call').readFrom).toBe(
      '"during the publish" and "Socket hang up" in the text',
    );
    expect(targetCause('facebook', 'Socket hang up during the upload call')).toBe('temporary');
  });

  it('follows codes before words, and ignores words of other platforms', () => {
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
  ])('follows the HTTP status when the message says no more: %j is %s', (error, cause) => {
    expect(targetCause('', error)).toBe(cause);
  });

  it.each(spellings)('of %s: is %s for %j', (platform, cause, errors) => {
    for (const error of errors)
      expect([error, targetCause(platform, error)]).toEqual([error, cause]);
  });

  it('follows the message rather than a busy service, except words about content', () => {
    expect(targetCause('linkedin', 'HTTP 503: the video is too large')).toBe('temporary');
    expect(targetCause('linkedin', 'HTTP 503: the member is restricted')).toBe('platform');
    expect(targetCause('linkedin', 'HTTP 401: the member is restricted')).toBe('platform');
    expect(targetCause('linkedin', 'HTTP 401: the video is too large')).toBe('reconnect');
  });

  it('is not read from hosts, tags, addresses and names of JSON members', () => {
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

  it('does not mistake an amount for a code', () => {
    expect(targetCause('facebook', 'The caption is too long (2200 characters)')).toBe('content');
    expect(targetCause('facebook', 'The image is 190 pixels wide, which is too small')).toBe(
      'content',
    );
  });

  it('is read quickly from an error of any length', () => {
    const long = 'the video image (code post application '.repeat(30_000);
    const started = performance.now();
    for (const platform of Platform.options) targetCause(platform, long);
    expect(targetCause('', `${'no '.repeat(1500)} caption`)).toBe('other');
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('the failed targets of a post', () => {
  const post = {
    status: 'partial',
    targets: [
      { id: 'a', platform: 'linkedin', status: 'published', error: 'Token expired.' },
      { id: 'b', platform: 'twitter', status: 'failed', error: 'Too long.', accountId: 'Acct' },
      { id: 'c', status: 'failed', error: 'Try again.', accountId: 7 },
      { id: 'd', platform: 'twitter', status: 'failed' },
    ],
  };

  it('are those with an error that are not published, among the requested ones', () => {
    const [b, c] = [
      { platform: 'twitter', error: 'Too long.', account: 'Acct' },
      { platform: '', error: 'Try again.' },
    ];
    expect(targetErrorsIn(post)).toEqual([b, c]);
    expect(targetErrorsIn(post, ['a', 'c', 'd'])).toEqual([c]);
    for (const data of [undefined, 'text', {}, { targets: 'none' }])
      expect(targetErrorsIn(data)).toEqual([]);
  });

  it('are shown with platform and cause', () => {
    const lines = ['twitter: Too long. (content)', 'Try again. (temporary)'];
    expect(targetErrorLines(post, undefined, [])).toEqual(lines);
    expect(targetErrorLines(post, ['b'], [])).toEqual([lines[0]]);
    const [a, b, c, d] = post.targets;
    expect(withCauses(post, [])).toEqual({
      status: 'partial',
      targets: [
        a,
        { ...b, error: 'Too long. (content: "Too long")' },
        { ...c, error: 'Try again. (temporary: "Try again")' },
        d,
      ],
    });
    expect(withCauses({ targets: [] }, [])).toEqual({ targets: [] });
    expect(withCauses('text', [])).toBe('text');
  });

  it('fail the post even when its own status is not failed', () => {
    const tone = (status: unknown, ...each: readonly unknown[]) =>
      targetsTone({ status, targets: each.map((one) => ({ status: one })) });
    expect(tone('published', 'published', 'failed')).toBe('bad');
    expect(tone('published', 'published')).toBe('good');
    expect(tone('publishing', 'published')).toBe('moving');
    expect(tone(undefined)).toBe('good');
    expect(tone(7, 7)).toBe('good');
  });
});
