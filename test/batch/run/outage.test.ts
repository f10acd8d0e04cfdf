// When a batch takes the service for down, and when it stops asking.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors.ts';
import type { FailureKind } from '../../../src/base/exit-codes.ts';
import { createOutage } from '../../../src/batch/run/outage.ts';
import { backoff, MOST_FAILURES } from '../../../src/wait/poll.ts';

const failure = (kind: FailureKind) => new Failure(kind, { what: 'lost' });
const random = () => 0.5;

function setup() {
  const clock = { now: 1000 };
  const outage = createOutage({ monotonic: () => clock.now, random });
  const fail = (times: number, wasProbe = false, kind: FailureKind = 'no_answer') => {
    for (let i = 0; i < times; i++) outage.failed(failure(kind), wasProbe);
  };
  return { clock, outage, fail };
}

describe('an outage', () => {
  it('begins with the eighth look in a row without an answer, and ends with an answer', () => {
    const { outage, fail } = setup();
    fail(7);
    expect(outage.isOn()).toBe(false);
    fail(1);
    expect(outage.isOn()).toBe(true);
    outage.answered();
    expect([outage.isOn(), outage.heldUntil(), outage.isFinal()]).toEqual([false, 0, false]);
    fail(7);
    expect(outage.isOn()).toBe(false);
  });

  it('is none where the service refuses', () => {
    const { outage, fail } = setup();
    for (const kind of ['refused', 'rate_limited', 'not_found'] as const) fail(20, true, kind);
    expect([outage.isOn(), outage.heldUntil(), outage.isFinal()]).toEqual([false, 0, false]);
  });

  it('holds the next look back for longer each time that one was made to find out', () => {
    const { clock, outage, fail } = setup();
    fail(8);
    expect(outage.heldUntil()).toBe(0);
    fail(1, true);
    expect(outage.heldUntil()).toBe(1000 + backoff(1, random));
    clock.now = 50_000;
    fail(1, true);
    expect(outage.heldUntil()).toBe(50_000 + backoff(2, random));
    expect(backoff(2, random)).toBeGreaterThan(backoff(1, random));
  });

  it('is final after as many such looks as end a wait', () => {
    const { outage, fail } = setup();
    fail(100);
    fail(MOST_FAILURES - 1, true);
    expect(outage.isFinal()).toBe(false);
    fail(1, true);
    expect(outage.isFinal()).toBe(true);
    outage.answered();
    expect(outage.isFinal()).toBe(false);
  });
});
