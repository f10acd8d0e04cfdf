// Who holds a lock, and the lock file itself: when a holder is known to be dead or alive, what is taken, given back,
// broken, and left alone; and the lock of a file by each of its names.

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname, tmpdir, uptime, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  thisProcess,
  processId,
  currentUser,
  formatOwner,
  parseOwner,
  isRunning,
  isProvablyDead,
  isProvablyAlive,
  whoAndWhere,
} from '../../src/fs/lock-owner.ts';
import { withFileLock, createFileLock } from '../../src/fs/linked-file-lock.ts';
import {
  makeLockRecord,
  readLockState,
  createLock,
  createLockFile,
  releaseLock,
  removeLockRecord,
  breakLock,
  breakerPath,
} from '../../src/fs/lock.ts';
import { withLock } from './with-lock.ts';
import { needsUnix } from '../support/unix.ts';

const here = thisProcess();
/** The id of a process that has ended. */
const gone = spawnSync(process.execPath, ['-e', '']).pid;
const onLinux = process.platform === 'linux';

describe('this process', () => {
  it('is a holder by its id, its start, its machine and its system', () => {
    needsUnix('owners and modes');
    expect(here).toMatchObject({ pid: process.pid, host: hostname() });
    expect(processId()).toBe(process.pid);
    expect(thisProcess()).toEqual(here);
    expect(currentUser()).toEqual({ uid: process.getuid!(), gid: process.getgid!() });
  });

  it.runIf(onLinux)('is told by the kernel’s own words', () => {
    needsUnix('devices and no /proc');
    const stat = fs.readFileSync('/proc/self/stat', 'latin1');
    expect(here.startedAt).toBe(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const [pids, times] = ['pid', 'time'].map((name) => fs.readlinkSync(`/proc/self/ns/${name}`));
    expect(here.system).toBe(`${boot} ${pids} ${times}`);
  });

  it('has a user, and with sudo another one', () => {
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

  it('has a new id each time that it holds something', () => {
    const [one, other] = [formatOwner(here), formatOwner(here)];
    expect(one).toEqual({ ...here, nonce: expect.stringMatching(/^[0-9a-f]{16}$/) as string });
    expect(one.nonce).not.toBe(other.nonce);
  });
});

describe('a process of a system without ids of its boots', () => {
  it('is known by its machine and the minute of the start, and may be dead, never alive for certain', () => {
    const real = Object.getOwnPropertyDescriptor(process, 'platform')!;
    Object.defineProperty(process, 'platform', { ...real, value: 'darwin' });
    try {
      const self = thisProcess();
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

describe('a text', () => {
  it('that names a holder is read', () => {
    const held = formatOwner(here);
    expect(parseOwner(JSON.stringify(held))).toEqual(held);
    expect(parseOwner('{"pid":1,"nonce":"a"}')).toEqual({ pid: 1, nonce: 'a' });
  });

  it.each([
    '',
    '{',
    'null',
    '5',
    '[]',
    '{}',
    '{"pid":1}',
    '{"nonce":"a"}',
    '{"pid":"1","nonce":"a"}',
    '{"pid":1.5,"nonce":"a"}',
    '{"pid":1,"nonce":2}',
  ])('that does not is none: %s', (text) => {
    expect(parseOwner(text)).toBeUndefined();
  });
});

describe('a holder', () => {
  const dead = { ...here, pid: gone };
  const later = { ...here, startedAt: `${Number(here.startedAt) - 1}` };

  it('is dead where no process has its id, or a later one has', () => {
    expect(isRunning(gone)).toBe(false);
    expect(isRunning(process.pid)).toBe(true);
    expect(isRunning(1)).toBe(true);
    expect(isProvablyDead(dead, here)).toBe(true);
    expect(isProvablyAlive(dead, here)).toBe(false);
    if (!onLinux) return;
    expect(isProvablyDead(later, here)).toBe(true);
    expect(isProvablyAlive(later, here)).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)('is alive where its process is another user’s', async () => {
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
  });

  it('is alive where its process runs, with its start', () => {
    expect(isProvablyDead(here, here)).toBe(false);
    expect(isProvablyAlive(here, here) || !onLinux).toBe(true);
  });

  it.each([
    ['of another system', { ...dead, system: 'other' }, here],
    ['of a system that nobody knows', { ...dead, system: '' }, { ...here, system: '' }],
    ['that lives elsewhere', { ...here, system: 'other' }, here],
    ['without a start', { ...here, startedAt: '' }, here],
  ])('%s is neither', (_what, holder, us) => {
    expect(isProvablyDead(holder, us)).toBe(false);
    expect(isProvablyAlive(holder, us)).toBe(false);
  });
});

/** A lock of its own, and a mark for it. */
function staged() {
  const path = join(temporaryFolder(), 'deep', 'lock');
  const mark = makeLockRecord(path, here);
  return { path, mark, folder: join(path, '..') };
}
const text = (path: string) => fs.readFileSync(path, 'utf8');
const never = () => false;
const always = () => true;

describe('a lock file', () => {
  it('is a second name of its holder’s mark, and private', () => {
    needsUnix('owners and modes');
    const { path, mark, folder } = staged();
    expect(fs.statSync(mark.file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(folder)).toHaveLength(1);
    expect(readLockState(path)).toBeUndefined();
    expect(createLockFile(path, mark)).toBe(mark.inode);
    const seen = readLockState(path)!;
    expect(seen.inode).toBe(fs.statSync(path, { bigint: true }).ino);
    expect(seen.held).toEqual(JSON.parse(text(path)));
    expect(seen.held).toMatchObject(here);
    expect(Math.abs(Date.now() - seen.since.getTime())).toBeLessThan(60_000);
    expect(text(path).endsWith('\n')).toBe(true);
  });

  it('is held by one, and free again when that gives it back', () => {
    const { path, mark } = staged();
    const other = makeLockRecord(path, here);
    const inode = createLockFile(path, mark)!;
    expect(createLockFile(path, other)).toBeUndefined();
    releaseLock(path, other.inode);
    expect(readLockState(path)?.inode).toBe(inode);
    releaseLock(path, inode);
    expect(readLockState(path)).toBeUndefined();
    expect(createLockFile(path, other)).toBe(other.inode);
    removeLockRecord(other);
    removeLockRecord(other);
    expect(readLockState(path)?.inode).toBe(other.inode);
  });

  it('is not given back where there is none, or no place', () => {
    const { path, mark, folder } = staged();
    expect(() => releaseLock(path, mark.inode)).not.toThrow();
    // Without its record a lock would have no name.
    removeLockRecord(mark);
    expect(() => createLockFile(path, mark)).toThrow('ENOENT');
    expect(fs.existsSync(path)).toBe(false);
    fs.rmSync(folder, { recursive: true });
    expect(() => releaseLock(path, mark.inode)).not.toThrow();
    expect(() => createLockFile(path, mark)).toThrow('ENOENT');
  });

  it('is a file of its own where the system gives no second names', () => {
    needsUnix('owners and modes');
    const { path, mark, folder } = staged();
    // Nor does it give one to a folder: it answers as file systems without links do.
    const linkless = { ...mark, file: folder };
    const inode = createLockFile(path, linkless)!;
    expect(inode).toBe(fs.statSync(path, { bigint: true }).ino);
    expect(inode).not.toBe(mark.inode);
    expect(readLockState(path)?.held).toMatchObject(here);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(createLockFile(path, linkless)).toBeUndefined();
    expect(createLockFile(path, mark)).toBeUndefined();
    releaseLock(path, inode);
    expect(createLockFile(path, mark)).toBe(mark.inode);
  });

  it('without a name is seen as that', () => {
    const { path } = staged();
    fs.writeFileSync(path, '');
    expect(readLockState(path)).toMatchObject({
      held: undefined,
      inode: fs.statSync(path, { bigint: true }).ino,
    });
  });

  it('that is abandoned is broken, and only as it was seen', () => {
    const { path, mark } = staged();
    const dead = { ...formatOwner(here), pid: gone };
    fs.writeFileSync(path, JSON.stringify(dead));
    const seen = readLockState(path)!;
    expect(breakLock(path, { ...seen, inode: seen.inode + 1n }, mark, always)).toBe(true);
    expect(breakLock(path, { ...seen, held: { ...dead, nonce: 'x' } }, mark, always)).toBe(true);
    expect(readLockState(path)?.inode).toBe(seen.inode);
    expect(breakLock(path, seen, mark, always)).toBe(true);
    expect(readLockState(path)).toBeUndefined();
    expect(readLockState(breakerPath(path))).toBeUndefined();
    expect(breakerPath(path)).toBe(`${path}.break`);
  });

  it('is not broken while another breaks it, whose own lock is broken when it has died', () => {
    const { path, mark } = staged();
    const dead = { ...formatOwner(here), pid: gone };
    fs.writeFileSync(path, JSON.stringify(dead));
    const breaker = breakerPath(path);
    fs.writeFileSync(breaker, JSON.stringify(formatOwner(here)));
    const seen = readLockState(path)!;
    expect(breakLock(path, seen, mark, never)).toBe(false);
    expect([fs.existsSync(path), fs.existsSync(breaker)]).toEqual([true, true]);
    fs.writeFileSync(breaker, '');
    expect(breakLock(path, seen, mark, always)).toBe(false);
    expect(fs.existsSync(breaker)).toBe(true);
    fs.writeFileSync(breaker, JSON.stringify(dead));
    expect(breakLock(path, seen, mark, ({ pid }) => pid === gone)).toBe(false);
    expect([fs.existsSync(path), fs.existsSync(breaker)]).toEqual([true, false]);
    expect(breakLock(path, seen, mark, ({ pid }) => pid === gone)).toBe(true);
    expect(fs.existsSync(path)).toBe(false);
  });
});

describe('the lock of a file', () => {
  const numbers = join(tmpdir(), `social-locks-${process.getuid?.() ?? 'user'}`);
  const heldAt = (folder: string) =>
    fs.readdirSync(folder).filter((name) => name.endsWith('.lock'));

  it('is beside it, also where a link leads to it, and gone afterwards', async () => {
    const folder = temporaryFolder();
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    fs.writeFileSync(file, 'x');
    fs.symlinkSync('file', link);
    for (const name of [file, link]) {
      const seen = await withFileLock(name, () => heldAt(folder));
      expect(seen).toEqual(['file.lock']);
    }
    const missing = join(folder, 'none');
    expect(await withFileLock(missing, () => heldAt(folder))).toEqual(['none.lock']);
    expect(fs.readdirSync(folder).toSorted()).toEqual(['file', 'link']);
  });

  it('is another one by its number where it has a second name, or is held for long', async () => {
    const folder = temporaryFolder();
    const [file, other] = [join(folder, 'file'), join(folder, 'other')];
    fs.writeFileSync(file, 'x');
    const { dev, ino } = fs.statSync(file);
    const mine = () => heldAt(numbers).filter((name) => name.endsWith(`-${dev}-${ino}.lock`));
    const count = async (path: string, isLong?: boolean) =>
      withFileLock(path, () => mine().length, isLong === undefined ? {} : { isLong });
    fs.mkdirSync(numbers, { recursive: true, mode: 0o700 });
    expect(await count(file)).toBe(0);
    expect(await count(file, false)).toBe(0);
    expect(await count(file, true)).toBe(1);
    expect(await count(join(folder, 'none'), true)).toBe(0);
    fs.linkSync(file, other);
    expect(await count(file)).toBe(1);
    expect(await count(other)).toBe(1);
    const [name] = await withFileLock(file, mine);
    expect(name).toMatch(/^[\w.-]+$/);
    expect(mine()).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('is not by number in a folder of another user', async () => {
    const [folder, theirs] = [temporaryFolder(), temporaryFolder()];
    const [file, other] = [join(folder, 'file'), join(folder, 'other')];
    fs.writeFileSync(file, 'x');
    fs.linkSync(file, other);
    const numbered = join(theirs, `social-locks-${process.getuid!()}`);
    fs.mkdirSync(numbered, { mode: 0o700 });
    fs.chownSync(numbered, 4242, 4242);
    vi.stubEnv('TMPDIR', theirs);
    try {
      await expect(withFileLock(file, () => 1)).rejects.toThrow(
        `refusing to use ${numbered}: others can write to it`,
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('of one file keeps out who comes by its other name, and says the name that was given', async () => {
    const folder = temporaryFolder();
    const [file, other] = [join(folder, 'file'), join(folder, 'other')];
    fs.writeFileSync(file, 'x');
    fs.linkSync(file, other);
    await withFileLock(file, async () => {
      await expect(withFileLock(other, () => 'in', { waitMs: 20 })).rejects.toThrow(
        `${other} is locked by pid ${process.pid} since `,
      );
      await expect(
        withFileLock(file, () => 'in', { waitMs: 20, subject: 'the thing' }),
      ).rejects.toThrow('the thing is locked by pid');
    });
    expect(await withFileLock(other, () => 'in', { waitMs: 20 })).toBe('in');
  });

  it('is taken again and again by one owner, wherever its name leads by then', async () => {
    const folder = temporaryFolder();
    const [one, two, link] = ['one', 'two', 'link'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [one, two]) fs.writeFileSync(path, '');
    fs.symlinkSync(one, link);
    const lock = createFileLock(link);
    expect(await lock.run(() => heldAt(folder))).toEqual(['one.lock']);
    expect(await lock.run(() => heldAt(folder))).toEqual(['one.lock']);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
    fs.rmSync(link);
    fs.symlinkSync(two, link);
    expect(await lock.run(() => heldAt(folder))).toEqual(['two.lock']);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toHaveLength(1);
    lock.close();
    expect(fs.readdirSync(folder).toSorted()).toEqual(['link', 'one', 'two']);
  });

  it('cannot be taken where a name leads to itself, or to no file', async () => {
    const folder = temporaryFolder();
    const loop = join(folder, 'loop');
    fs.symlinkSync('loop', loop);
    await expect(withFileLock(loop, () => 1)).rejects.toThrow(
      `cannot write ${loop}: too many symbolic links`,
    );
    await expect(withFileLock(folder, () => 1)).rejects.toThrow(`${folder} is not a regular file`);
  });
});

describe('a lock that is waited for', () => {
  it('is in the hands of the one that is about to break it, where its owner is dead', async () => {
    const path = join(temporaryFolder(), 'lock');
    const [dead, breaking] = [
      { ...formatOwner(here), pid: gone },
      { ...formatOwner(here), system: 'other', host: 'far.example', pid: 4 },
    ];
    fs.writeFileSync(path, JSON.stringify(dead));
    fs.writeFileSync(breakerPath(path), JSON.stringify(breaking));
    await expect(withLock(path, () => 'in', { waitMs: 20 })).rejects.toThrow(
      / is locked by pid 4 since \S+ on far\.example$/,
    );
    fs.rmSync(breakerPath(path));
    expect(await withLock(path, () => 'in', { waitMs: 20 })).toBe('in');
  });

  it('ends with its signal, and with the holder’s name and the way out at its time', async () => {
    const path = join(temporaryFolder(), 'lock');
    const stop = new AbortController();
    await withLock(path, async () => {
      const waits = withLock(path, () => 'in', { signal: stop.signal, waitMs: 60_000 });
      setTimeout(() => stop.abort(new Error('enough')), 20);
      await expect(waits).rejects.toThrow('enough');
    });
    const elsewhere = { ...formatOwner(here), system: 'other', host: 'far.example', pid: 4 };
    fs.writeFileSync(path, JSON.stringify(elsewhere));
    const since = fs.statSync(path).ctime.toISOString();
    const told = (held: object) => {
      fs.writeFileSync(path, JSON.stringify(held));
      return withLock(path, () => 1, { waitMs: 10 }).catch((error: unknown) => error);
    };
    expect(await told(elsewhere)).toMatchObject({
      kind: 'local_io',
      facts: {
        what: expect.stringMatching(
          new RegExp(`^${path} is locked by pid 4 since ${since.slice(0, 4)}.*Z on far\\.example$`),
        ) as string,
        hint: `if that process has ended, run the same command with --force-unlock ${elsewhere.nonce}`,
      },
    });
    expect(await told({ ...elsewhere, host: here.host })).toMatchObject({
      message: expect.stringContaining(
        ` in another container, boot or machine called ${here.host}`,
      ) as string,
    });
    const odd = (await told({ ...elsewhere, nonce: 'a b' })) as { facts: { hint?: string } };
    expect(odd.facts.hint).toBeUndefined();
    expect(await withLock(path, () => 'in', { waitMs: 10, deadHolders: ['a b'] })).toBe('in');
  });

  it('is free for one after the other, in their order, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const lock = createLock(join(folder, 'lock'));
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map((n) =>
        lock.run(async () => {
          order.push(n);
          await new Promise(setImmediate);
          order.push(-n);
        }),
      ),
    );
    expect(order).toEqual([1, -1, 2, -2, 3, -3]);
    await expect(lock.run(() => Promise.reject(new Error('work')))).rejects.toThrow('work');
    expect(await lock.run(() => 'again')).toBe('again');
    lock.close();
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
