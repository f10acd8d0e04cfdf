// The warnings about a response that differs from the API document: differences that may mislead, and values that are
// only new.

import { describe, expect, it } from 'vitest';

import { targetPost, targets } from '../support/posts.ts';
import { get } from '../../src/api/operations/posts.ts';
import { schemaMismatches, differentId } from '../../src/client/check-response.ts';
import { facebookPages, telegramSession } from '../../src/api/operations/connect.ts';

const read = get;
const fine = targetPost([targets.linkedin('published')]);
const misfits = (data: unknown) => schemaMismatches(read, data);

describe('response data', () => {
  it('with a missing or wrong field is reported with the path', () => {
    const { title, ...rest } = fine;
    expect(title).toBe('A post');
    expect(misfits({ ...rest, tags: 'none', targets: [{ ...fine.targets[0], id: 5 }] })).toEqual([
      expect.stringMatching(/^the response’s tags does not match the API document: ./),
      expect.stringMatching(/^the response’s targets\.0\.id does not match the API document: ./),
    ]);
    const { status, ...without } = fine;
    expect(status).toBe('published');
    expect(misfits(without)).toEqual(['the response lacks status']);
    const { createdBy, ...less } = without;
    expect(createdBy).toBeDefined();
    expect(misfits({ ...less, tags: 'none' })).toEqual([
      'the response lacks createdBy, status',
      expect.stringMatching(/^the response’s tags does/),
    ]);
  });

  it.each([
    [{ targets: undefined }, 'the response lacks targets'],
    [{ status: null }, 'the response’s status does not match the API document'],
    [{ createdAt: '2026-02-30T00:00Z' }, 'the response’s createdAt'],
    [{ createdAt: '2026-03-01T24:00Z' }, 'the response’s createdAt'],
  ])('with %j is reported', (change, warning) => {
    expect(misfits({ ...fine, ...change })).toEqual([expect.stringContaining(warning)]);
  });

  it('with values that the document does not list, or very large integers, is not reported', () => {
    expect(misfits({ ...fine, targets: [targets.linkedin('brand_new')] })).toEqual([]);
    const replies: unknown = JSON.parse('{"status":{"repliesCount":9007199254740993}}');
    expect(schemaMismatches(facebookPages, replies)).toEqual([]);
  });

  it.each([
    [20, []],
    [21, ['the response differs in 1 more places']],
    [30, ['the response differs in 10 more places']],
  ])('that is wrong in %i places names twenty of them', (count, more) => {
    const wrong = Array.from({ length: count }, () => ({ ...fine.targets[0], id: 5 }));
    const warnings = misfits({ ...fine, targets: wrong });
    expect(warnings).toHaveLength(20 + more.length);
    expect(warnings.slice(20)).toEqual(more);
  });
});

describe('a response', () => {
  const input = { postId: 'PostSpringLaunch' };

  it.each([
    [undefined],
    [null],
    ['PostOtherPostsAA'],
    [{}],
    [{ id: 5 }],
    [{ id: null }],
    [{ id: 'PostSpringLaunch' }],
    [{ postId: 'PostOtherPostsAA' }],
    [Object.create({ id: 'PostOtherPostsAA' }) as object],
  ])('such as %j is not about another resource', (data) => {
    expect(differentId(read, input, data)).toBeUndefined();
  });

  it('is about another resource when its id differs, which is named unless it is secret', () => {
    expect(differentId(read, input, { id: 'PostOtherPostsAA' })).toBe(
      'another post (PostOtherPostsAA)',
    );
    const session = telegramSession;
    expect(differentId(session, { sessionId: 'mine' }, { sessionId: 'other' })).toBe(
      'another session',
    );
  });

  it('cannot be about another resource when none was requested', () => {
    expect(differentId(read, {}, { id: 'PostOtherPostsAA' })).toBeUndefined();
  });
});
