// What of a list is to be done, of each thing once, and what an earlier run has done of it already.

import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/api/operations/define-operation.ts';
import { reply, retry } from '../../../src/api/operations/posts.ts';
import { hashOf } from '../../../src/base/hash.ts';
import { keyOf, type JournalOutcome } from '../../../src/batch/journal/format.ts';
import {
  createClaimLedger,
  earlierOutcomes,
  recordSubject,
} from '../../../src/batch/read/duplicates.ts';

const subjectOf = (input: Input) => recordSubject(retry, input);
const P = 'PostSpringLaunch';
const whole = subjectOf({ postId: P });
const parts = (...targetIds: readonly string[]) => subjectOf({ postId: P, targetIds });
const textOfPart = (id: string) => parts(id).parts[0]!.text;
const idsOf = (claim: ReturnType<ReturnType<typeof createClaimLedger>['claim']>) =>
  typeof claim === 'string' ? claim : claim.map(({ id }) => id);

describe('what a record is about', () => {
  it('is the post, or its targets, each once', () => {
    const text = `{"postId":"${P}"}`;
    expect(whole).toEqual({ whole: text, parts: [] });
    expect(parts('a', 'b', 'a')).toEqual({
      whole: text,
      parts: ['a', 'b'].map((id) => ({ id, text: `{"postId":"${P}","targetIds":["${id}"]}` })),
    });
    // An ID that JSON has to escape, or that is none, is written as JSON has it.
    for (const postId of ['a"b', '"', 'ä', 7])
      expect(subjectOf({ postId }).whole).toBe(JSON.stringify({ postId }));
    const answer = { postId: P, targetId: 'a', text: 'Thanks' };
    const written = JSON.stringify(answer);
    expect(recordSubject(reply, answer)).toEqual({ whole: written, parts: [] });
  });
});

describe('a list that is read twice', () => {
  const ledgerAfter = (...first: readonly (typeof whole)[]) => {
    const ledger = createClaimLedger(hashOf);
    ledger.begin();
    for (const each of first) ledger.claim(each);
    ledger.begin();
    return ledger;
  };

  it('gives the same the second time, each thing once', () => {
    const ledger = ledgerAfter(parts('a', 'b'), parts('b', 'c'));
    expect(ledger.isOverclaimed()).toBe(false);
    expect(idsOf(ledger.claim(parts('a', 'b')))).toEqual(['a', 'b']);
    expect(idsOf(ledger.claim(parts('b', 'c')))).toEqual(['c']);
    expect(idsOf(ledger.claim(parts('c')))).toBe('nothing');
    // Three parts were claimed, and no whole.
    expect([...ledger.claimed()]).toHaveLength(3);
  });

  it('gives nothing that the first reading has not found', () => {
    const other = subjectOf({ postId: 'PostAutumnRecaps' });
    expect(idsOf(ledgerAfter(whole).claim(other))).toBe('unlisted');
    expect(idsOf(ledgerAfter(whole).claim(whole))).toBe('all');
    expect(ledgerAfter(whole, other).isOverclaimed()).toBe(false);
    expect(idsOf(ledgerAfter(parts('a')).claim(whole))).toBe('unlisted');
    expect(idsOf(ledgerAfter(parts('a')).claim(parts('b')))).toBe('unlisted');
    expect(idsOf(ledgerAfter(parts('a')).claim(parts('a', 'b')))).toBe('unlisted');
    expect(idsOf(ledgerAfter(whole).claim(parts('a')))).toBe('unlisted');
  });

  it('gives a post as a whole where it is named so anywhere, and then none of its targets', () => {
    const ledger = createClaimLedger(hashOf);
    ledger.begin();
    expect(idsOf(ledger.claim(parts('a')))).toEqual(['a']);
    expect(idsOf(ledger.claim(whole))).toBe('all');
    expect(idsOf(ledger.claim(parts('b')))).toBe('nothing');
    expect(idsOf(ledger.claim(whole))).toBe('nothing');
    expect(ledger.isOverclaimed()).toBe(true);
  });
});

