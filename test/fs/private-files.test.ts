// Files by what they are and whose they are: what is read, what is refused and in which words, what is replaced.

import * as fs from 'node:fs';
import { constants as codes, homedir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cannotWrite, cannotAppend, cannotRead, codeOf } from '../../src/fs/io-errors.ts';
import {
  checkFolder,
  checkWriteAsRoot,
  makePrivateFolder,
  profileFolders,
} from '../../src/fs/permissions.ts';
import { openRegular, readIfPresent, readRange } from '../../src/fs/safe-read.ts';
import { checkReplaceable, saveFile, syncFolder } from '../../src/fs/atomic-write.ts';
import { removeStaleTemporaries, temporaryName } from '../../src/fs/lock.ts';
import { appendLines } from '../../src/fs/append-log.ts';
import { needsUnix } from '../support/unix.ts';

const isRoot = process.getuid?.() === 0;
const readPrivate = (path: string, most: number) => readIfPresent(path, most, 'private');
const readTrusted = (path: string, most: number) => readIfPresent(path, most, 'trusted');
/** A user and a group that do not exist here. */
const STRANGER = 4242;

/** A file of this content and mode, in a folder of its own that others may only read. */
function fileOf(content: string, mode = 0o600): string {
  needsUnix('owners and modes');
  const path = join(temporaryFolder(), 'file');
  fs.writeFileSync(path, content);
  fs.chmodSync(path, mode);
  return path;
}
/** Runs something with the rights of another user, as the superuser may. */
function asUser(uid: number, gid: number, work: () => void): void {
  process.setegid!(gid);
  process.seteuid!(uid);
  try {
    work();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}
const shown = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');
const system = (code: string) => Object.assign(new Error(`said ${code}`), { code });

describe('an error of the file system', () => {
  it.each([
    ['EACCES', 'permission denied'],
    ['ENOENT', 'a folder in the path does not exist'],
    ['EODD', 'EODD'],
  ])('%s is described in words', (code, words) => {
    expect(cannotWrite('/p', system(code)).facts.what).toBe(`cannot write /p: ${words}`);
    expect(cannotAppend('/p', system(code)).facts.what).toBe(`cannot write /p: ${words}`);
    expect(cannotRead('/p', system(code)).facts.what).toBe(`cannot read /p: ${words}`);
  });

  it.each(['ENOSPC', 'EDQUOT'])('%s means that the disk is full', (code) => {
    expect(cannotWrite('/p', system(code)).facts.what).toBe('disk full; /p unchanged');
    expect(cannotAppend('/p', system(code)).facts.what).toBe('cannot write /p: disk full');
  });

  it('keeps its code when the system has a name for it', () => {
    expect(codeOf(system('EIO'))).toBe('EIO');
    for (const none of [
      undefined,
      null,
      { code: 'EIO' },
      new Error('x'),
      Object.assign(new Error('x'), { code: 5 }),
    ])
      expect(codeOf(none)).toBeUndefined();
    const unknown = (errno: number) =>
      Object.assign(new Error('x'), { code: `Unknown system error ${errno}`, errno });
    expect(codeOf(unknown(-codes.errno.EDQUOT))).toBe('EDQUOT');
    expect(codeOf(unknown(-99999))).toBe('Unknown system error -99999');
  });
});

describe('a regular file', () => {
  it('is read up to a limit, and missing files are empty', () => {
    needsUnix('devices and no /proc');
    const path = fileOf('12345');
    expect(readIfPresent(path, 5)?.toString()).toBe('12345');
    expect(() => readIfPresent(path, 4)).toThrow(`${path} is larger than 4 bytes`);
    expect(readIfPresent(`${path}x`, 5)).toBeUndefined();
    expect(readIfPresent(join(path, 'below'), 5)).toBeUndefined();
    expect(readIfPresent(fileOf(''), 5)?.length).toBe(0);
    expect(readIfPresent('/proc/self/stat', 4096)!.length).toBeGreaterThan(10);
  });

  it('is read between two offsets', () => {
    const fd = openRegular(fileOf('12345'), fs.constants.O_RDONLY);
    const range = (start: number, end: number) => readRange(fd, start, end).toString();
    expect([range(0, 5), range(1, 3), range(3, 9), range(9, 12), range(3, 1)]).toEqual([
      '12345',
      '23',
      '45',
      '',
      '',
    ]);
    fs.closeSync(fd);
  });

  it('is made private, and folders, pipes, sockets and devices are rejected', () => {
    needsUnix('named pipes');
    const folder = temporaryFolder();
    const made = join(folder, 'made');
    fs.closeSync(openRegular(made, fs.constants.O_RDWR | fs.constants.O_CREAT));
    expect(fs.statSync(made).mode & 0o777).toBe(0o600);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const open = fs.readdirSync('/proc/self/fd').length;
    for (const flags of [fs.constants.O_RDONLY, fs.constants.O_WRONLY])
      for (const path of [folder, pipe, '/dev/null'])
        expect(() => fs.closeSync(openRegular(path, flags))).toThrow(
          `${path} is not a regular file`,
        );
    expect(fs.readdirSync('/proc/self/fd').length).toBe(open);
    expect(() => openRegular(join(folder, 'no', 'no'), fs.constants.O_RDONLY)).toThrow('ENOENT');
  });
});

describe('a private file', () => {
  it('is read when it belongs to this user alone', () => {
    expect(readPrivate(fileOf('12345'), 5)?.toString()).toBe('12345');
    expect(readPrivate('/no/such', 5)).toBeUndefined();
    const large = fileOf('123456');
    expect(() => readPrivate(large, 5)).toThrow(`${large} is larger than 5 bytes`);
    for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601]) {
      const path = fileOf('x', mode);
      expect(() => readPrivate(path, 5)).toThrow(`refusing to read ${path}: mode ${shown(mode)}`);
    }
  });

  it.runIf(isRoot)('may belong to the superuser, when only they can write it', () => {
    needsUnix('owners and modes');
    for (const mode of [0o444, 0o400, 0o440])
      expect(readPrivate(fileOf('x', mode), 5)?.toString()).toBe('x');
    for (const mode of [0o644, 0o464, 0o446]) {
      const path = fileOf('x', mode);
      expect(() => readPrivate(path, 5)).toThrow(`refusing to read ${path}: mode`);
    }
    const strange = fileOf('x', 0o400);
    fs.chownSync(strange, STRANGER, STRANGER);
    expect(() => readPrivate(strange, 5)).toThrow(
      `refusing to read ${strange}: it belongs to another user`,
    );
  });

  it('in a folder that others may write is rejected', () => {
    needsUnix('owners and modes');
    const folder = temporaryFolder();
    expect(() => checkFolder(folder)).not.toThrow();
    expect(() => checkFolder(join(folder, 'none'))).not.toThrow();
    expect(() => checkFolder(join(fileOf(''), 'below'))).not.toThrow();
    const loop = join(folder, 'loop');
    fs.symlinkSync('loop', loop);
    for (const check of [checkFolder, ...(isRoot ? [checkWriteAsRoot] : [])])
      expect(() => check(loop)).toThrow(`cannot read ${loop}: too many symbolic links`);
    for (const mode of [0o720, 0o702, 0o777]) {
      fs.chmodSync(folder, mode);
      expect(() => checkFolder(folder)).toThrow(
        `refusing to use ${folder}: others may write it (mode ${shown(mode)})`,
      );
    }
    fs.chmodSync(folder, 0o755);
    expect(() => checkFolder(folder)).not.toThrow();
  });

  it.runIf(isRoot)('is not written by the superuser into the folder of another user', () => {
    needsUnix('owners and modes');
    const folder = temporaryFolder();
    const below = join(folder, 'a', 'b');
    expect(() => checkWriteAsRoot(folder)).not.toThrow();
    expect(() => checkWriteAsRoot(below)).not.toThrow();
    fs.chownSync(folder, STRANGER, STRANGER);
    expect(() => checkFolder(folder)).toThrow(
      `refusing to use ${folder}: it belongs to another user (${STRANGER})`,
    );
    // Below what is not a folder, the folder above it tells.
    for (const odd of [fileOf('x'), join(fileOf('x'), 'below')])
      expect(() => checkWriteAsRoot(odd)).not.toThrow();
    for (const path of [folder, below])
      expect(() => checkWriteAsRoot(path)).toThrow(
        `refusing to write into ${folder}: it belongs to user ${STRANGER}; run as that user`,
      );
  });
});

