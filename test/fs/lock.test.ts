// The lock of a file between processes: nothing is lost under it, the dead do not keep it, the living are not robbed; and
// how a process is identified, and known to be dead or alive.

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname, tmpdir, uptime, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import {
  isProvablyDead,
  isRunning,
  type LockOwner,
  newOwner,
  readLock,
  removeDead,
  temporaryName,
  withFileLock,
} from '../../src/fs/lock.ts';
import { whoAndWhere } from '../../src/fs/permissions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';
import { built, endOf, start } from './program.ts';

const folderOfProgram = fs.mkdtempSync(join(tmpdir(), 'social-lock-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('programs/files.ts', import.meta.url), folderOfProgram);
});
afterAll(() => fs.rmSync(folderOfProgram, { recursive: true, force: true }));

const here = newOwner();
/** The id of a process that has ended. */
const gone = spawnSync(process.execPath, ['-e', '']).pid;
const newFile = () => join(temporaryFolder(), 'file');
const lockedBy = (file: string, owner: object) => fs.writeFileSync(file, JSON.stringify(owner));
const notNow = { waitMs: 0 };

/** A process that holds the lock of a file. */
async function holder(file: string) {
  const { child, ended } = start(program, ['hold', file]);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  return {
    pid: child.pid!,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

describe('the lock of a file', () => {
  it('returns or throws what the work does, and is deleted', async () => {
    const file = join(temporaryFolder(), 'made', 'file');
    expect(await withFileLock(file, () => 7)).toBe(7);
    await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const thrown = withFileLock(file, () => {
      throw new Error('nor');
    });
    await expect(thrown).rejects.toThrow('nor');
    expect(fs.readdirSync(dirname(file))).toEqual([]);
  });

  it('names its owner while it is held, in a private file', async () => {
    needsUnix('owners and modes');
    const file = newFile();
    await withFileLock(file, () => {
      expect(fs.readdirSync(dirname(file))).toEqual(['file.lock']);
      const owner: unknown = JSON.parse(fs.readFileSync(`${file}.lock`, 'utf8'));
      expect(owner).toEqual({ ...here, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
      expect(fs.statSync(`${file}.lock`).mode & 0o777).toBe(0o600);
    });
  });

  it('is beside the real file, also behind a symbolic link', async () => {
    needsUnix('links');
    const folder = temporaryFolder();
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    fs.symlinkSync('file', link);
    await withFileLock(link, async () => {
      expect(fs.readdirSync(folder).toSorted()).toEqual(['file.lock', 'link']);
      await expect(withFileLock(file, () => 1, notNow)).rejects.toThrow(`${file} is locked by`);
    });
    fs.symlinkSync('loop', join(folder, 'loop'));
    for (const [path, what] of [
      [join(folder, 'loop'), 'too many symbolic links'],
      [folder, 'not a regular file'],
    ] as const)
      await expect(withFileLock(path, () => 1)).rejects.toThrow(what);
  });

  it('keeps the additions of several processes', async () => {
    const file = newFile();
    const counter = `${file}.count`;
    fs.writeFileSync(counter, '0');
    const runs = Array.from(
      { length: 4 },
      () => start(program, ['count', file, counter, '100']).ended,
    );
    expect((await Promise.all(runs)).map(({ code, stderr }) => [code, stderr])).toEqual(
      Array.from({ length: 4 }, () => [0, '']),
    );
    expect(fs.readFileSync(counter, 'utf8')).toBe('400');
  });

  it('is broken only once its owner was killed, at any age', async () => {
    const file = newFile();
    const { pid, kill } = await holder(file);
    fs.utimesSync(`${file}.lock`, new Date(0), new Date(0));
    const waiting = withFileLock(file, () => {}, { waitMs: 50 });
    await expect(waiting).rejects.toMatchObject({ kind: 'local_io' });
    await expect(waiting).rejects.toThrow(
      new RegExp(`^${file} is locked by pid ${pid} since \\d{4}-\\S+Z$`),
    );
    await kill();
    expect(await withFileLock(file, () => 'taken over', notNow)).toBe('taken over');
    expect(fs.readdirSync(dirname(file))).toEqual([]);
  });

  it('is taken with what a process left that was killed while it took the lock', async () => {
    const file = newFile();
    const left = temporaryName(`${file}.lock`).replace(`.${process.pid}-`, `.${gone}-`);
    const living = temporaryName(`${file}.lock`);
    for (const name of [left, living]) fs.writeFileSync(name, '');
    await withFileLock(file, () => expect(fs.existsSync(left)).toBe(false));
    expect(fs.readdirSync(dirname(file))).toEqual([basename(living)]);
  });

  it('is waited for until the signal aborts', async () => {
    const file = newFile();
    const stop = new AbortController();
    await withFileLock(file, async () => {
      const waits = withFileLock(file, () => 'in', { signal: stop.signal, waitMs: 60_000 });
      setTimeout(() => stop.abort(new Error('enough')), 20);
      await expect(waits).rejects.toThrow('enough');
    });
  });

  it('is not deleted by its owner when another lock stands in its place', async () => {
    const file = newFile();
    await withFileLock(file, () => fs.writeFileSync(`${file}.lock`, 'another'));
    expect(fs.readFileSync(`${file}.lock`, 'utf8')).toBe('another');
  });
});

describe('a dead owner', () => {
  it.each([
    ['whose process has ended', { pid: gone }],
    ['whose id went to a later process', { startedAt: '1' }],
  ])('%s loses the lock, also if its breaker was killed before', async (_what, dead) => {
    needsUnix('devices and no /proc');
    const file = newFile();
    lockedBy(`${file}.lock`, { ...newOwner(), ...dead });
    expect(await withFileLock(file, () => true, notNow)).toBe(true);
    lockedBy(`${file}.lock`, { ...newOwner(), ...dead });
    lockedBy(`${file}.lock.break`, { ...newOwner(), ...dead });
    expect(await withFileLock(file, () => true)).toBe(true);
    expect(fs.readdirSync(dirname(file))).toEqual([]);
  });

  it('loses the lock to exactly one of many waiters', async () => {
    const file = newFile();
    lockedBy(`${file}.lock`, { ...newOwner(), pid: gone });
    let inside = 0;
    const work = async () => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, () => withFileLock(file, work)));
  });

  it('is checked again by the breaker, since another process may have taken the lock', () => {
    const lock = `${newFile()}.lock`;
    lockedBy(lock, { ...newOwner(), pid: gone });
    const seen = readLock(lock)!;
    // Meanwhile a faster process has removed the lock, and holds it now.
    lockedBy(lock, newOwner());
    const living = fs.readFileSync(lock, 'utf8');
    expect(removeDead(seen, newOwner())).toBeUndefined();
    expect(fs.readFileSync(lock, 'utf8')).toBe(living);
    expect(fs.existsSync(`${lock}.break`)).toBe(false);
  });
});

/** Returns the error for a lock with this content if the caller does not wait, with the way out. */
async function refusal(content: string) {
  const file = newFile();
  fs.writeFileSync(`${file}.lock`, content);
  const failure = await withFileLock(file, () => 'taken', notNow).catch((error: Failure) => error);
  if (typeof failure === 'string') return failure;
  const text = failure.message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'THEN').replace(file, 'FILE');
  return [failure.kind, text, failure.facts.hint?.replace(file, 'FILE')];
}

describe('an owner that may be alive', () => {
  const ended = 'if that process has ended, delete FILE.lock';
  it.each<readonly [what: string, Partial<LockOwner>, place: string, hint: string | undefined]>([
    ['is alive', {}, '', undefined],
    ['is on another machine', { host: 'web2', system: 'another', pid: gone }, ' on web2', ended],
    ['is in another container', { system: 'another', pid: gone }, ` on ${hostname()}`, ended],
    ['has no known start time', { startedAt: '' }, '', ended],
  ])(
    'that %s keeps its lock, and the error names the file to delete',
    async (_what, change, place, hint) => {
      needsUnix('devices and no /proc');
      const owner = { ...newOwner(), ...change };
      expect(await refusal(JSON.stringify(owner))).toEqual([
        'local_io',
        `FILE is locked by pid ${owner.pid} since THEN${place}`,
        hint,
      ]);
    },
  );

  it.each(['', '{', 'null', '5', '[]', '{"pid":1}', '{"nonce":"a"}', '{"pid":1.5,"nonce":"a"}'])(
    'is called unknown if the lock contains “%s”',
    async (content) => {
      expect(await refusal(content)).toEqual([
        'local_io',
        'FILE is locked by an unknown process',
        'if no other social command is running, delete FILE.lock',
      ]);
    },
  );

  it('that is breaking the lock of a dead one has its own lock file named', async () => {
    const file = newFile();
    lockedBy(`${file}.lock`, { ...newOwner(), pid: gone });
    lockedBy(`${file}.lock.break`, { ...newOwner(), system: 'another', host: 'web2', pid: 4 });
    await expect(withFileLock(file, () => 1, notNow)).rejects.toMatchObject({
      message: expect.stringMatching(/ is locked by pid 4 since \S+ on web2$/) as string,
      facts: { hint: `if that process has ended, delete ${file}.lock.break` },
    });
    fs.rmSync(`${file}.lock.break`);
    expect(await withFileLock(file, () => 'in', notNow)).toBe('in');
  });

  it('may have left a dangling link', async () => {
    needsUnix('links');
    const file = newFile();
    fs.symlinkSync('nowhere', `${file}.lock`);
    await expect(withFileLock(file, () => 1, notNow)).rejects.toThrow('by an unknown process');
  });
});

const canUnshare = spawnSync('unshare', ['-m', '--pid', '--fork', 'true']).status === 0;

describe.runIf(canUnshare)('a process', () => {
  const identity = async (way: readonly string[]) => {
    const { stdout, stderr } = await endOf(
      spawn('unshare', [...way, process.execPath, program, 'identity']),
    );
    expect(stderr).toBe('');
    return JSON.parse(stdout) as LockOwner;
  };

  it('without /proc has no start time and no system ID, so that its lock is never called abandoned', async () => {
    const self = await identity(['-m', 'sh', '-c', 'mount -t tmpfs none /proc; exec "$@"', '-']);
    expect(self).toMatchObject({ host: hostname(), startedAt: '', system: '' });
    expect(isProvablyDead({ ...self, pid: gone }, self)).toBe(false);
  });

  it('that sees the /proc of its host does not use the start time of another process', async () => {
    const self = await identity(['--pid', '--fork']);
    expect(self).toMatchObject({ pid: 1, startedAt: '' });
    expect(self.system).not.toBe(here.system);
  });
});

const onLinux = process.platform === 'linux';

describe('this process', () => {
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
  it('is identified by machine and start minute, and may be dead', () => {
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
      // The lock has the start of its process, which cannot be read here.
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
    if (!onLinux) return;
    expect(isProvablyDead(later, here)).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)(
    'is alive when its process belongs to another user',
    async () => {
      const child = spawn('sleep', ['60'], { uid: 4343, gid: 4343 });
      process.seteuid!(4242);
      try {
        expect(() => process.kill(child.pid!, 0)).toThrow('EPERM');
        expect(isRunning(child.pid!)).toBe(true);
        const owner = { ...here, pid: child.pid!, startedAt: '' };
        expect(isProvablyDead(owner, here)).toBe(false);
      } finally {
        process.seteuid!(0);
        child.kill();
      }
      await new Promise((resolve) => child.once('exit', resolve));
      expect(isRunning(child.pid!)).toBe(false);
    },
  );

  it.each([
    ['of another system', { ...dead, system: 'other' }, here],
    ['of an unknown system', { ...dead, system: '' }, { ...here, system: '' }],
    ['that lives elsewhere', { ...here, system: 'other' }, here],
    ['of this process', here, here],
    ['without a start', { ...here, startedAt: '' }, here],
  ])('%s is not called dead', (_what, owner, us) => {
    expect(isProvablyDead(owner, us)).toBe(false);
  });
});
