// A limit is a limit whatever its status, and the pause is the one that was asked for.

import { describe, expect, it } from 'vitest';
import { audiencesDelete } from '../../src/api/operations/ads.ts';
import { get, retry } from '../../src/api/operations/posts.ts';
import { Failure } from '../../src/base/errors.ts';
import { readResponse } from '../../src/client/read-response.ts';

const operations = { read: get, repeatable: audiencesDelete, once: retry };

interface Given {
  readonly body?: string | object;
  readonly headers?: Record<string, string>;
}

function failure(operation: keyof typeof operations, status: number, given: Given = {}): Failure {
  const { body = {}, headers = {} } = given;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    const one = operations[operation];
    readResponse(one, { status, headers, body: text });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it was read as a success');
}

const none = { headers: { 'x-ratelimit-remaining': '0' } };
const coded = (code: string, message = 'No.') => ({ body: { error: { code, message } } });
const saying = (message: string) => ({ body: { message } });

describe('a limit', () => {
  it.each<readonly [status: number, given: Given]>([
    [403, none],
    [400, none],
    [420, none],
    [430, none],
    [403, { headers: { 'ratelimit-remaining': '0' } }],
    [403, { headers: { 'x-rate-limit-remaining': '0.0' } }],
    [403, { headers: { 'x-ratelimit-remaining-minute': '0', 'x-ratelimit-remaining-hour': '9' } }],
    [403, { headers: { 'x-ratelimit-requests-remaining': '0' } }],
    [403, { headers: { 'x-ratelimit-remaining': '0, 0' } }],
    [403, { headers: { ratelimit: 'limit=9, remaining=0, reset=30' } }],
    [403, { headers: { ratelimit: '"burst";r=3;t=1, "day";r=0;t=30' } }],
    [403, { headers: { 'retry-after': '9' } }],
    [403, coded('rate_limit_exceeded')],
    [403, coded('RATE_LIMITED')],
    [409, coded('too_many_requests')],
    [403, coded('Throttling')],
    [
      403,
      {
        body: {
          error: { code: 403, message: 'No.', errors: [{ reason: 'userRateLimitExceeded' }] },
        },
      },
    ],
    [400, { body: { __type: 'com.example#ThrottlingException', message: 'No.' } }],
    [400, { body: { type: 'https://a.example/problems/rate-limit-exceeded', title: 'No.' } }],
    [400, { headers: { 'x-amzn-errortype': 'TooManyRequestsException:http://a.example' } }],
    [403, saying('You have exceeded a secondary rate limit.')],
    [403, saying('API rate limit exceeded for this address')],
    [400, saying('(#4) Application request limit reached')],
    [403, { body: 'Too many requests' }],
    [403, { body: '<title>429 Too Many Requests</title>' }],
    [429, {}],
  ])('with status %i and %j is refused: it is not unknown', (status, given) => {
    for (const name of ['read', 'repeatable', 'once'] as const)
      expect(failure(name, status, given)).toMatchObject({
        kind: 'rate_limited',
        outcome: 'refused',
      });
    // Only a 429 proves for certain that nothing was processed.
    const mostRetries = status === 429 ? undefined : 0;
    expect(failure('once', status, given).facts).toMatchObject({ mostRetries, retryable: true });
    expect(failure('repeatable', status, given).facts.mostRetries).toBeUndefined();
  });

  it.each<readonly [status: number, given: Given, kind: string]>([
    [403, {}, 'unauthorized'],
    [403, { headers: { 'x-ratelimit-remaining': '1' } }, 'unauthorized'],
    [403, { headers: { 'x-ratelimit-remaining': '-1' } }, 'unauthorized'],
    [403, { headers: { 'x-ratelimit-remaining': '10' } }, 'unauthorized'],
    [403, { headers: { ratelimit: '"a";r=10;t=30' } }, 'unauthorized'],
    [403, coded('forbidden', 'You may not change limits.'), 'unauthorized'],
    [401, none, 'unauthorized'],
    [401, coded('rate_limited'), 'unauthorized'],
    [404, none, 'not_found'],
    [404, saying('no such rate limit'), 'not_found'],
    [422, coded('rate_limit_field', 'rate limit must be a number'), 'refused'],
    [422, saying('The daily posting limit of LinkedIn is reached.'), 'refused'],
    [402, coded('quota_exceeded'), 'refused'],
    [400, saying('text is over the limit of 300 characters'), 'refused'],
  ])('is not status %i with %j', (status, given, kind) => {
    for (const name of ['read', 'once'] as const)
      expect(failure(name, status, given).kind).toBe(kind);
  });

  it.each([503, 509, 529])(
    'of an overloaded service, status %i, is a refusal if the service says so',
    (status) => {
      const own = { ...coded('overloaded'), ...none };
      const foreign = { ...saying('rate limit exceeded'), ...none };
      for (const given of [own, foreign])
        for (const name of ['read', 'repeatable'] as const)
          expect(failure(name, status, given)).toMatchObject({
            exitCode: 7,
            facts: { retryable: true },
          });
      expect(failure('once', status, own)).toMatchObject({
        exitCode: 7,
        facts: { retryable: false },
      });
      expect(failure('once', status, foreign).exitCode).toBe(12);
    },
  );

  it('behind a failure of the service may follow a change that was made', () => {
    for (const status of [500, 502, 504]) {
      const given = coded('rate_limited');
      expect(failure('read', status, given).exitCode).toBe(7);
      expect(failure('repeatable', status, given).exitCode).toBe(12);
      expect(failure('once', status, given).exitCode).toBe(12);
    }
  });

  it('in a body with status 200 is one too, and a change is sent once', () => {
    const given = { body: { ok: false, error: 'ratelimited' } };
    expect(failure('read', 200, given)).toMatchObject({ exitCode: 7, facts: { retryable: true } });
    expect(failure('once', 200, given)).toMatchObject({ exitCode: 7, facts: { mostRetries: 0 } });
  });

  it.each<readonly [status: number, given: Given, isLasting: boolean]>([
    [429, coded('insufficient_quota', 'Check your plan.'), true],
    [403, coded('monthly_quota_exceeded'), true],
    [403, coded('dailyLimitExceeded'), true],
    [429, saying('Your monthly quota is reached.'), true],
    [429, { ...saying('Your monthly quota is reached.'), headers: { 'retry-after': '5' } }, false],
    [403, saying('Quota exceeded: requests per minute'), false],
    [429, coded('resource_exhausted', 'Resource has been exhausted (check quota).'), false],
    [403, coded('planLimitReached', 'The quota of your plan is exceeded.'), true],
    [429, {}, false],
  ])('of a day or a plan is not retried: status %i, %j', (status, given, isLasting) => {
    for (const name of ['read', 'once'] as const)
      expect(failure(name, status, given)).toMatchObject({
        kind: 'rate_limited',
        facts: { isLasting, retryable: !isLasting },
      });
  });
});

