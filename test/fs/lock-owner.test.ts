// The owner of a lock: how a process is identified, and when it is known to be dead or alive.

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname, uptime, userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  isProvablyAlive,
  isProvablyDead,
  isRunning,
  processId,
  newOwner,
} from '../../src/fs/lock.ts';
import { currentUser, whoAndWhere } from '../../src/fs/permissions.ts';
import { needsUnix } from '../support/unix.ts';

const here = newOwner();
/** The id of a process that has ended. */
const gone = spawnSync(process.execPath, ['-e', '']).pid;
const onLinux = process.platform === 'linux';

describe('this process', () => {
  it('is identified by its id, start, machine and system', () => {
    needsUnix('owners and modes');
    expect(here).toMatchObject({ pid: process.pid, host: hostname() });
    expect(processId()).toBe(process.pid);
    expect(newOwner()).toEqual({
      ...here,
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    expect(currentUser()).toEqual({ uid: process.getuid!(), gid: process.getgid!() });
  });

  it.runIf(onLinux)('is described by the kernel’s values', () => {
    needsUnix('devices and no /proc');
    const stat = fs.readFileSync('/proc/self/stat', 'latin1');
    expect(here.startedAt).toBe(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const [pids, times] = ['pid', 'time'].map((name) => fs.readlinkSync(`/proc/self/ns/${name}`));
    expect(here.system).toBe(`${boot} ${pids} ${times}`);
  });

  it('has a user, and with sudo the real one', () => {
    const { username } = userInfo();
    const userOf = (sudoUser?: string) => whoAndWhere(sudoUser).user;
    expect(whoAndWhere(undefined)).toEqual({ user: username, host: hostname() });
    expect([userOf(''), userOf(username)]).toEqual([username, username]);
    expect(userOf('anna')).toBe(`anna as ${username}`);
    if (process.getuid?.() !== 0) return;
    process.seteuid!(4242);
    try {
      expect(userOf('anna')).toBe('anna as uid 4242');
    } finally {
      process.seteuid!(0);
    }
  });
});

describe('a process on a system without boot ids', () => {
  it('is identified by machine and start minute, and may be dead, never surely alive', () => {
    const real = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { ...real, value: 'darwin' });
    try {
      const self = newOwner();
      expect(self).toMatchObject({ pid: process.pid, host: hostname(), startedAt: '' });
      const [, minute] = self.system.split(`${hostname()} booted `);
      expect(Math.abs(Number(minute) * 60 - (Date.now() / 1000 - uptime()))).toBeLessThanOrEqual(
        61,
      );
      expect(isProvablyDead({ ...self, pid: gone }, self)).toBe(true);
      expect(isProvablyDead(self, self)).toBe(false);
      expect(isProvablyAlive(self, self)).toBe(false);
      // Its start was known to itself, and cannot be asked for here.
      expect(isProvablyDead({ ...self, startedAt: '5' }, self)).toBe(false);
    } finally {
      Object.defineProperty(process, 'platform', real);
    }
  });
});

describe('the owner of a lock', () => {
  const dead = { ...here, pid: gone };
  const later = { ...here, startedAt: `${Number(here.startedAt) - 1}` };

  it('is dead when no process has its id, or only a later one', () => {
    expect(isRunning(gone)).toBe(false);
    expect(isRunning(process.pid)).toBe(true);
    expect(isRunning(1)).toBe(true);
    expect(isProvablyDead(dead, here)).toBe(true);
    expect(isProvablyAlive(dead, here)).toBe(false);
    if (!onLinux) return;
    expect(isProvablyDead(later, here)).toBe(true);
    expect(isProvablyAlive(later, here)).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)(
    'is alive when its process belongs to another user',
    async () => {
      const child = spawn('sleep', ['60'], { uid: 4343, gid: 4343 });
      process.seteuid!(4242);
      try {
        expect(() => process.kill(child.pid!, 0)).toThrow('EPERM');
        expect(isRunning(child.pid!)).toBe(true);
        const holder = { ...here, pid: child.pid!, startedAt: '' };
        expect(isProvablyDead(holder, here)).toBe(false);
      } finally {
        process.seteuid!(0);
        child.kill();
      }
      await new Promise((resolve) => child.once('exit', resolve));
      expect(isRunning(child.pid!)).toBe(false);
    },
  );

  it('is alive when its process runs, with the same start', () => {
    expect(isProvablyDead(here, here)).toBe(false);
    expect(isProvablyAlive(here, here) || !onLinux).toBe(true);
  });

  it.each([
    ['of another system', { ...dead, system: 'other' }, here],
    ['of an unknown system', { ...dead, system: '' }, { ...here, system: '' }],
    ['that lives elsewhere', { ...here, system: 'other' }, here],
    ['without a start', { ...here, startedAt: '' }, here],
  ])('%s is neither dead nor alive', (_what, holder, us) => {
    expect(isProvablyDead(holder, us)).toBe(false);
    expect(isProvablyAlive(holder, us)).toBe(false);
  });
});
