// What became of an item, what the journal keeps of it, and whether the batch goes on: each by the failure alone.

import { describe, expect, it } from 'vitest';
import { Failure, type FailureFacts } from '../../../src/base/errors.ts';
import type { FailureKind } from '../../../src/base/exit-codes.ts';
import {
  type ChangeState,
  outcomeOf,
  stopAfter,
  verdictOf,
} from '../../../src/batch/run/item-verdict.ts';
import type { RateLimiter } from '../../../src/batch/run/rate-limit.ts';

const failure = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
  new Failure(kind, { what: 'it failed', ...facts });
const state = (accepted: boolean): ChangeState => ({ intended: true, accepted, sent: true });

describe('the verdict', () => {
  const rejected = failure('unauthorized', { status: 401 });
  const forbidden = failure('unauthorized', { status: 403 });
  const cut = failure('interrupted');
  const lost = failure('interrupted', { outcome: 'unknown' });
  it.each([
    ['ok', undefined, true, false],
    ['ok', undefined, false, true],
    ['unknown', failure('outcome_unknown'), true, false],
    ['unknown', failure('outcome_unknown', { status: 401 }), true, true],
    ['accepted', failure('still_pending'), true, true],
    ['accepted', failure('still_pending', { status: 401 }), false, false],
    ['unstarted', rejected, true, false],
    ['failed', rejected, true, true],
    ['failed', forbidden, true, false],
    ['failed', failure('refused'), true, false],
    ['failed', failure('ended_badly'), true, true],
    ['unstarted', cut, false, false],
    ['unstarted', lost, false, false],
    ['unstarted', cut, false, true],
    ['accepted', cut, true, true],
    ['accepted', lost, true, true],
    ['unknown', lost, true, false],
    ['unstarted', cut, true, false],
    ['unstarted', failure('terminated'), true, false],
    ['unknown', failure('hung_up', { outcome: 'unknown' }), true, false],
  ] as const)('is %s', (verdict, why, isChange, accepted) => {
    expect(verdictOf(why, isChange, state(accepted))).toBe(verdict);
  });
});

describe('the journal keeps', () => {
  const [refused, badly] = [failure('refused'), failure('ended_badly')];
  it.each([
    ['done', undefined, 'ok', true],
    ['done', undefined, 'ok', false],
    ['unsent', failure('interrupted'), 'unstarted', true],
    ['unsent', undefined, 'skipped', true],
    ['accepted', refused, 'failed', true],
    ['accepted', failure('still_pending'), 'accepted', true],
    ['accepted', undefined, 'accepted', true],
    ['failed', badly, 'failed', true],
    ['failed', badly, 'failed', false],
    ['failed', refused, 'failed', false],
    ['unknown', failure('outcome_unknown'), 'unknown', false],
    ['unknown', badly, 'unknown', true],
    ['accepted', failure('outcome_unknown'), 'unknown', true],
  ] as const)('%s', (outcome, why, verdict, accepted) => {
    expect(outcomeOf(why, verdict, state(accepted))).toBe(outcome);
  });
});

describe('a batch', () => {
  const stopOf = (why: Failure | undefined, down?: Failure) =>
    stopAfter(why, { down: () => down } as unknown as RateLimiter);

  it('goes on after what is about one record', () => {
    expect(stopOf(undefined)).toBeUndefined();
    expect(stopOf(failure('refused', { status: 422 }))).toBeUndefined();
    expect(stopOf(failure('unauthorized', { status: 403 }))).toBeUndefined();
  });

  it('stops after a refused token, with all that is known of it', () => {
    const known = { status: 401, next: 'social auth login', code: 'c', requestId: 'r' };
    const facts = { ...known, what: 'HTTP 401 c: No.', lead: 'HTTP 401 c', host: 'a.example' };
    const stop = stopOf(failure('unauthorized', facts), failure('rate_limited'));
    expect(stop).toBeInstanceOf(Failure);
    expect([stop!.kind, stop!.facts]).toEqual([
      'unauthorized',
      {
        ...facts,
        what: 'stopped: the service would reject all other requests too',
        why: ['last: HTTP 401 c from a.example: No.'],
      },
    ]);
  });

  it.each<readonly [Failure, FailureKind, object]>([
    [
      failure('no_answer', { what: 'lost', sent: true, requestId: 'r1' }),
      'batch_failed',
      {
        what: 'stopped: service unavailable',
        why: ['last: lost'],
        sent: true,
        retryable: false,
        requestId: 'r1',
      },
    ],
    [
      failure('no_answer', { what: 'refused', sent: false }),
      'batch_failed',
      {
        what: 'stopped: service unavailable',
        why: ['last: refused'],
        sent: false,
        retryable: false,
      },
    ],
    [
      failure('rate_limited', { what: 'slow', retryAfterMs: 4_000_000 }),
      'rate_limited',
      {
        what: 'stopped: the service asks to wait 67 minutes',
        why: ['last: slow'],
        sent: false,
        retryable: false,
      },
    ],
    [
      failure('rate_limited', { what: 'slow' }),
      'rate_limited',
      {
        what: 'stopped: the service asks to wait',
        why: ['last: slow'],
        sent: false,
        retryable: false,
      },
    ],
  ])('stops where the service is down: %#', (down, kind, facts) => {
    const stop = stopOf(undefined, down)!;
    expect([stop.kind, stop.facts]).toEqual([kind, facts]);
  });
});