describe('a trusted file', () => {
  it('belongs to this user or the superuser, and so does its path', () => {
    needsUnix('owners and modes');
    expect(readTrusted(fileOf('12345', 0o644), 5)?.toString()).toBe('12345');
    expect(readTrusted('/no/such', 5)).toBeUndefined();
    expect(readTrusted(join(fileOf(''), 'below'), 5)).toBeUndefined();
    const large = fileOf('123456');
    expect(() => readTrusted(large, 5)).toThrow(`${large} is larger than 5 bytes`);
  });

  it('may not be written by others, nor may its folder', () => {
    needsUnix('owners and modes');
    for (const mode of [0o620, 0o602, 0o666]) {
      const path = fileOf('x', mode);
      expect(() => readTrusted(path, 5)).toThrow(
        `refusing to read ${path}: others may write it (mode ${shown(mode)})`,
      );
    }
    const path = fileOf('x');
    const folder = fs.realpathSync(join(path, '..'));
    for (const mode of [0o702, 0o770, 0o1777]) {
      fs.chmodSync(folder, mode);
      expect(() => readTrusted(path, 5)).toThrow(
        `refusing to use ${folder}: others may write it (mode ${shown(mode)})`,
      );
    }
  });

  it.runIf(isRoot)('may not belong to another user, nor may its folder', () => {
    needsUnix('owners and modes');
    const path = fileOf('x');
    const folder = join(path, '..');
    fs.chownSync(path, STRANGER, 0);
    expect(() => readTrusted(path, 5)).toThrow(
      `refusing to read ${path}: it belongs to another user (${STRANGER})`,
    );
    fs.chownSync(path, 0, 0);
    fs.chownSync(folder, STRANGER, 0);
    expect(() => readTrusted(path, 5)).toThrow(
      `refusing to use ${folder}: it belongs to another user (${STRANGER})`,
    );
  });

  it.runIf(isRoot)('is judged by the effective user', () => {
    needsUnix('owners and modes');
    const [path, shared, ofRoot, handed] = ['x', 'x', 'x', 'x'].map((text) => fileOf(text)) as [
      string,
      string,
      string,
      string,
    ];
    for (const own of [path, shared]) {
      fs.chownSync(own, STRANGER, STRANGER);
      fs.chownSync(join(own, '..'), STRANGER, STRANGER);
    }
    // The user's own group is a group as well.
    fs.chmodSync(join(shared, '..'), 0o770);
    fs.chmodSync(join(ofRoot, '..'), 0o755);
    fs.chmodSync(ofRoot, 0o644);
    fs.chmodSync(join(handed, '..'), 0o755);
    fs.chownSync(handed, 0, STRANGER);
    fs.chmodSync(handed, 0o440);
    const open = fileOf('x', 0o460);
    fs.chmodSync(join(open, '..'), 0o755);
    fs.chownSync(open, 0, STRANGER);
    const rewritten = fileOf('x', 0o640);
    fs.chmodSync(join(rewritten, '..'), 0o755);
    fs.chownSync(rewritten, 0, STRANGER);
    const [theirs, dark] = [temporaryFolder(), temporaryFolder()];
    fs.chownSync(theirs, STRANGER + 1, STRANGER + 1);
    fs.chownSync(dark, STRANGER, STRANGER);
    fs.chmodSync(dark, 0o300);
    asUser(STRANGER, STRANGER, () => {
      expect(readTrusted(path, 5)?.toString()).toBe('x');
      expect(readTrusted(ofRoot, 5)?.toString()).toBe('x');
      expect(() => readTrusted(shared, 5)).toThrow('(mode 0770)');
      expect(readPrivate(handed, 5)?.toString()).toBe('x');
      expect(readPrivate(rewritten, 5)?.toString()).toBe('x');
      expect(() => readPrivate(open, 5)).toThrow('it belongs to another user');
      expect(readPrivate('/no/such', 5)).toBeUndefined();
      // The system decides if this user may write there.
      expect(() => checkWriteAsRoot(join(theirs, 'below'))).not.toThrow();
      // A folder that cannot be opened cannot be synced.
      expect(() => syncFolder(dark)).not.toThrow();
    });
    asUser(STRANGER + 1, STRANGER + 1, () => expect(readTrusted(ofRoot, 5)?.toString()).toBe('x'));
  });

  it('is judged by the folder that its links lead to', () => {
    needsUnix('owners and modes');
    const path = fileOf('x');
    const [folder, other] = [join(path, '..'), temporaryFolder()];
    const [link, way] = [join(other, 'link'), join(other, 'way')];
    fs.symlinkSync(path, link);
    fs.symlinkSync(folder, way);
    expect(readTrusted(link, 5)?.toString()).toBe('x');
    expect(readTrusted(join(way, 'file'), 5)?.toString()).toBe('x');
    fs.chmodSync(folder, 0o702);
    for (const by of [link, join(way, 'file')])
      expect(() => readTrusted(by, 5)).toThrow(`refusing to use ${fs.realpathSync(folder)}`);
  });
});