describe('the pause', () => {
  const date = 'Mon, 02 Mar 2026 12:00:00 GMT';
  const noon = Date.UTC(2026, 2, 2, 12);
  const waitOf = (headers: Record<string, string>, body: object = {}, status = 429) =>
    failure('once', status, { headers: { date, ...headers }, body }).facts.retryAfterMs;

  it.each<readonly [headers: Record<string, string>, seconds: number | undefined]>([
    [{ 'ratelimit-reset': '30' }, 30],
    [{ 'x-ratelimit-reset': '29.2' }, 30],
    [{ 'x-ratelimit-reset-after': '0.529' }, 1],
    [{ 'x-ratelimit-reset': `${noon / 1000 + 45}` }, 45],
    [{ 'x-rate-limit-reset': `${noon / 1000 + 45}` }, 45],
    [{ 'x-ratelimit-reset': `${noon + 44_100}` }, 45],
    [{ 'x-ratelimit-reset': '2026-03-02T12:00:45.000Z' }, 45],
    [{ 'x-ratelimit-reset': `${noon / 1000 - 45}` }, undefined],
    [{ 'x-ratelimit-reset': 'soon' }, undefined],
    [{ 'x-ratelimit-reset': '-5' }, undefined],
    [{ 'x-ratelimit-reset': '1e9' }, undefined],
    [{ 'x-ratelimit-reset': '999999999' }, 999_999_999],
    [{ 'x-ratelimit-reset': '9'.repeat(40) }, 1e9],
    [{ 'retry-after': '7', 'x-ratelimit-reset': '30' }, 7],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset': '30' }, 30],
    [{ ratelimit: 'limit=100, remaining=0, reset=50' }, 50],
    [{ ratelimit: '"burst";r=0;t=5, "day";r=0;t=40, "other";r=9;t=90' }, 40],
    [{ ratelimit: '"default";r=9;t=30' }, undefined],
  ])('of %j is %s seconds', (headers, seconds) => {
    expect(waitOf(headers)).toBe(seconds === undefined ? undefined : seconds * 1000);
  });

  it('is read from a body, after the headers', () => {
    const limited = { message: 'You are being rate limited.', retry_after: 64.57 };
    expect(waitOf({}, limited)).toBe(65_000);
    expect(waitOf({}, { error: { code: 'x', message: 'No.', retryAfter: '3' } })).toBe(3000);
    expect(waitOf({}, { ok: false, parameters: { retry_after: 35 } })).toBe(35_000);
    expect(waitOf({ 'retry-after': '9' }, limited)).toBe(9000);
    expect(waitOf({}, limited, 409)).toBeUndefined();
    for (const retry_after of [-1, '1e3', null, {}, [5]])
      expect(waitOf({}, { retry_after })).toBeUndefined();
  });

  it('until a reset counts only for a limit, or where nothing remains', () => {
    const reset = { 'ratelimit-reset': '30' };
    expect(waitOf(reset, {}, 409)).toBeUndefined();
    expect(waitOf({ ...reset, 'ratelimit-remaining': '4' }, {}, 403)).toBeUndefined();
    expect(waitOf({ ...reset, 'ratelimit-remaining': '0' }, {}, 503)).toBe(30_000);
  });
});
