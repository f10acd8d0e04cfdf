// The failures at the end of a wait, and of one that cannot succeed, without a service; and the lines that show a wait.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { telegramSession } from '../../src/api/operations/connect.ts';
import { retry } from '../../src/api/operations/posts.ts';
import { Failure } from '../../src/base/errors.ts';
import { waitOperation } from '../../src/commands/posts/posts.ts';
import type { CallContext, CommandHooks } from '../../src/client/call-context.ts';
import {
  changeLines,
  sayIfTooLate,
  stoppedWaiting,
  waitFailure,
  waitParts,
  type WaitRequest,
} from '../../src/wait/wait.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const request: WaitRequest = {
  input: { postId: 'PostOfATest' },
  waiting: { intervalMs: 3000, timeoutMs: 600_000 },
  wanted: ['TargetA'],
  before: undefined,
};

function context(operation: Operation = retry, hooks: CommandHooks = {}) {
  const notes: string[] = [];
  const runtime = { now: () => NOON, note: (line: string) => void notes.push(line) };
  const settings = { context: 'prod' };
  const flags = {};
  return {
    notes,
    context: { operation, hooks, runtime, settings, flags } as unknown as CallContext,
  };
}

const resumed = 'social -C prod posts wait PostOfATest --target TargetA';
const last = { data: { id: 'seen' }, warnings: [] };

describe('the result of a wait', () => {
  it('that succeeds has no failure', () => {
    const verdict = { state: 'done', standing: 'there' } as const;
    expect(waitFailure({ last, verdict }, context().context, request)).toEqual({});
  });

  it('that fails says so, with the advice of the command', () => {
    const verdict = { state: 'ended_badly', standing: '1 failed', bad: ['TargetA'] } as const;
    const asked: unknown[] = [];
    const { context: given } = context(retry, {
      advise: {
        afterWait(outcome) {
          asked.push(outcome);
          return { next: 'social posts retry' };
        },
        afterBatch: () => ({ hints: [] }),
      },
    });
    const { failure, bad } = waitFailure({ last, verdict }, given, request);
    expect([failure!.kind, bad]).toEqual(['ended_badly', ['TargetA']]);
    expect(failure!.facts).toEqual({
      what: '1 failed',
      next: 'social posts retry',
      sent: true,
      retryable: false,
    });
    expect(asked).toEqual([{ data: last.data, input: request.input, bad: ['TargetA'] }]);
  });

  it('that fails names the next step', () => {
    const verdict = { state: 'ended_badly', standing: 'expired', hint: 'start a new one' } as const;
    const { failure, bad } = waitFailure({ last, verdict }, context().context, request);
    expect(bad).toEqual([]);
    expect(failure!.facts).toEqual({
      what: 'expired',
      hint: 'start a new one',
      sent: true,
      retryable: false,
    });
  });
});

describe('a wait that is cut short', () => {
  it('by the user shows the last state, if it is known', () => {
    const failure = new Failure('interrupted', { what: 'cancelled', hint: 'h' });
    const stopped = (standing?: string) =>
      stoppedWaiting(failure, standing, context().context, request);
    expect(stopped('0 of 1').kind).toBe('interrupted');
    expect(stopped('0 of 1').facts).toEqual({
      what: 'stopped waiting: 0 of 1',
      hint: 'h',
      sent: true,
      isWaiting: true,
      next: resumed,
    });
    expect(stopped().facts.what).toBe('stopped waiting');
  });

  it('has a placeholder for an id that is a credential', () => {
    const { context: given } = context(telegramSession);
    expect(
      stoppedWaiting(new Failure('interrupted', { what: 'x' }), '', given, request),
    ).toMatchObject({
      facts: { next: 'social -C prod connect telegram session <session-id> --wait' },
    });
  });
});

describe('a scheduled post', () => {
  const said = (left: number, serverTime?: number) => {
    const dueAt = new Date(NOON + left).toISOString();
    const { notes, context: given } = context();
    sayIfTooLate({ serverTime }, { dueAt }, given, request);
    return notes.map((note) => note.replace(dueAt, 'THEN'));
  };
  const late = (left: string) => [
    `post PostOfATest is scheduled for THEN (in ${left}), but this wait ends after 10m`,
  ];

  it('with a time after the timeout is reported', () => {
    expect(said(7_200_000)).toEqual(late('2h'));
    expect(said(600_001)).toEqual(late('10m 1s'));
    expect(said(600_000)).toEqual([]);
    expect(said(-1)).toEqual([]);
  });

  it('is judged by the clock of the service', () => {
    expect(said(7_200_000, NOON + 7_000_000)).toEqual([]);
    expect(said(600_000, NOON - 3_600_000)).toEqual(late('1h 10m'));
  });
});

/** A post whose targets have these statuses. */
const post = (...statuses: readonly string[]) => ({
  id: 'PostOfATest',
  status: 'publishing',
  targets: statuses.map((status, i) => ({
    id: `Target${i}`,
    platform: 'linkedin',
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
  })),
});

describe('the lines of status changes', () => {
  it('have each status at first, and then the changed ones', () => {
    const changes = changeLines(waitOperation, false);
    expect(changes(post('publishing', 'failed'), 0)).toEqual([
      '+0s linkedin Target0 publishing',
      '+0s linkedin Target1 failed',
    ]);
    expect(changes(post('publishing', 'failed'), 1499)).toEqual([]);
    expect(changes(post('published', 'failed'), 1500)).toEqual([
      '+2s linkedin Target0 publishing → published',
    ]);
  });

  it('spell out the signs in accessible mode', () => {
    const changes = changeLines(waitOperation, true);
    changes(post('publishing'), 0);
    expect(changes(post('published'), 3000)).toEqual([
      '+3s linkedin Target0 publishing, now published',
    ]);
  });
});

it('the line of a wait says how it stands, and how long it has been and will be', () => {
  expect(waitParts('1 of 2', 1500, 60_000)).toEqual(['1 of 2; timeout in 59s', '; 1s elapsed']);
  expect(waitParts('1 of 2', 61_000, 60_000).join('')).toContain('timeout in 0s; 1m 1s elapsed');
});
