// Failures as values: the exit code of each kind, the outcome each means, and all faults of a call as one.

import { describe, expect, it } from 'vitest';
import {
  afterSending,
  Failure,
  type FailureFacts,
  type FailureKind,
  failureKinds,
  headed,
  headlineOf,
  internalFailure,
  isSignal,
  signalOf,
  usageFailure,
} from '../../src/base/errors.ts';

describe('the kinds of failure', () => {
  it.each([
    ['outcome_unknown', undefined, 'unknown'],
    ['outcome_unknown', 502, 'unknown'],
    ['refused', 409, 'refused'],
    ['refused', 200, 'refused'],
    ['unauthorized', 401, 'refused'],
    ['unauthorized', undefined, 'none'],
    ['not_found', 404, 'refused'],
    ['rate_limited', 429, 'refused'],
    ['no_answer', 502, 'none'],
    ['no_answer', undefined, 'none'],
    ['usage', undefined, 'none'],
    ['interrupted', undefined, 'none'],
  ] as const)('%s with status %s has the outcome %s', (kind, status, outcome) => {
    const facts = { what: 'x', ...(status === undefined ? {} : { status }) };
    expect(new Failure(kind, facts).outcome).toBe(outcome);
  });
});

describe('a failure', () => {
  it('is an error with a name, a message and a cause', () => {
    const cause = new Error('below');
    const failure = new Failure('refused', { what: 'no', cause });
    expect(failure).toBeInstanceOf(Error);
    expect(failure).toMatchObject({ name: 'Failure', message: 'no', cause });
  });

  it('can set an outcome that differs from the default of its kind', () => {
    for (const outcome of ['unknown', 'none'] as const)
      for (const kind of ['interrupted', 'outcome_unknown', 'refused'] as const)
        expect(new Failure(kind, { what: 'x', status: 409, outcome }).outcome).toBe(outcome);
  });

  it.each(Object.keys(failureKinds) as FailureKind[])(
    '%s was or was not caused by a signal',
    (kind) => {
      expect(isSignal(kind)).toBe(['interrupted', 'terminated', 'hung_up'].includes(kind));
    },
  );

  it('has the exit code of the signal that caused it', () => {
    for (const [kind, { exitCode }] of Object.entries(failureKinds))
      expect(signalOf(exitCode)).toBe(isSignal(kind as FailureKind) ? kind : undefined);
  });

  it.each<readonly [FailureKind, Partial<FailureFacts>, string]>([
    ['refused', { what: 'HTTP 409: No' }, 'HTTP 409: No'],
    ['refused', headed('HTTP 409', '', 'No'), 'HTTP 409: No'],
    ['refused', { what: 'HTTP 409: No', host: 'a.example' }, 'HTTP 409: No'],
    [
      'refused',
      { ...headed('HTTP 409', '', 'No'), host: 'a.example' },
      'HTTP 409 from a.example: No',
    ],
    [
      'refused',
      { ...headed('HTTP 409', '', 'No'), host: 'sandbox' },
      'HTTP 409 from the sandbox: No',
    ],
    [
      'no_answer',
      { ...headed('No response', ' in 5s'), host: 'a', attempts: 2 },
      'No response from a in 5s (2 attempts)',
    ],
    [
      'no_answer',
      { ...headed('HTTP 503', '', 'No'), host: 'a', attempts: 3 },
      'HTTP 503 from a (3 attempts): No',
    ],
    ['no_answer', { what: 'HTTP 409: No', attempts: 2 }, 'HTTP 409: No (2 attempts)'],
    ['no_answer', { what: 'HTTP 409: No', attempts: 1 }, 'HTTP 409: No'],
    [
      'rate_limited',
      { ...headed('HTTP 429', '', 'No'), host: 'a', attempts: 3 },
      'HTTP 429 from a: No',
    ],
    ['declined', { what: 'not confirmed', nothingWas: 'sent' }, 'not confirmed; nothing was sent'],
    ['interrupted', { what: 'cancelled', nothingWas: 'changed' }, 'cancelled; nothing was changed'],
  ])('of kind %s with %j has the headline %s', (kind, facts, headline) => {
    expect(headlineOf(new Failure(kind, { what: '', ...facts }))).toBe(headline);
  });

  it('with another headline does not name the host in it', () => {
    const failure = new Failure('refused', { ...headed('HTTP 409', '', 'No'), host: 'a.example' });
    expect(headlineOf(failure.with({ what: 'stopped' }))).toBe('stopped');
    expect(headlineOf(failure.with({ hint: 'wait' }))).toBe('HTTP 409 from a.example: No');
  });

  it('that is a bug keeps its cause, and names no issue address when none is set', () => {
    const cause = new TypeError('boom');
    expect(internalFailure(cause)).toMatchObject({ kind: 'internal', exitCode: 1, cause });
    expect(internalFailure(cause).facts).toEqual({
      what: 'internal error',
      hint: 'run again with --debug to see where it happened',
      next: ['social', 'doctor', '--json'],
      cause,
    });
  });
});

describe('an error after a request was sent', () => {
  it.each(['interrupted', 'terminated', 'hung_up'] as const)(
    'from %s is cancelled, and marked as sent',
    (kind) => {
      const reason = new Failure(kind, { what: 'cancelled', sent: false, hint: 'h' });
      const told = afterSending(reason, { outcome: 'none' }) as Failure;
      expect({ kind: told.kind, facts: told.facts }).toEqual({
        kind,
        facts: { what: 'cancelled', sent: true, hint: 'h', outcome: 'none' },
      });
      expect((afterSending(reason) as Failure).facts.outcome).toBeUndefined();
    },
  );

  it('from a bug keeps its message', () => {
    const told = afterSending(internalFailure(new Error('boom'))) as Failure;
    expect(told.facts).toMatchObject({ what: internalFailure(0).facts.what, sent: true });
  });

  it('that is not a Failure becomes an internal error', () => {
    const reason = new TypeError('boom');
    expect(afterSending(reason)).toBe(reason);
  });
});

describe('usageFailure', () => {
  const a = { field: '--a', problem: 'is bad', fix: 'make it good' };
  const b = { field: '--b', problem: 'is worse' };

  it('of one fault is the message of that fault', () => {
    const shared = { sent: false, retryable: false };
    expect(usageFailure([a]).facts).toEqual({
      what: '--a is bad',
      hint: 'make it good',
      details: [a],
      ...shared,
    });
    expect(usageFailure([b], ['social', '--help']).facts).toEqual({
      what: '--b is worse',
      next: ['social', '--help'],
      details: [b],
      ...shared,
    });
  });

  it('of no faults has no field', () => {
    expect(usageFailure([]).facts).toMatchObject({ what: '0 errors', why: [] });
  });

  it('of several faults names each with its remedy', () => {
    const { facts, kind } = usageFailure([a, b], ['social', '--help']);
    expect(kind).toBe('usage');
    expect(facts).toStrictEqual({
      what: '2 errors',
      nothingWas: 'sent',
      why: ['--a is bad; make it good', '--b is worse'],
      next: ['social', '--help'],
      slip: undefined,
      details: [a, b],
      sent: false,
      retryable: false,
    });
  });
});
