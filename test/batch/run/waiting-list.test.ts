// What a batch keeps of the items that it waits for: each comes back as it went in, in the order in which they are due.

import { describe, expect, it } from 'vitest';
import type { AwaitedItem } from '../../../src/batch/run/item.ts';
import { createWaitingList } from '../../../src/batch/run/waiting-list.ts';

const waiting = { intervalMs: 1000, timeoutMs: 60_000 };
type Added = Parameters<ReturnType<typeof createWaitingList>['add']>[0];

const plain = (line: number, more: Partial<AwaitedItem> = {}): AwaitedItem => {
  const input = more.input ?? { postId: `Post${line}` };
  return {
    line,
    input,
    key: `Post${line}`,
    awaited: undefined,
    past: undefined,
    isOthersAlone: false,
    ...more,
  };
};
const waited = (item: AwaitedItem, more: Partial<Added> = {}): Added => ({
  item,
  input: item.input,
  before: undefined,
  wanted: undefined,
  startedAt: 10 * item.line,
  dueAt: 100 * item.line,
  intervalMs: 500,
  failures: 0,
  text: '0 of 1 finished',
  parts: [['linkedin', 'publishing']],
  ...more,
});
const linesOf = (list: ReturnType<typeof createWaitingList>, count: number) =>
  Array.from({ length: count }, () => list.take().item.line);
const standings = (list: ReturnType<typeof createWaitingList>) =>
  [...list.standings()].map(({ text, count }) => [text, count]);

describe('an item that is waited for', () => {
  it.each<readonly [string, AwaitedItem, Partial<Added>]>([
    ['a plain one', plain(1), {}],
    ['with what was there before', plain(1), { before: { status: 'failed' }, wanted: ['T1'] }],
    ['that sends something else', plain(1), { input: { postId: 'Other', targetIds: ['T1'] } }],
    ['with parts', plain(1, { awaited: ['T1'] }), {}],
    ['with parts, that sends something else', plain(1, { awaited: [] }), { input: { a: 'b' } }],
    ['that an earlier run knew', plain(1, { past: 'accepted' }), {}],
    ['of others alone', plain(1, { awaited: ['T1'], isOthersAlone: true }), {}],
    [
      'with all of it',
      plain(1, { input: { é: 1 }, awaited: ['T1', 'T2'], past: 'unknown' }),
      { input: { x: 1 }, before: [0], wanted: ['T2'] },
    ],
    ['that has been asked about', plain(1), { intervalMs: 15_000, failures: 3, dueAt: 12.5 }],
  ])('comes back as it went in: %s', (_what, item, more) => {
    const list = createWaitingList(waiting);
    list.add(waited(plain(7, { input: { other: 'é' } }), { dueAt: 9999 }));
    list.add(waited(item, { dueAt: 5, ...more }));
    const { text, parts, ...rest } = waited(item, { dueAt: 5, ...more });
    const standing = { text, parts, count: 2 };
    expect(list.take()).toEqual({ ...rest, waiting, standing, slot: 1 });
    expect(list.take()).toMatchObject({ item: { line: 7, input: { other: 'é' } }, slot: 0 });
  });

  it('is looked at when it is due, and sleeps again until its next time', () => {
    const list = createWaitingList(waiting);
    expect([list.count(), list.asleep(), list.dueAt()]).toEqual([0, 0, undefined]);
    for (const line of [3, 1, 2]) list.add(waited(plain(line)));
    expect([list.count(), list.asleep(), list.dueAt()]).toEqual([3, 3, 100]);
    const first = list.take();
    expect([first.item.line, list.count(), list.asleep(), list.dueAt()]).toEqual([1, 3, 2, 200]);
    Object.assign(first, { dueAt: 250, intervalMs: 750, failures: 2 });
    list.sleepAgain(first, '1 of 1 finished', []);
    expect([list.asleep(), list.dueAt()]).toEqual([3, 200]);
    expect(linesOf(list, 1)).toEqual([2]);
    expect(list.take()).toMatchObject({
      item: { line: 1 },
      startedAt: 10,
      dueAt: 250,
      intervalMs: 750,
      failures: 2,
      standing: { text: '1 of 1 finished', parts: [], count: 1 },
    });
    expect(linesOf(list, 1)).toEqual([3]);
  });

  it('is forgotten when it has ended, once, and its place is used again', () => {
    const list = createWaitingList(waiting);
    for (const line of [1, 2]) list.add(waited(plain(line)));
    const one = list.take();
    list.end(one);
    expect([list.count(), list.asleep(), standings(list)]).toEqual([
      1,
      1,
      [['0 of 1 finished', 1]],
    ]);
    list.end(one);
    expect([list.count(), standings(list)]).toEqual([1, [['0 of 1 finished', 1]]]);
    list.add(waited(plain(3), { dueAt: 1 }));
    expect(list.take()).toMatchObject({ item: { line: 3 }, slot: one.slot });
    expect(list.count()).toBe(2);
  });

  it('is one of many thousand, each with what is its own', () => {
    const list = createWaitingList(waiting);
    const count = 2500;
    for (let line = count; line > 0; line--)
      list.add(waited(plain(line), { intervalMs: line, failures: line % 7, before: { line } }));
    expect(list.count()).toBe(count);
    const wrong = Array.from({ length: count }, (_, i) => i + 1).filter((line) => {
      const each = list.take();
      if (line % 2 === 0) list.end(each);
      const { item, before, startedAt, dueAt, intervalMs, failures } = each;
      const seen = [item.line, before, startedAt, dueAt, intervalMs, failures];
      return (
        JSON.stringify(seen) !==
        JSON.stringify([line, { line }, 10 * line, 100 * line, line, line % 7])
      );
    });
    expect(wrong).toEqual([]);
    expect([list.count(), list.asleep()]).toEqual([count / 2, 0]);
  });
});

