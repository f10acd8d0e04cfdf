// The request made from an input; above all, no ID can change the path that contains it.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillPath, toRequest } from '../../src/client/build-request.ts';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { DiscordId, ForeignId, ResourceId, TelegramSessionId } from '../../src/api/schema/ids.ts';

const run = { seed: 20260302, numRuns: 1000 };

describe('fillPath', () => {
  it.each(['', '.', '..', undefined, null, 5, ['a']])('rejects %j as a segment', (value) => {
    expect(() => fillPath('/v1/ads/audiences/{audienceId}', { audienceId: value })).toThrow(
      new TypeError('audienceId cannot be a path segment'),
    );
  });

  it('makes one segment of every valid id, and the id can be decoded from it', () => {
    const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
    let judged = 0;
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        fc.pre(ForeignId.safeParse(a).success && ForeignId.safeParse(b).success);
        judged++;
        const path = fillPath('/v1/{a}/x/{b}/end', { a, b });
        const { pathname, search, hash } = new URL(`https://h.example${path}`);
        expect(search + hash).toBe('');
        const segments = pathname.split('/');
        expect(segments).toHaveLength(6);
        expect([segments[2], segments[4]].map((each) => decodeURIComponent(each!))).toEqual([a, b]);
      }),
      run,
    );
    expect(judged).toBeGreaterThan(500);
  });

  it('encodes exactly once', () => {
    const ids = { a: 'a/b', b: '%2f' };
    expect(fillPath('/{a}/{b}', ids)).toBe('/a%2Fb/%252f');
    expect(fillPath('/{a}', { a: '{b}', b: 'x' })).toBe('/%7Bb%7D');
    expect(fillPath('/{a}', { a: '$&' })).toBe('/%24%26');
    expect(fillPath('{a}/{b}', { a: '-', b: 'a_b-c' })).toBe('-/a_b-c');
  });
});

describe('the resource ids', () => {
  it('are accepted only in the form of the API document', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.stringMatching(/^[a-zA-Z]{14,18}$/),
      fc.stringMatching(/^[0-9]{0,22}$/),
      fc.stringMatching(/^[0-9a-f]{62,66}$/),
    );
    fc.assert(
      fc.property(any, (text) => {
        const bytes = Buffer.from(text);
        const all = (from: string) =>
          [...bytes].every((byte) => from.includes(String.fromCharCode(byte)));
        const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
        const digits = '0123456789';
        expect(ResourceId.safeParse(text).success).toBe(bytes.length === 16 && all(letters));
        expect(DiscordId.safeParse(text).success).toBe(
          bytes.length >= 1 && bytes.length <= 20 && all(digits),
        );
        expect(TelegramSessionId.safeParse(text).success).toBe(
          bytes.length === 64 && all(`${digits}abcdef`),
        );
      }),
      { ...run, numRuns: 1500 },
    );
  });
});

describe('toRequest', () => {
  const requestOf = async (
    name: string,
    input: object,
    query: readonly (readonly [string, string])[] = [],
  ) => {
    const { operation } = (await everyOperation()).find((each) => each.name === name)!;
    return toRequest(operation, input as never, { baseUrl: 'https://h.example', query });
  };

  it.each<
    readonly [
      what: string,
      name: string,
      input: object,
      query: readonly (readonly [string, string])[],
      url: string,
    ]
  >([
    [
      'encodes a value',
      'redditFlairs',
      { subreddit: 'a b' },
      [],
      '/connect/reddit/flairs?subreddit=a%20b',
    ],
    [
      'adds to it and overrides it, encoded',
      'facebookPages',
      { accountId: 'a' },
      [
        ['account id', 'ü&='],
        ['accountId', 'b'],
      ],
      '/connect/facebook/pages?accountId=b&account%20id=%C3%BC%26%3D',
    ],
    [
      'adds to one where the operation has none',
      'get',
      { postId: 'P' },
      [['debug', '1']],
      '/posts/P?debug=1',
    ],
    [
      'encodes an apostrophe as it would be on its way',
      'get',
      { postId: 'P' },
      [["o'a", "it's"]],
      '/posts/P?o%27a=it%27s',
    ],
  ])('of a query: %s', async (_what, name, input, query, expected) => {
    const { url } = await requestOf(name, input, query);
    expect(url).toBe(`https://h.example/v1${expected}`);
    expect(new URL(url).href).toBe(url);
  });

  it('shares a connection only when repeating is safe and no response can be mixed up', async () => {
    const every = await everyOperation();
    const alone = every.filter(({ operation }) => !operation.sharesConnection);
    expect(alone.map(({ name }) => name).toSorted()).toEqual([
      'blueskySend',
      'create',
      'redditFlairs',
      'reply',
      'sharedAccounts',
      'telegramAccessCode',
    ]);
    expect((await requestOf('retry', { postId: 'x' })).sharesConnection).toBe(true);
  });
});
