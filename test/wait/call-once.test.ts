// One call and what comes before and after it, with commands of the test's own: which step is taken, and what is kept.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { retry } from '../../src/api/operations/posts.ts';
import { Failure } from '../../src/base/errors.ts';
import type { BeforeResult, CallContext, WaitOptions } from '../../src/client/call-context.ts';
import {
  callAndWait,
  outcomeOfWait,
  readThenCall,
  waitRequestOf,
} from '../../src/wait/call-and-wait.ts';

const waiting: WaitOptions = { intervalMs: 1000, timeoutMs: 5000 };
const input = { postId: 'PostOfATest' };
const instead = { data: { targets: [] }, warnings: [] };

/** A call whose look before it gives this; it reaches no service. */
function given(step: BeforeResult, operation: Operation = retry) {
  const [notes, asked]: [string[], unknown[]] = [[], []];
  const callContext = {
    operation,
    hooks: {
      before: async (typed: unknown, { runtime }: CallContext, waits: boolean) => {
        asked.push([typed, waits]);
        runtime.note('odd');
        return step;
      },
    },
    runtime: { note: (line: string) => void notes.push(line), mark: 'kept' },
  } as unknown as CallContext;
  return { callContext, notes, asked };
}

describe('a call that an earlier read made needless', () => {
  it('is not made', async () => {
    const { callContext, notes, asked } = given({ input, instead });
    expect(await callAndWait(callContext, undefined, input)).toEqual({
      ...instead,
      isSkipped: false,
    });
    expect([notes, asked]).toEqual([['odd'], [[input, false]]]);
  });

  const skipped = { 'already publishing': 2 };
  it.each<readonly [Partial<BeforeResult>, object]>([
    [{ idle: 'moving' }, { isSkipped: true }],
    [{ idle: 'done' }, { isSkipped: true }],
    [{ idle: 'nothing' }, { isSkipped: true }],
    [{ skipped }, { isSkipped: false, skipped }],
  ])('says whether it was skipped, and which targets were: %j', async (step, result) => {
    const { callContext } = given({ input, instead, ...step });
    expect(await callAndWait(callContext, undefined, input)).toEqual({ ...instead, ...result });
  });

  it('is not waited for when there is nothing to wait for', async () => {
    const { callContext, asked } = given({ input, instead, idle: 'nothing' });
    expect(await callAndWait(callContext, waiting, input)).toEqual({
      ...instead,
      isSkipped: true,
    });
    expect(asked).toEqual([[input, true]]);
  });
});

describe('the result of a wait', () => {
  const failure = new Failure('ended_badly', { what: 'failed' });

  it('was skipped when all was done before', () => {
    expect(outcomeOfWait(instead, {})).toEqual({ ...instead, isSkipped: false });
    expect(outcomeOfWait(instead, { idle: 'moving' })).toEqual({ ...instead, isSkipped: false });
    expect(outcomeOfWait(instead, { idle: 'done' })).toEqual({ ...instead, isSkipped: true });
    expect(outcomeOfWait(instead, { idle: 'nothing' })).toEqual({ ...instead, isSkipped: true });
    const ended = { ...instead, failure };
    expect(outcomeOfWait(ended, { idle: 'done' })).toEqual({ ...ended, isSkipped: false });
    expect(outcomeOfWait(ended, { idle: 'nothing' })).toEqual({ ...ended, isSkipped: true });
    expect(outcomeOfWait(ended, { skipped: { why: 1 } })).toEqual({
      ...ended,
      isSkipped: false,
      skipped: { why: 1 },
    });
  });
});

describe('the wait after a call', () => {
  const part = (id: string, status: string) => ({
    id,
    platform: 'linkedin',
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
  });
  const before = { targets: [part('A', 'failed'), part('B', 'published')], more: 'x' };
  const answer = {
    data: { targets: [part('A', 'publishing'), part('C', 'publishing')] },
    warnings: [],
  };

  const requestAfter = async (callContext: CallContext) =>
    waitRequestOf(callContext.operation, await readThenCall(callContext, input, true), waiting);

  it('is for the targets that the call started, and knows their earlier state', async () => {
    const { callContext } = given({ input: { postId: 'Other' }, instead: answer, before });
    expect(await requestAfter(callContext)).toEqual({
      input: { postId: 'Other' },
      waiting,
      first: answer,
      before,
      wanted: ['A', 'C'],
      isAccepted: true,
    });
  });

  it('is for the named targets, and not for a change if none was needed', async () => {
    const step = { input, instead: answer, before, wanted: ['B'], idle: 'moving' } as const;
    const { callContext } = given(step);
    expect(await requestAfter(callContext)).toMatchObject({ wanted: ['B'], isAccepted: false });
  });

  it('is for all targets when their earlier state is unknown', async () => {
    const { callContext } = given({ input, instead: answer });
    expect(await requestAfter(callContext)).toEqual({
      input,
      waiting,
      first: answer,
      before: undefined,
      wanted: undefined,
      isAccepted: true,
    });
  });

  it('is for all targets when the operation has no initial state', async () => {
    const { begin: _none, ...wait } = retry.wait!;
    const { callContext } = given({ input, instead: answer, before }, { ...retry, wait });
    expect(await requestAfter(callContext)).toMatchObject({
      first: answer,
      before,
      wanted: undefined,
    });
  });
});

describe('a failed call', () => {
  const failing = (error: Error, hooks: object) =>
    ({
      operation: retry,
      hooks,
      get service() {
        throw error;
      },
      get runtime() {
        throw error;
      },
      get settings() {
        throw error;
      },
    }) as unknown as CallContext;
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
