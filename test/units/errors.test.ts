// Failures as values: the exit code of each kind, the outcome each means, and all faults of a call as one.

import { describe, expect, it } from 'vitest';
import { Failure, failureKinds, usageFailure, type FailureKind } from '../../src/errors.ts';

describe('the kinds of failure', () => {
  it('end with the exit codes that are promised', () => {
    const codes = Object.values(failureKinds).map(({ exitCode }) => exitCode as number);
    expect(codes.toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 129, 130, 143,
    ]);
    for (const [kind, { exitCode }] of Object.entries(failureKinds))
      expect(new Failure(kind as FailureKind, { what: 'x' }).exitCode).toBe(exitCode);
  });

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

describe('usageFailure', () => {
  const a = { field: '--a', problem: 'is bad', fix: 'make it good' };
  const b = { field: '--b', problem: 'is worse' };

  it('of one fault is that fault', () => {
    expect(usageFailure([a]).facts).toMatchObject({ what: '--a is bad', hint: 'make it good' });
    expect(usageFailure([b]).facts.hint).toBeUndefined();
  });

  it('of several names each, with its remedy', () => {
    const { facts, kind } = usageFailure([a, b], 'social --help');
    expect(kind).toBe('usage');
    expect(facts).toMatchObject({
      what: '2 values are not valid; nothing was sent',
      why: ['--a is bad; make it good', '--b is worse'],
      next: 'social --help',
      details: [a, b],
      sent: false,
    });
  });
});
