// One call and what comes before and after it, with commands of the test's own: which step is taken, and what is kept.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { retry } from '../../src/api/operations/posts.ts';
import { Failure } from '../../src/base/errors.ts';
import type {
  Session,
  CallOutcome,
  NothingToSend,
  Prepared,
  WaitOptions,
} from '../../src/client/session.ts';
import { ReadBefore } from '../../src/client/read-before.ts';
import type { Result } from '../../src/client/read-response.ts';
import { waitOperation } from '../../src/commands/posts/wait.ts';
import {
  callAndWait,
  outcomeOfWait,
  readThenCall,
  waitRequestOf,
} from '../../src/wait/call-and-wait.ts';
import type { WaitRequest } from '../../src/wait/wait.ts';

const waiting: WaitOptions = { intervalMs: 1000, timeoutMs: 5000 };
const input = { postId: 'PostOfATest' };
const shown: Result = { data: { targets: [] }, warnings: [] };
const { signal } = new AbortController();

/** A call whose read before it ends so; it reaches no service. */
function given(prepared: Prepared, operation: Operation = retry) {
  const [notes, asked]: [string[], unknown[]] = [[], []];
  const session = {
    operation,
    hooks: {
      before: async (typed: unknown, { runtime }: Session, waits: boolean) => {
        asked.push([typed, waits]);
        runtime.note('odd');
        return prepared;
      },
    },
    runtime: { note: (line: string) => void notes.push(line), monotonic: () => 7, signal },
  } as unknown as Session;
  return { session, notes, asked };
}
const nothing = (because: NothingToSend['because'], more: Partial<NothingToSend> = {}) =>
  ({ do: 'nothing', because, input, shown, ...more }) as const;

describe('a call that an earlier read made needless', () => {
  it('is not made', async () => {
    const { session, notes, asked } = given(nothing('read'));
    expect(await callAndWait(session, undefined, input)).toEqual({
      ...shown,
      isSkipped: false,
    });
    expect([notes, asked]).toEqual([['odd'], [[input, false]]]);
  });

  const skipped = { 'already publishing': 2 };
  it.each([
    ['moving', true],
    ['done', true],
    ['none', true],
    ['read', false],
  ] as const)(
    'says whether it was skipped, and which targets were: %s',
    async (because, isSkipped) => {
      const { session } = given(nothing(because, { skipped }));
      const result = await callAndWait(session, undefined, input);
      expect(result).toEqual({ ...shown, isSkipped, skipped });
    },
  );

  it('is not waited for when there is nothing to wait for', async () => {
    const { session, asked } = given(nothing('none'));
    expect(await callAndWait(session, waiting, input)).toEqual({ ...shown, isSkipped: true });
    expect(asked).toEqual([[input, true]]);
  });
});

describe('the result of a wait', () => {
  const failure = new Failure('ended_badly', { what: 'failed' });

  it('was skipped when all was done before', () => {
    const skipped = { why: 1 };
    const isSkipped = (prepared: Prepared, ended: CallOutcome = shown) =>
      outcomeOfWait(ended, prepared).isSkipped;
    expect(outcomeOfWait(shown, { do: 'send', input, skipped })).toEqual({
      ...shown,
      isSkipped: false,
      skipped,
    });
    expect(isSkipped(nothing('read'))).toBe(false);
    expect(isSkipped(nothing('moving'))).toBe(false);
    expect(isSkipped(nothing('done'))).toBe(true);
    expect(isSkipped(nothing('none'))).toBe(true);
    const ended = { ...shown, failure };
    expect(isSkipped(nothing('done'), ended)).toBe(false);
    expect(isSkipped(nothing('none'), ended)).toBe(true);
  });
});

