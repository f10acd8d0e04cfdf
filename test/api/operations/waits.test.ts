// The judges of a wait: every status, alone and beside others, and the name of each verdict.

import { describe, expect, it } from 'vitest';
import {
  type TargetState,
  targetsOf,
  isPosted,
  isRetryable,
} from '../../../src/api/schema/post.ts';
import type { PollTime } from '../../../src/api/operations/define-operation.ts';
import { seenIn, statesOf } from '../../../src/api/operations/part-states.ts';
import { judgePairing, judgeTargets, waitForPairing } from '../../../src/api/operations/waits.ts';

const T = '2026-03-02T12:00:00.000Z';
const LATER = '2026-03-02T12:00:01.000Z';
let count = 0;
const target = (status: string, more: Partial<TargetState> = {}): TargetState => ({
  id: `Target${++count}`,
  platform: 'linkedin',
  status,
  updatedAt: T,
  ...more,
});
const post = (...targets: readonly TargetState[]) => ({ targets });
const all = { wanted: undefined };
const atOnce = { elapsedMs: 0, now: Date.parse(T) };

describe('the targets of a response', () => {
  it.each([
    [undefined],
    [{ targets: {} }],
    [{ targets: [null] }],
    [{ targets: [{ status: 'failed' }] }],
    [{ targets: [{ id: 1, status: 'failed' }] }],
    [{ targets: [{ id: 'A', status: 1 }] }],
    [{ targets: [target('failed'), { id: 'B' }] }],
  ])('are undefined when the response is %j', (answer) => {
    expect(() => targetsOf(answer)).toThrow(
      expect.objectContaining({
        kind: 'no_answer',
        facts: {
          what: 'the response lacks targets with a status',
          sent: true,
          retryable: false,
        },
      }),
    );
  });
});

describe('a target', () => {
  it.each([
    [undefined, false],
    [null, false],
    ['', false],
    ['12', true],
    [0, true],
    [{}, true],
  ])('with post id %j is read as one of the post: %s', (platformPostId, posted) => {
    expect(isPosted({ platformPostId })).toBe(posted);
    expect(isRetryable(target('failed', { platformPostId }))).toBe(!posted);
  });

  it.each(['published', 'publishing', 'scheduled', 'cancelled', 'draft', 'action_required', 'x'])(
    'that is %s cannot be retried',
    (status) => {
      expect(isRetryable(target(status))).toBe(false);
    },
  );
});

describe('targets', () => {
  const judge = (...targets: readonly TargetState[]) =>
    judgeTargets(post(...targets), all, { ...atOnce, elapsedMs: 60_000 });

  it.each([
    ['published', 'done'],
    ['publishing', 'pending'],
    ['scheduled', 'pending'],
    ['rehearsing', 'pending'],
    ['failed', 'ended_badly'],
    ['cancelled', 'ended_badly'],
    ['draft', 'ended_badly'],
    ['action_required', 'ended_badly'],
  ])('%s are %s', (status, state) => {
    expect(judge(target(status)).state).toBe(state);
    expect(judge(target('published'), target(status)).state).toBe(state);
  });

  it('are counted: those that are done, of those waited for', () => {
    const good = target('published');
    const moving = target('publishing');
    const one = { state: 'pending', standing: '0 of 1 target finished', good: [] };
    expect(judge(moving)).toMatchObject(one);
    const two = { state: 'pending', standing: '2 of 3 targets finished', good: [good.id] };
    expect(judge(target('failed'), good, moving)).toMatchObject(two);
    const done = { state: 'done', standing: '1 of 1 target finished', good: [good.id] };
    expect(judge(good)).toMatchObject(done);
  });

  it('that failed are named by status and platform, each platform once', () => {
    const bad = [
      target('failed', { platform: 'mastodon' }),
      target('failed', { platform: 'mastodon' }),
      target('failed', { platform: 'twitter' }),
      target('cancelled'),
    ];
    const good = target('published');
    expect(judge(good, ...bad)).toMatchObject({
      state: 'ended_badly',
      standing: '3 of 5 targets failed: mastodon, twitter; 1 cancelled: linkedin',
      bad: bad.map(({ id }) => id),
      good: [good.id],
    });
  });

  it('that are listed twice count once', () => {
    const bad = target('failed');
    expect(judge(bad, bad)).toMatchObject({
      standing: '1 of 1 target failed: linkedin',
      bad: [bad.id],
    });
  });

  it('are limited to the requested ones', () => {
    const [good, bad] = [target('published'), target('failed')];
    const wanted = (...ids: readonly string[]) =>
      judgeTargets(post(good, bad), { ...all, wanted: ids }, atOnce);
    expect(wanted(good.id)).toMatchObject({
      state: 'done',
      standing: '1 of 1 target finished',
      good: [good.id],
    });
    expect(wanted(bad.id)).toMatchObject({ state: 'ended_badly', bad: [bad.id] });
  });

  it('that the post does not have are not waited for', () => {
    expect(() =>
      judgeTargets(post(target('published')), { ...all, wanted: ['TargetOther'] }, atOnce),
    ).toThrow(
      expect.objectContaining({
        kind: 'not_found',
        facts: {
          what: 'the post has no target TargetOther',
          hint: 'its targets: linkedin Target52',
          sent: true,
          retryable: false,
        },
      }),
    );
  });

  it('are not a success when there are none', () => {
    expect(judge()).toMatchObject({ state: 'ended_badly', standing: 'the post has no targets' });
    expect(judgeTargets(post(target('failed')), { ...all, wanted: [] }, atOnce).state).toBe(
      'ended_badly',
    );
  });
});