describe('a temporary file', () => {
  it('or a folder names its writer, and is deleted when the writer has died', () => {
    const folder = temporaryFolder();
    const target = join(folder, 'x');
    const [, writer, nonce] = /\.x\.(\d+)-([0-9a-f]+)\.tmp$/.exec(temporaryName(target))!;
    expect(Number(writer)).toBe(process.pid);
    const deadWriter = `999999999-${nonce}.tmp`;
    const dead = [`.x.${deadWriter}`, `.x.lock.${deadWriter}`];
    const kept = [
      `.x.${process.pid}-${nonce}.tmp`,
      `.y.${deadWriter}`,
      `x.${deadWriter}`,
      `.x.${deadWriter}.old`,
      `.x.z${deadWriter}`,
      `.x.999999999-ab.tmp`,
    ];
    for (const name of [...dead, ...kept]) fs.writeFileSync(join(folder, name), '');
    removeStaleTemporaries(target);
    expect(fs.readdirSync(folder).toSorted()).toEqual(kept.toSorted());
    for (const name of dead) {
      fs.mkdirSync(join(folder, name));
      fs.writeFileSync(join(folder, name, 'x'), '');
    }
    saveFile(target, 'new');
    expect(fs.readdirSync(folder).toSorted()).toEqual([...kept, 'x'].toSorted());
  });
});