describe('those that are waited for', () => {
  it('are counted by how they stand, and a standing that nobody has is gone', () => {
    const list = createWaitingList(waiting);
    const failed = [['mastodon', 'failed']] as const;
    list.add(waited(plain(1)));
    list.add(waited(plain(2)));
    list.add(waited(plain(3), { parts: failed }));
    expect(standings(list)).toEqual([
      ['0 of 1 finished', 2],
      ['0 of 1 finished', 1],
    ]);
    list.sleepAgain(list.take(), '1 of 1 finished', failed);
    expect(standings(list)).toEqual([
      ['0 of 1 finished', 1],
      ['0 of 1 finished', 1],
      ['1 of 1 finished', 1],
    ]);
    const two = list.take(1);
    list.sleepAgain(two, two.standing.text, two.standing.parts);
    expect(standings(list)).toHaveLength(3);
    for (let i = 0; i < 3; i++) list.end(list.take());
    expect(standings(list)).toEqual([]);
    list.add(waited(plain(4)));
    expect(standings(list)).toEqual([['0 of 1 finished', 1]]);
  });

  it('are named from the one that has been waited for longest', () => {
    const list = createWaitingList(waiting);
    const begins = [50, 20, 70, 10, 60, 30, 40];
    begins.forEach((startedAt, i) =>
      list.add(waited(plain(i), { startedAt, dueAt: 1000 - startedAt })),
    );
    const named = (most: number) => list.oldest(most).map(({ startedAt }) => startedAt);
    expect([named(3), named(1), named(9)]).toEqual([
      [10, 20, 30],
      [10],
      [10, 20, 30, 40, 50, 60, 70],
    ]);
    expect(list.oldest(1)).toEqual([{ input: { postId: 'Post3' }, startedAt: 10 }]);
    list.end([...list.takeAll(10)][0]!);
    expect(named(2)).toEqual([20, 30]);
  });

  it('are taken all at once, or those that have been waited for since a time', () => {
    const list = createWaitingList(waiting);
    for (const line of [1, 2, 3, 4]) list.add(waited(plain(line)));
    const taken = (since?: number) =>
      new Set([...list.takeAll(since)].map(({ item }) => item.line));
    expect([taken(20), list.asleep(), list.count()]).toEqual([new Set([1, 2]), 2, 4]);
    expect(list.dueAt()).toBe(300);
    expect(taken()).toEqual(new Set([3, 4]));
    expect([list.asleep(), list.dueAt()]).toEqual([0, undefined]);
  });
});
