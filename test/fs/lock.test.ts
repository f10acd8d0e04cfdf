// The lock between processes: nothing is lost under it, the dead do not keep it, the living are not robbed.

import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import {
  formatOwner,
  isProvablyDead,
  type LockOwner,
  type ProcessIdentity,
  thisProcess,
} from '../../src/fs/lock-owner.ts';
import * as lockFile from '../../src/fs/lock.ts';
import type { LockTimeout } from '../../src/fs/lock.ts';
import { built, endOf, start } from './program.ts';
import { withLock } from './with-lock.ts';
import { needsUnix } from '../support/unix.ts';

const folderOfProgram = fs.mkdtempSync(join(tmpdir(), 'social-lock-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('programs/files.ts', import.meta.url), folderOfProgram);
});
afterAll(() => fs.rmSync(folderOfProgram, { recursive: true, force: true }));

function lockPath(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'social-lock-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'lock');
}

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await endOf(child);
  return child.pid!;
}

it('gives what the work gives, throws what it throws, and leaves no file', async () => {
  const path = join(lockPath(), 'made', 'lock');
  expect(await withLock(path, () => 7)).toBe(7);
  await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(
    withLock(path, () => {
      throw new Error('nor');
    }),
  ).rejects.toThrow('nor');
  expect(fs.existsSync(path)).toBe(false);
});

