// Locks in odd places and states: held for callers of one process, without a name, at a link that leads nowhere, given
// back meanwhile, and by number in a folder of one user.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileLock, withFileLock } from '../../src/fs/linked-file-lock.ts';
import { formatOwner, thisProcess } from '../../src/fs/lock-owner.ts';
import {
  breakerPath,
  breakLock,
  createLock,
  makeLockRecord,
  readLockState,
} from '../../src/fs/lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';
import { withLock } from './with-lock.ts';

const here = thisProcess();

describe('the lock of a file', () => {
  it('lets callers of its own process in one after the other, also if it waits for no other process', async () => {
    const path = join(temporaryFolder(), 'file');
    const lock = createFileLock(path, { waitMs: 0 });
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} out`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => lock.run(work(name))));
    lock.close();
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it.runIf(process.getuid?.() === 0)(
    'is by number in a folder that this user has alone',
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, 'file');
      fs.writeFileSync(file, 'x');
      fs.linkSync(file, join(folder, 'other'));
      for (const path of [folder, file]) fs.chownSync(path, 4242, 4242);
      process.seteuid!(4242);
      const own = join(tmpdir(), 'social-locks-4242');
      try {
        const ending = `-${fs.statSync(file).ino}.lock`;
        await withFileLock(file, () => {
          expect(fs.readdirSync(own).filter((name) => name.endsWith(ending))).toHaveLength(1);
          expect(fs.statSync(own)).toMatchObject({ uid: 4242, mode: 0o40700 });
        });
      } finally {
        process.seteuid!(0);
        fs.rmSync(own, { recursive: true, force: true });
      }
    },
  );
});

describe('a lock', () => {
  it('that is a file whose maker died before naming itself is taken over, after a while', async () => {
    const path = join(temporaryFolder(), 'lock');
    fs.writeFileSync(path, '');
    await expect(withLock(path, () => true, { waitMs: 20 })).rejects.toThrow(
      'locked by an unknown process',
    );
    expect(await withLock(path, () => true)).toBe(true);
  });

  it('is given its time anew when another nameless lock takes the place of the first', async () => {
    const path = join(temporaryFolder(), 'lock');
    fs.writeFileSync(path, '');
    const taken = withLock(path, () => performance.now());
    await new Promise((resolve) => setTimeout(resolve, 100));
    fs.writeFileSync(`${path}.new`, '');
    const replacedAt = performance.now();
    fs.renameSync(`${path}.new`, path);
    expect((await taken) - replacedAt).toBeGreaterThanOrEqual(500);
  });

  it('that is waited for is had as soon as its owner gives it back', async () => {
    const path = join(temporaryFolder(), 'lock');
    const order: string[] = [];
    const first = withLock(path, async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      order.push('first');
    });
    await withLock(path, () => void order.push('second'), { waitMs: 1000 });
    await first;
    expect(order).toEqual(['first', 'second']);
    expect(() => createLock(path).close()).not.toThrow();
  });

  it('that is a link to nowhere is one of an unknown process: nobody waits for ever, and it can be broken', async () => {
    needsUnix('links');
    const path = join(temporaryFolder(), 'lock');
    fs.symlinkSync('nowhere', path);
    const signal = AbortSignal.timeout(1200);
    await expect(withLock(path, () => 1, { waitMs: 20, signal })).rejects.toThrow(
      `${path} is locked by an unknown process`,
    );
    breakLock(path, readLockState(path)!, makeLockRecord(path, here), () => false);
    expect(await withLock(path, () => 1, { waitMs: 20, signal })).toBe(1);
  });

  it('that was given back before it could be broken is free', () => {
    const path = join(temporaryFolder(), 'lock');
    const record = makeLockRecord(path, here);
    fs.writeFileSync(path, JSON.stringify(formatOwner(here)));
    const seen = readLockState(path)!;
    fs.rmSync(path);
    expect(breakLock(path, seen, record, () => true)).toBe(true);
    expect(fs.existsSync(breakerPath(path))).toBe(false);
  });
});
