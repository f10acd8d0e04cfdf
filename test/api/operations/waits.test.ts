// The judges of a wait: every status, alone and beside others, and the name of each verdict.

import { describe, expect, it } from 'vitest';
import {
  type TargetState,
  targetsOf,
  unknownStatuses,
  isPosted,
  isRetryable,
} from '../../../src/api/schema/post.ts';
import { get } from '../../../src/api/operations/posts.ts';
import {
  judgePairing,
  judgeTargets,
  retriedTargets,
  waitForPairing,
  waitForTargets,
} from '../../../src/api/operations/waits.ts';

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
const atOnce = { elapsedMs: 0 };

describe('the targets of a response', () => {
  it('are returned unchanged', () => {
    const targets = [target('published'), target('whatever')];
    expect(targetsOf({ targets })).toBe(targets);
    expect(targetsOf({ targets: [] })).toEqual([]);
  });

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

  it('report each unlisted status once', () => {
    const odd = [target('rehearsing'), target('failed'), target('rehearsing'), target('x')];
    expect(unknownStatuses(post(...odd))).toEqual(['rehearsing', 'x']);
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

describe('the targets of a retry that names none', () => {
  it('are those that had failed and those now publishing, each once', () => {
    const [a, c] = [target('failed'), target('failed')];
    const [b, d] = [target('published'), target('published')];
    const answer = post({ ...a, status: 'publishing' }, b, c, { ...d, status: 'rehearsing' });
    expect(retriedTargets(post(a, b, c, d), answer)).toEqual([a.id, c.id, d.id]);
  });

  it('are all targets of the post when none had failed', () => {
    const there = [target('published'), target('cancelled')];
    expect(retriedTargets(post(...there), post(...there))).toBeUndefined();
  });
});

describe('targets', () => {
  const judge = (...targets: readonly TargetState[]) =>
    judgeTargets(post(...targets), all, { elapsedMs: 60_000 });

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
        facts: { what: 'the post has no target TargetOther', sent: true, retryable: false },
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

describe('a target that still reads as failed after a retry', () => {
  const failed = target('failed');
  const after = (elapsedMs: number, now: TargetState, before: readonly TargetState[]) =>
    judgeTargets(post(now), { ...all, before: post(...before) }, { elapsedMs }).state;

  it('has not started for the first 30 seconds', () => {
    expect(after(0, failed, [failed])).toBe('pending');
    expect(after(29_999, failed, [target('published'), failed])).toBe('pending');
    expect(after(30_000, failed, [failed])).toBe('ended_badly');
  });

  it.each([
    ['changed since', { ...failed, updatedAt: LATER }, [failed]],
    ['was not there before', failed, [target('failed')]],
    ['did not fail before', failed, [{ ...failed, status: 'publishing' }]],
    ['settled otherwise', { ...failed, status: 'cancelled' }, [failed]],
    [
      'was cancelled before as well',
      { ...failed, status: 'cancelled' },
      [{ ...failed, status: 'cancelled' }],
    ],
    ['has nothing before it', failed, []],
  ])('is done when it %s', (_what, now, before) => {
    expect(after(0, now, before)).toBe('ended_badly');
  });
});

describe('a pairing', () => {
  const now = Date.parse(T);

  it.each([
    [{ status: 'pending_start', expiresAt: LATER }, 'pending', 'pending_start'],
    [{ status: 'pending' }, 'pending', 'pending'],
    [{ status: 'new' }, 'pending', 'new'],
    [{ status: 'pending', expiresAt: T }, 'ended_badly', `expired at ${T}`],
    [{ status: 'pending', expiresAt: 'soon' }, 'pending', 'pending'],
    [{ status: 'connected', account: {} }, 'done', 'paired'],
    [{ status: 'revoked', account: {}, expiresAt: T }, 'done', 'paired'],
    [{ status: 'revoked', account: null }, 'ended_badly', 'ended as revoked, without an account'],
    [{ status: 'revoked', account: 'A' }, 'ended_badly', 'ended as revoked, without an account'],
    [{ status: 'not pending' }, 'ended_badly', 'ended as not pending, without an account'],
    [null, 'ended_badly', 'ended without a status or an account'],
  ])('%j is %s: %s', (pairing, state, standing) => {
    expect(judgePairing(pairing, { now })).toEqual({ state, standing });
  });
});

describe('the wait for a post', () => {
  const wait = () => waitForTargets(get);
  const [bad, moving] = [target('failed'), target('publishing', { platform: 'mastodon' })];

  it('shows each target by its platform and id', () => {
    const data = post(bad, moving);
    expect([...wait().statesOf(data)]).toEqual([
      [`linkedin ${bad.id}`, 'failed'],
      [`mastodon ${moving.id}`, 'publishing'],
    ]);
  });

  it('starts from the first response that has its targets, or from the state before the call', () => {
    const [before, answer] = [post(bad), post({ ...bad, status: 'publishing' }, moving)];
    const begin = (awaited: object, response: unknown = answer) =>
      wait().begin!('P', response, { before, ...awaited });
    expect(begin({})).toEqual({ state: answer, wanted: [bad.id, moving.id] });
    expect(begin({ wanted: [moving.id] })).toEqual({ state: answer, wanted: [moving.id] });
    expect(begin({ before: undefined })).toEqual({ state: answer, wanted: undefined });
    for (const other of [{}, { ...answer, id: 'Q' }, post(moving)])
      expect(begin({}, other)).toEqual({ state: before, wanted: [bad.id] });
  });

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

  it('reports an unlisted status', () => {
    expect(judgeTargets(post(target('odd\n'), moving), all, atOnce).remarks).toEqual([
      'unknown status "odd⏎": still waiting in case it changes',
    ]);
    expect(judgeTargets(post(moving), all, atOnce).remarks).toEqual([]);
  });

  it('is resumed by a command that names its targets', () => {
    expect(wait().resume!(['P', 'Q'], {})).toBe('posts wait P Q');
    expect(wait().resume!(['P'], { wanted: ['A', 'B'] })).toBe(
      'posts wait P --target A --target B',
    );
  });
});

describe('the wait for a pairing', () => {
  const wait = () => waitForPairing('session');

  it.each([
    [{ status: 'new', expiresAt: T }, 'new'],
    [{ status: 5 }, '-'],
    [null, '-'],
  ])('of %j shows the status %s', (data, status) => {
    expect([...wait().statesOf(data)]).toEqual([['pairing', status]]);
  });

  it('that fails names the pairing and the next step', () => {
    const judge = (data: object) => wait().judge(data, {}, { elapsedMs: 0, now: Date.parse(T) });
    expect(judge({ status: 'pending', expiresAt: T })).toEqual({
      state: 'ended_badly',
      standing: `session expired at ${T}`,
      hint: 'this pairing cannot be resumed: start a new one at the service',
    });
    expect(judge({ status: 'new' })).toEqual({ state: 'pending', standing: 'new' });
  });
});
