// The flags of a wait by themselves: what an operation offers of them, and what is read of what was typed.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { get, retry } from '../../src/api/operations/posts.ts';
import { telegramSession } from '../../src/api/operations/connect.ts';
import { durationRule } from '../../src/base/durations.ts';
import { defaultWaitOptions, parseWaitOptions, waitFlags } from '../../src/wait/options.ts';

const usual = { intervalMs: 3000, timeoutMs: 600_000 };
const none = { waiting: undefined, canaryWaiting: undefined };
const timed = [
  {
    flags: '--wait-timeout <duration>',
    description: 'Maximum wait time (default 10m)',
  },
  {
    flags: '--interval <duration>',
    description: 'Initial polling interval (default 3s, up to 15s)',
  },
];
const unwaited: Operation = get;

describe('the flags of a wait', () => {
  it('are those that the operation has use for', () => {
    expect(waitFlags(unwaited, false)).toEqual([]);
    expect(waitFlags(telegramSession, false)).toEqual([
      { flags: '-w, --wait', description: 'Wait until paired or expired' },
      ...timed,
    ]);
    expect(waitFlags(retry, true)).toEqual(timed);
    expect(waitFlags(retry, false)).toEqual([
      { flags: '-w, --wait', description: 'Wait until all targets are published or failed' },
      ...timed,
    ]);
  });

  it('need not be typed', () => {
    expect(defaultWaitOptions).toEqual(usual);
    expect(parseWaitOptions(retry, {})).toEqual({ ...none, faults: [] });
    expect(parseWaitOptions(retry, { wait: true })).toEqual({
      waiting: usual,
      canaryWaiting: undefined,
      faults: [],
    });
  });

  it('are read for a wait, for a canary, and for both', () => {
    const typed = { interval: '5s', waitTimeout: '2m' };
    const waiting = {
      intervalMs: 5000,
      timeoutMs: 120_000,
    };
    const read = (more: object) => parseWaitOptions(retry, { ...typed, ...more });
    expect(read({ wait: true })).toEqual({ waiting, canaryWaiting: undefined, faults: [] });
    expect(read({ canary: '1' })).toEqual({
      waiting: undefined,
      canaryWaiting: waiting,
      faults: [],
    });
    expect(read({ wait: true, canary: '1' })).toEqual({
      waiting,
      canaryWaiting: waiting,
      faults: [],
    });
  });

  it('mean nothing for what is not waited for', () => {
    expect(parseWaitOptions(unwaited, { wait: true, interval: 'x' })).toEqual({
      ...none,
      faults: [],
    });
  });

  it('without a wait are faults', () => {
    expect(parseWaitOptions(retry, { interval: '5s', waitTimeout: '5s' })).toEqual({
      ...none,
      faults: ['--interval', '--wait-timeout'].map((field) => ({
        field,
        problem: 'requires --wait',
      })),
    });
    expect(parseWaitOptions(retry, { interval: '5s' }).faults).toEqual([
      { field: '--interval', problem: 'requires --wait' },
    ]);
    expect(parseWaitOptions(retry, { wait: false, waitTimeout: '5s' }).waiting).toBeUndefined();
  });

  it('that are wrong are told all at once, and are as if they had not been typed', () => {
    const { waiting, faults } = parseWaitOptions(retry, {
      wait: true,
      interval: '5',
      waitTimeout: '25h',
    });
    expect(waiting).toEqual(usual);
    expect(faults.map(({ field }) => field)).toEqual(['--interval', '--wait-timeout']);
    expect(faults.map(({ problem }) => problem)).toEqual([
      `${durationRule}, got "5"`,
      `${durationRule}, got "25h"`,
    ]);
  });
});