describe('the wait after a call', () => {
  const part = (id: string, status: string) => ({
    id,
    platform: 'linkedin',
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
  });
  const state = (status: string) => ({
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
    error: undefined,
  });
  const post = (...targets: readonly object[]): Result => ({
    data: { targets },
    warnings: [],
    serverTime: 9000,
  });
  const read = post(part('A', 'failed'), part('B', 'published'));
  const before = new ReadBefore(read, { monotonic: () => 0, now: () => 0 });
  const answer = post(part('A', 'publishing'), part('C', 'publishing'));

  const after = (prepared: Prepared, answered: Result = answer, operation: Operation = retry) =>
    waitRequestOf(operation, { answer: answered, prepared, startedAt: 7 }, waiting);
  const acceptedIn = ({ accepted }: WaitRequest) =>
    [...accepted!].map(([id, one]) => [
      id,
      ...[one.before, one.answered].map((states) => states.map(({ status }) => status).join()),
    ]);

  it('is for the targets that the call started, and knows their earlier state', () => {
    expect(after({ do: 'send', input: { postId: 'Other' }, before })).toEqual({
      input: { postId: 'Other' },
      waiting,
      first: answer,
      wanted: ['A', 'C'],
      accepted: new Map([
        ['A', { before: [state('failed')], answered: [state('publishing')], date: 9000 }],
      ]),
      isAccepted: true,
    });
  });

  it('is for the named targets, and those that an earlier run has sent', () => {
    const named = { ...input, targetIds: ['A'] };
    const one = after({ do: 'send', input: named, before });
    expect([one.wanted, acceptedIn(one)]).toEqual([['A'], [['A', 'failed', 'publishing']]]);
    const accepted = new Map([['C', { before: [], answered: [], isEarlier: true }]]);
    const both = after({ do: 'send', input: named, before, wanted: ['A', 'C'], accepted });
    expect([both.wanted, both.first]).toEqual([['A', 'C'], answer]);
    expect(acceptedIn(both)).toEqual([
      ['C', '', ''],
      ['A', 'failed', 'publishing'],
    ]);
    const again = after({ do: 'send', input: { ...input, targetIds: ['C'] }, before, accepted });
    expect(again.accepted!.get('C')!.isEarlier).toBeUndefined();
  });

  it('begins with the state before the call if the answer lacks a target, or is about another post', () => {
    const first = { ...answer, data: read.data };
    for (const data of [
      {},
      { ...(answer.data as object), id: 'Q' },
      post(part('C', 'failed')).data,
    ])
      expect(after({ do: 'send', input, before }, { ...answer, data })).toMatchObject({
        first: { ...first, data: read.data },
        wanted: ['A'],
      });
  });

  it('is for all targets when their earlier state is unknown and none is in progress', () => {
    const none = post(part('A', 'failed'), part('B', 'published'));
    const request = after({ do: 'send', input }, none);
    expect([request.first, request.wanted]).toEqual([none, undefined]);
    expect(acceptedIn(request)).toEqual([
      ['A', '', 'failed'],
      ['B', '', 'published'],
    ]);
  });

  it('of a change begins now, of a read with its first poll; nothing sent is nothing accepted', () => {
    const idle = after(nothing('moving', { wanted: ['B'] }), shown);
    expect(idle).toMatchObject({ wanted: ['B'], first: shown, isAccepted: false });
    expect(idle.startedAt).toBeUndefined();
    const accepted = new Map([['B', { before: [], answered: [] }]]);
    expect(after(nothing('moving', { accepted }), shown).isAccepted).toBe(true);
    const wait = after(nothing('read', { accepted }), shown, waitOperation);
    expect([wait.isAccepted, wait.startedAt, wait.accepted]).toEqual([false, 7, accepted]);
    const sent = after({ do: 'send', input, wanted: ['A'] }, answer, waitOperation);
    expect(sent).toEqual({ input, waiting, first: answer, wanted: ['A'], startedAt: 7 });
  });
});

it('the first read of a wait ends with the wait', async () => {
  const session = {
    operation: waitOperation,
    hooks: {
      before: (_input: unknown, { runtime }: Session) =>
        new Promise((_resolve, reject) => {
          runtime.signal.addEventListener('abort', () => reject(runtime.signal.reason as Error));
        }),
    },
    runtime: { monotonic: () => 7, signal },
  } as unknown as Session;
  const start = performance.now();
  const short = { intervalMs: 1, timeoutMs: 10 };
  await expect(readThenCall(session, input, short)).rejects.toMatchObject({
    kind: 'no_answer',
    facts: { timedOut: true },
  });
  expect(performance.now() - start).toBeLessThan(5000);
});

describe('a failed call', () => {
  const failing = (error: Error, hooks: object) =>
    ({
      operation: retry,
      hooks,
      runtime: { monotonic: () => 0 },
      get service() {
        throw error;
      },
    }) as unknown as Session;
  const refused = new Failure('refused', { what: 'no' });
  const fault = new Error('a fault of the program');

  it('is explained by its command, if that knows more', async () => {
    const more = new Failure('refused', { what: 'no', hint: 'h' });
    const seen: unknown[] = [];
    const failed = async (...about: readonly unknown[]) => {
      seen.push(about.slice(0, 2));
      throw more;
    };
    const call = (error: Error, hooks: object) =>
      callAndWait(failing(error, hooks), undefined, input);
    await expect(call(refused, { failed })).rejects.toBe(more);
    expect(seen).toEqual([[refused, input]]);
    await expect(call(refused, {})).rejects.toBe(refused);
    await expect(call(fault, { failed })).rejects.toBe(fault);
    await expect(call(fault, {})).rejects.toBe(fault);
    expect(seen).toHaveLength(1);
  });
});