it('names its holder while it is held', async () => {
  needsUnix('owners and modes');
  const path = lockPath();
  await withLock(path, () => {
    const held: unknown = JSON.parse(fs.readFileSync(path, 'utf8'));
    expect(held).toMatchObject({
      pid: process.pid,
      nonce: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  });
});

it('lets callers of one process in one after the other, in their order', async () => {
  const lock = lockFile.createLock(lockPath());
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} in`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    seen.push(`${name} out`);
    if (name === 'b') throw new Error('b failed');
  };
  const turns = await Promise.allSettled(['a', 'b', 'c'].map((name) => lock.run(work(name))));
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  expect(turns.map((turn) => turn.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('loses no addition of several processes', async () => {
  const path = lockPath();
  const counter = `${path}.count`;
  fs.writeFileSync(counter, '0');
  const runs = Array.from(
    { length: 4 },
    () => start(program, ['count', path, counter, '100']).ended,
  );
  expect((await Promise.all(runs)).map(({ code, stderr }) => [code, stderr])).toEqual(
    Array.from({ length: 4 }, () => [0, '']),
  );
  expect(fs.readFileSync(counter, 'utf8')).toBe('400');
});

it('says who has it when the wait is over', async () => {
  const path = lockPath();
  const { child, ended } = start(program, ['hold', path]);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  const waiting = withLock(path, () => {}, { waitMs: 50 });
  await expect(waiting).rejects.toMatchObject({ kind: 'local_io' });
  await expect(waiting).rejects.toThrow(
    new RegExp(`is locked by pid ${child.pid} since \\d{4}-\\S+Z$`),
  );
  child.kill('SIGKILL');
  await ended;
  expect(await withLock(path, () => 'taken over', { waitMs: 0 })).toBe('taken over');
});

it('leaves a living holder its lock, also where it is named as dead', async () => {
  const path = lockPath();
  const { child, ended } = start(program, ['hold', path]);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  const { nonce } = lockFile.readLockState(path)!.held!;
  const robbing = withLock(path, () => {}, { waitMs: 50, deadHolders: [nonce] });
  await expect(robbing).rejects.toThrow(`is locked by pid ${child.pid} since`);
  child.kill('SIGKILL');
  await ended;
});

it('counts no time in which it did not run itself', async () => {
  const path = lockPath();
  const { child, ended } = start(program, ['hold', path]);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  const waiting = withLock(path, () => 'taken over', { waitMs: 400 });
  child.kill('SIGKILL');
  // The machine sleeps; that the holder is gone is not known yet when it wakes up.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  expect(await waiting).toBe('taken over');
  await ended;
});

it('takes over from a process that ended or whose id went to another', async () => {
  const path = lockPath();
  const self = thisProcess();
  const gone = [
    { ...self, pid: await deadPid() },
    { ...self, startedAt: '1' },
  ];
  for (const holder of gone) {
    fs.writeFileSync(path, JSON.stringify(formatOwner(holder)));
    expect(await withLock(path, () => true, { waitMs: 0 })).toBe(true);
  }
});

it('takes over although the one that took over before died doing so', async () => {
  const path = lockPath();
  const dead = { ...thisProcess(), pid: await deadPid() };
  fs.writeFileSync(path, JSON.stringify(formatOwner(dead)));
  fs.writeFileSync(`${path}.break`, JSON.stringify(formatOwner(dead)));
  expect(await withLock(path, () => true)).toBe(true);
  expect(fs.existsSync(`${path}.break`)).toBe(false);
});

it('does not rob a holder on another host, or one whose start is not known', async () => {
  const path = lockPath();
  const self = thisProcess();
  for (const holder of [
    { ...self, pid: await deadPid(), system: 'elsewhere' },
    { ...self, startedAt: '' },
  ]) {
    fs.writeFileSync(path, JSON.stringify(formatOwner(holder)));
    await expect(withLock(path, () => {}, { waitMs: 20 })).rejects.toThrow(
      `locked by pid ${holder.pid}`,
    );
  }
});

const canUnshare = spawnSync('unshare', ['-m', '--pid', '--fork', 'true']).status === 0;

describe.runIf(canUnshare)('a process', () => {
  const identity = async (way: readonly string[]) => {
    const { stdout, stderr } = await endOf(
      spawn('unshare', [...way, process.execPath, program, 'identity']),
    );
    expect(stderr).toBe('');
    return JSON.parse(stdout) as ProcessIdentity;
  };

  it('without /proc has no start and no system, so that nobody calls its lock abandoned', async () => {
    const self = await identity(['-m', 'sh', '-c', 'mount -t tmpfs none /proc; exec "$@"', '-']);
    expect(self).toMatchObject({ host: hostname(), startedAt: '', system: '' });
    expect(isProvablyDead({ ...self, pid: await deadPid() }, self)).toBe(false);
  });

  it('that sees /proc of the machine around it takes no start of another process for its own', async () => {
    const self = await identity(['--pid', '--fork']);
    expect(self).toMatchObject({ pid: 1, startedAt: '' });
    expect(self.system).not.toBe(thisProcess().system);
  });
});

it('goes on when somebody removes all that it keeps beside the lock', async () => {
  const path = lockPath();
  const lock = lockFile.createLock(path);
  expect(await lock.run(() => 1)).toBe(1);
  fs.rmSync(dirname(path), { recursive: true });
  expect(await lock.run(() => 2)).toBe(2);
  expect(fs.readdirSync(dirname(path))).toHaveLength(1);
  lock.close();
  expect(fs.readdirSync(dirname(path))).toEqual([]);
});

it('removes what dead owners kept beside it', async () => {
  const path = lockPath();
  const { child, ended } = start(program, ['hold', path]);
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(fs.readdirSync(dirname(path))).toHaveLength(2);
  await withLock(path, () => {});
  expect(fs.readdirSync(dirname(path))).toEqual([]);
});

it('gives a dead holder’s lock to one of many who wait', async () => {
  const path = lockPath();
  fs.writeFileSync(path, JSON.stringify(formatOwner({ ...thisProcess(), pid: await deadPid() })));
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
});

const everybody = () => true;

it('looks again before it removes a dead holder’s lock: somebody may have taken it since', async () => {
  const path = lockPath();
  const self = thisProcess();
  const dead = formatOwner({ ...self, pid: await deadPid() });
  fs.writeFileSync(path, JSON.stringify(dead));
  const seen = lockFile.readLockState(path)!;
  const mark = lockFile.makeLockRecord(path, self);
  // In between the faster one has removed it, and holds the lock now.
  fs.rmSync(path);
  fs.writeFileSync(path, JSON.stringify(formatOwner(self)));
  const living = fs.readFileSync(path, 'utf8');
  lockFile.breakLock(path, seen, mark, everybody);
  expect(fs.readFileSync(path, 'utf8')).toBe(living);
  // The number of the file may be the same again: then its holder tells.
  lockFile.breakLock(
    path,
    { ...seen, inode: fs.lstatSync(path, { bigint: true }).ino },
    mark,
    everybody,
  );
  expect(fs.readFileSync(path, 'utf8')).toBe(living);
  lockFile.breakLock(path, lockFile.readLockState(path)!, mark, everybody);
  expect(fs.existsSync(path)).toBe(false);
  expect(fs.existsSync(`${path}.break`)).toBe(false);
  lockFile.removeLockRecord(mark);
});

it('does not remove a lock that somebody put in the place of its own', async () => {
  const path = lockPath();
  await withLock(path, () => {
    fs.rmSync(path);
    fs.writeFileSync(path, 'another');
  });
  expect(fs.readFileSync(path, 'utf8')).toBe('another');
});

/** What is said of a lock that an owner like this holds, to somebody who does not wait; and the way out. */
async function toldOf(owner: Partial<LockOwner>, more: LockTimeout = {}) {
  const path = lockPath();
  const held = { ...formatOwner(thisProcess()), ...owner };
  fs.writeFileSync(path, JSON.stringify(held));
  const work = withLock(path, () => 'taken', { waitMs: 0, subject: 'the list', ...more });
  return work.then(String, (error: Failure) => {
    const { message, kind, facts } = error;
    return { kind, message: message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'THEN'), hint: facts.hint };
  });
}

const elsewhere = { host: 'elsewhere', system: 'another' };
const force = (nonce: string) =>
  `if that process has ended, run the same command with --force-unlock ${nonce}`;

describe('an owner', () => {
  const pid = process.pid;

  it.each<
    readonly [what: string, owner: Partial<LockOwner>, place: string, hint: string | undefined]
  >([
    ['that is alive', {}, '', undefined],
    ['of another machine', { ...elsewhere, nonce: 'a-b_1' }, ' on elsewhere', force('a-b_1')],
    [
      'of another container',
      { system: 'another', nonce: 'c' },
      ` in another container, boot or machine called ${hostname()}`,
      force('c'),
    ],
    ['whose start is unknown', { startedAt: '', nonce: 'd' }, '', force('d')],
    [
      'with an id that a shell would take apart',
      { ...elsewhere, nonce: 'a b' },
      ' on elsewhere',
      undefined,
    ],
  ])('%s is named, with the way out where there is one', async (_what, owner, place, hint) => {
    expect(await toldOf(owner)).toEqual({
      kind: 'local_io',
      message: `the list is locked by pid ${pid} since THEN${place}`,
      hint,
    });
  });

  it('that the user calls dead loses its lock, by its own id, unless it is alive for certain', async () => {
    const owner = { ...elsewhere, nonce: 'its-own' };
    expect(await toldOf(owner, { deadHolders: ['other', 'its-own'] })).toBe('taken');
    expect(await toldOf(owner, { deadHolders: ['other'] })).toMatchObject({ kind: 'local_io' });
    const alive = await toldOf({ nonce: 'alive' }, { deadHolders: ['alive'] });
    expect(alive).toMatchObject({ kind: 'local_io', hint: undefined });
  });
});
