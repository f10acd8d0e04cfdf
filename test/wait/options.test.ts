// The values that are read from the flags of a wait.

import { describe, expect, it } from 'vitest';
import { telegramSession } from '../../src/api/operations/connect.ts';
import { retry } from '../../src/api/operations/posts.ts';
import { durationRule } from '../../src/base/durations.ts';
import { waitFlags, waitOptionsOf } from '../../src/wait/options.ts';
import { readTyped } from '../support/typed-flags.ts';

const usual = { intervalMs: 3000, timeoutMs: 600_000 };
const read = (typed: object) => {
  const { flags: values, faults } = readTyped(waitFlags(retry, false), typed);
  return { waiting: waitOptionsOf(values), faults };
};

describe('the flags of a wait', () => {
  it('are optional', () => {
    expect(read({}).waiting).toEqual(usual);
    expect(read({ wait: true })).toEqual({ waiting: usual, faults: [] });
  });

  it('are read for a wait, for a canary, and for both', () => {
    const typed = { interval: '5s', waitTimeout: '2m' };
    const waiting = { intervalMs: 5000, timeoutMs: 120_000 };
    for (const more of [{ wait: true }, { canary: '1' }, { wait: true, canary: '1' }])
      expect(read({ ...typed, ...more })).toEqual({ waiting, faults: [] });
  });

  it('poll a pairing every second, or more slowly', () => {
    const every = (typed: object) =>
      waitOptionsOf(readTyped(waitFlags(telegramSession, true), typed).flags, telegramSession.wait);
    expect(every({})).toEqual({ ...usual, intervalMs: 1000 });
    expect(every({ interval: '100ms' }).intervalMs).toBe(1000);
    expect(every({ interval: '5s' }).intervalMs).toBe(5000);
  });

  it('without a wait are errors', () => {
    const faults = ['--wait-timeout', '--interval'].map((field) => ({
      field,
      problem: 'requires --wait',
    }));
    expect(read({ interval: '5s', waitTimeout: '5s' }).faults).toEqual(faults);
    expect(read({ interval: '5s' }).faults).toEqual(faults.slice(1));
  });

  it('that are invalid are all reported, and then ignored', () => {
    const { waiting, faults } = read({ wait: true, interval: '5', waitTimeout: '25h' });
    expect(waiting).toEqual(usual);
    expect(faults.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      `--wait-timeout ${durationRule}, got "25h"`,
      `--interval ${durationRule}, got "5"`,
    ]);
  });
});