describe('what an earlier run knows of a record', () => {
  /** A journal that knows these, by the target, `all` being the post. */
  const known = (
    outcomes: Readonly<Record<string, JournalOutcome>>,
    left: readonly JournalOutcome[] = [],
    ended: readonly string[] = [],
  ) => {
    const textOf = (id: string) => (id === 'all' ? whole.whole : textOfPart(id));
    const byKey = new Map(Object.entries(outcomes).map(([id, each]) => [keyOf(textOf(id)), each]));
    const before = (key: string) => byKey.get(key);
    return {
      before,
      hasPart: (_whole: string, as: JournalOutcome) => left.includes(as),
      hasEndedSince: (_whole: string, key: string) =>
        ended.some((id) => keyOf(textOfPart(id)) === key),
      sentParts: () => undefined,
    };
  };

  it.each<
    readonly [
      JournalOutcome | undefined,
      left: readonly JournalOutcome[],
      JournalOutcome | undefined,
      underWay: string | undefined,
    ]
  >([
    [undefined, [], undefined, undefined],
    [undefined, ['unknown'], 'unknown', undefined],
    [undefined, ['accepted'], undefined, 'some'],
    ['failed', [], 'failed', undefined],
    ['failed', ['unknown'], 'unknown', undefined],
    ['failed', ['accepted'], 'failed', 'some'],
    ['unsent', ['unknown', 'accepted'], 'unknown', 'some'],
    ['unknown', ['accepted'], 'unknown', undefined],
    ['accepted', ['unknown', 'accepted'], 'accepted', undefined],
    ['done', ['unknown', 'accepted'], 'done', undefined],
  ])('as a whole: %s, with targets that are %j: %s, under way: %s', (outcome, left, past, way) => {
    const journal = known(outcome === undefined ? {} : { all: outcome }, left);
    expect(earlierOutcomes(journal, whole, 'all')).toEqual({
      past,
      keys: [{ key: keyOf(whole.whole) }],
      parts: undefined,
      underWay: way,
    });
  });

  it.each<
    readonly [
      Readonly<Record<string, JournalOutcome>>,
      JournalOutcome | undefined,
      left: string,
      underWay: string | undefined,
      ended: string,
    ]
  >([
    [{}, undefined, 'a b', undefined, ''],
    [{ a: 'done' }, undefined, 'b', undefined, ''],
    [{ a: 'accepted' }, undefined, 'b', 'a', ''],
    [{ a: 'accepted', b: 'failed' }, 'failed', 'b', 'a', ''],
    [{ a: 'failed', b: 'unknown' }, 'unknown', 'a b', undefined, ''],
    [{ a: 'failed', b: 'done' }, 'failed', 'a', undefined, ''],
    [{ a: 'done', b: 'done' }, 'done', 'a b', undefined, ''],
    [{ a: 'accepted', b: 'done' }, 'accepted', 'a', undefined, ''],
    [{ a: 'accepted', b: 'accepted' }, 'accepted', 'a b', undefined, ''],
    // A request for the post was one for its targets.
    [{ all: 'done' }, 'done', 'a b', undefined, ''],
    [{ all: 'done', a: 'failed' }, 'done', 'a b', undefined, ''],
    [{ all: 'unknown', a: 'done' }, 'unknown', 'b', undefined, ''],
    [{ all: 'accepted' }, 'accepted', 'a b', undefined, ''],
    // Unless it has ended since.
    [{ all: 'accepted', a: 'failed' }, 'failed', 'a', 'b', 'a'],
    [{ all: 'unknown', a: 'failed', b: 'failed' }, 'failed', 'a b', undefined, 'a b'],
    [{ all: 'failed' }, undefined, 'a b', undefined, ''],
    [{ all: 'unknown', a: 'accepted', b: 'accepted' }, 'accepted', 'a b', undefined, ''],
  ])('in parts: %j: %s, left: %s, under way: %s', (outcomes, past, left, underWay, ended) => {
    const subject = parts('a', 'b');
    const journal = known(outcomes, [], ended.split(' '));
    const found = earlierOutcomes(journal, subject, subject.parts);
    expect([found.past, found.underWay]).toEqual([past, underWay?.split(' ')]);
    expect(found.parts!.map(({ id }) => id).join(' ')).toBe(left);
    const of = keyOf(whole.whole);
    expect(found.keys).toEqual(left.split(' ').map((id) => ({ key: keyOf(textOfPart(id)), of })));
  });
});