it('a check whether a file can be replaced changes nothing, and needs an existing folder', () => {
  const path = fileOf('old');
  checkReplaceable(path);
  const folder = join(path, '..');
  expect([fs.readFileSync(path, 'utf8'), fs.readdirSync(folder)]).toEqual(['old', ['file']]);
  expect(() => checkReplaceable(folder)).toThrow(`${folder} is not a regular file`);
  const nowhere = join(folder, 'no', 'file');
  expect(() => checkReplaceable(nowhere)).toThrow(
    `cannot write ${nowhere}: a folder in the path does not exist`,
  );
});

describe('a save', () => {
  it('leaves no descriptor open, whether it is a save, a check or a line', () => {
    needsUnix('devices and no /proc');
    const folder = temporaryFolder();
    const path = join(folder, 'x');
    const opened = () => fs.readdirSync('/proc/self/fd').length;
    const before = opened();
    saveFile(path, 'x');
    saveFile(path, 'y');
    checkReplaceable(path);
    appendLines(path, 'z\n');
    syncFolder(folder);
    expect(readIfPresent(path, 9)).toHaveLength(4);
    expect(() => readIfPresent(path, 3)).toThrow('is larger than 3 bytes');
    expect(opened()).toBe(before);
    expect(fs.readFileSync(path, 'utf8')).toBe('y\nz\n');
  });
});

/** Makes `<root>/<n>/a/b` as soon as `<root>/<n>` exists, for n from 0 to 499. */
const rival = `
const { existsSync, mkdirSync } = require('node:fs');
const { parentPort, workerData: root } = require('node:worker_threads');
parentPort.postMessage('ready');
for (let n = 0; n < 500; n += 1) {
  while (!existsSync(root + '/' + n)) if (existsSync(root + '/end')) process.exit(0);
  for (const path of ['/a', '/a/b']) try { mkdirSync(root + '/' + n + path); } catch {}
}`;

describe('a private folder', () => {
  it('is created while another process creates the same one', async () => {
    const root = temporaryFolder();
    const worker = new Worker(rival, { eval: true, workerData: root });
    await new Promise((ready) => worker.once('message', ready));
    try {
      for (let n = 0; n < 500; n += 1) makePrivateFolder(join(root, `${n}`, 'a', 'b'));
      expect(fs.existsSync(join(root, '499', 'a', 'b'))).toBe(true);
    } finally {
      fs.writeFileSync(join(root, 'end'), '');
      await worker.terminate();
    }
  });

  it.each([
    ['is a file', 'file', 'something else has that name'],
    ['has a file above it', 'file/a/b', 'a part of the path is not a folder'],
  ])('is named in the error when it %s', (_, path, why) => {
    const root = temporaryFolder();
    fs.writeFileSync(join(root, 'file'), '');
    expect(() => makePrivateFolder(join(root, path))).toThrow(
      `cannot write ${join(root, path)}: ${why}`,
    );
  });
});

it('a path is in the Windows profile only below folders that a variable names in full', () => {
  const roaming = temporaryFolder();
  vi.stubEnv('APPDATA', roaming);
  vi.stubEnv('LOCALAPPDATA', 'local');
  try {
    expect(profileFolders()).toEqual([homedir(), roaming]);
    vi.stubEnv('APPDATA', undefined);
    expect(profileFolders()).toEqual([homedir()]);
  } finally {
    vi.unstubAllEnvs();
  }
});