describe('targets after a retry', () => {
  const failed = target('failed');
  const accepted = (more: object = {}) =>
    new Map([
      [failed.id, { before: statesOf(seenIn(post(failed), 0), failed.id), answered: [], ...more }],
    ]);
  const judge = (now: TargetState, subject: object, time: Partial<PollTime> = {}) =>
    judgeTargets(post(now), { ...all, ...subject }, { ...atOnce, ...time }).state;

  it('are not judged by a state from a cache, nor by one older than a poll', () => {
    const late = { ...failed, status: 'publishing', updatedAt: LATER };
    const judgeAfter = (time: Partial<PollTime>) => {
      const newest = new Map<string, number>();
      return [judge(late, {}, { newest, ...time }), judge(failed, {}, { newest })];
    };
    expect(judgeAfter({})).toEqual(['pending', 'pending']);
    expect(judgeAfter({ isCached: true })).toEqual(['pending', 'ended_badly']);
  });

  it('that an earlier run has sent had their time by the clock of the service', () => {
    const date = Date.parse(T);
    const at = (sinceMs: number) => ({ serverTime: date + sinceMs });
    const subject = { accepted: accepted({ isEarlier: true, date }) };
    expect(judge(failed, subject, at(29_999))).toBe('pending');
    expect(judge(failed, subject, at(30_000))).toBe('ended_badly');
    // Its own wait began later, whatever the clock of the service says.
    const own = { accepted: accepted({ date }) };
    expect(judge(failed, own, at(30_000))).toBe('pending');
    // Without a clock the time of this wait counts.
    expect(judge(failed, subject)).toBe('pending');
    expect(judge(failed, subject, { elapsedMs: 30_000 })).toBe('ended_badly');
    const undated = { accepted: accepted({ isEarlier: true }) };
    expect(judge(failed, undated, at(86_400_000))).toBe('pending');
  });
});

describe('a pairing', () => {
  const now = Date.parse(T);

  const START = 'waiting for Start in Telegram';
  it.each([
    [{ status: 'pending_start', expiresAt: LATER }, 'pending', START],
    [{ status: 'pending' }, 'pending', START],
    [{ status: 'new' }, 'pending', 'the service says new'],
    [{ status: 'pending', expiresAt: T }, 'ended_badly', `expired at ${T}`],
    [{ status: 'pending', expiresAt: 'soon' }, 'pending', START],
    [{ status: 'connected', account: { accountId: 'A' } }, 'done', 'paired'],
    [{ status: 'revoked', account: { accountId: 'A' }, expiresAt: T }, 'done', 'paired'],
    [
      { status: 'waiting_for_user', expiresAt: LATER },
      'pending',
      'the service says waiting_for_user',
    ],
    [{ status: 'waiting_for_user', expiresAt: T }, 'ended_badly', `expired at ${T}`],
    [{ status: 'connected', account: {} }, 'pending', 'waiting for the account'],
    [{ status: 'connected', account: { accountId: '' } }, 'pending', 'waiting for the account'],
    [{ status: 'revoked', account: null }, 'pending', 'the service says revoked'],
    [{ status: 'revoked', account: 'A' }, 'pending', 'the service says revoked'],
    [{}, 'pending', 'no status yet'],
    [null, 'pending', 'no status yet'],
  ])('%j is %s: %s', (pairing, state, standing) => {
    const verdict = judgePairing(pairing, { now });
    expect(verdict).toMatchObject({ state, standing });
    expect(verdict.hint !== undefined).toBe(standing.startsWith('the service says'));
  });
});

describe('the wait for a post', () => {
  const moving = target('publishing', { platform: 'mastodon' });

  it('lasts at least until the scheduled time of a target', () => {
    const due = target('scheduled');
    const scheduled = { ...post(due, moving), scheduledFor: LATER };
    const dueAt = (data: unknown, wanted?: readonly string[]) =>
      judgeTargets(data, { ...all, wanted }, atOnce).dueAt;
    expect(dueAt(scheduled)).toBe(LATER);
    expect(dueAt(scheduled, [due.id])).toBe(LATER);
    // A time of the target's own comes before that of the post, and the latest counts.
    const own = { ...due, scheduledFor: LATER };
    const early = { ...due, id: 'TargetOfEarlyTim', scheduledFor: T };
    for (const targets of [[own], [own, early], [early, own]])
      expect(dueAt({ ...post(...targets), scheduledFor: T })).toBe(LATER);
    expect(dueAt(post(own, moving))).toBe(LATER);
    expect(dueAt({ ...post(early), scheduledFor: LATER })).toBe(T);
    expect(dueAt(scheduled, [moving.id])).toBeUndefined();
    expect(dueAt({ ...scheduled, scheduledFor: 'soon' })).toBeUndefined();
  });

  it('reports an unlisted status once', () => {
    const twice = [target('odd\n'), target('odd\n')];
    expect(judgeTargets(post(...twice, moving), all, atOnce).remarks).toEqual([
      'unknown status "odd⏎": still waiting in case it changes',
    ]);
    expect(judgeTargets(post(moving), all, atOnce).remarks).toEqual([]);
  });
});

describe('the wait for a pairing', () => {
  it.each([
    [{ status: 'pending' }, 'now waiting for Start in Telegram'],
    [{ status: 'pending_start' }, 'now waiting for Start in Telegram'],
    [{ status: 'pending_confirmation' }, 'done Start, now waiting for confirmation'],
    [{ status: 'opened by a user' }, 'odd the service says opened by a user'],
    [{ status: 'connected' }, 'now waiting for the account'],
    [{ status: '__proto__' }, 'odd the service says __proto__'],
    [{}, 'now no status yet'],
  ])('of %j is at its stage: %s', (data, between) => {
    const stages = waitForPairing('session').stagesOf!(data).map(
      ([place, words]) => `${place} ${words}`,
    );
    expect(stages.join(', ')).toBe(`done code created, ${between}, next connected`);
  });
});
