// Files that several processes append to: lines stay whole, none is lost, a durable one is on the disk before its
// writer continues, and a file is rotated once. A full disk is in full-disk.test.ts; the program in
// commands/webhooks/durability.test.ts and batch/journal.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendLines, openSharedLog, rotatedPath, rotate } from '../../src/fs/append-log.ts';
import { type LockOptions, withFileLock } from '../../src/fs/lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { built, start } from './program.ts';
import { needsUnix } from '../support/unix.ts';

const folderOfProgram = fs.mkdtempSync(join(tmpdir(), 'social-append-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('programs/files.ts', import.meta.url), folderOfProgram);
});
afterAll(() => fs.rmSync(folderOfProgram, { recursive: true, force: true }));

const read = (path: string) => fs.readFileSync(path, 'utf8');
const mode = (path: string) => fs.statSync(path).mode & 0o777;

it('an append makes a private file in a private folder, and keeps it private', () => {
  needsUnix('owners and modes');
  const folder = join(temporaryFolder(), 'state');
  const path = join(folder, 'log');
  expect(appendLines(path, 'one\n')).toBe(4);
  expect([mode(folder), mode(path)]).toEqual([0o700, 0o600]);
  fs.chmodSync(path, 0o644);
  expect(appendLines(path, 'two\n')).toBe(8);
  expect([mode(path), read(path)]).toEqual([0o600, 'one\ntwo\n']);
});

it('an append starts a new line after an unfinished one', () => {
  const path = join(temporaryFolder(), 'log');
  fs.writeFileSync(path, 'one\nhal');
  appendLines(path, 'two\n');
  expect(read(path)).toBe('one\nhal\ntwo\n');
});

it('an append rejects what is not a regular file', () => {
  const folder = temporaryFolder();
  expect(() => appendLines(folder, 'x\n')).toThrow(folder);
  expect(() => appendLines(join(folder, 'a', '\0'), 'x\n')).toThrow('cannot write');
});

it('a large file is renamed, over the previous one', async () => {
  const path = join(temporaryFolder(), 'log');
  appendLines(path, 'old\n');
  await rotate(path, 4);
  expect(fs.existsSync(rotatedPath(path))).toBe(false);
  appendLines(path, 'long enough\n');
  await rotate(path, 10);
  expect(fs.existsSync(path)).toBe(false);
  expect(read(rotatedPath(path))).toBe('old\nlong enough\n');
  await rotate(path, 10);
  expect(read(rotatedPath(path))).toBe('old\nlong enough\n');
});

it('a failed rename is reported', async () => {
  const path = join(temporaryFolder(), 'log');
  appendLines(path, 'long enough\n');
  fs.mkdirSync(rotatedPath(path));
  await expect(rotate(path, 4)).rejects.toMatchObject({ kind: 'local_io' });
});

it('a file that another process is renaming is left to it', async () => {
  const path = join(temporaryFolder(), 'log');
  appendLines(path, 'long enough\n');
  await withFileLock(path, async () => {
    const begin = performance.now();
    await expect(rotate(path, 4)).rejects.toThrow(`${path} is locked by pid ${process.pid}`);
    expect(performance.now() - begin).toBeLessThan(3000);
  });
  expect(read(path)).toBe('long enough\n');
});

it('eight writers lose no line', async () => {
  const path = join(temporaryFolder(), 'log');
  const writers = Array.from({ length: 8 }, (_, i) =>
    start(program, ['append', path, `w${i}`, '200', '1000000000']),
  );
  for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
  const lines = read(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { name: string; i: number });
  expect(lines).toHaveLength(1600);
  expect(new Set(lines.map(({ name, i }) => `${name} ${i}`)).size).toBe(1600);
});

it('several writers that rename at once never overwrite the old file with the new one', async () => {
  const path = join(temporaryFolder(), 'log');
  // Together they write a little more than once the limit: the file must be put aside exactly once.
  const writers = Array.from({ length: 6 }, (_, i) =>
    start(program, ['append', path, `w${i}`, '100', '25000']),
  );
  for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
  const all = read(rotatedPath(path)) + (fs.existsSync(path) ? read(path) : '');
  expect(all.split('\n').filter((line) => line !== '')).toHaveLength(600);
  expect(fs.readdirSync(join(path, '..')).toSorted()).toEqual(
    ['log', 'log.1'].filter((name) => fs.existsSync(join(path, '..', name))),
  );
});

const START = '{"at":';

function opened(path = join(temporaryFolder(), 'log'), timeout: LockOptions = {}) {
  return { path, log: openSharedLog(path, timeout) };
}

describe('a line of a shared log', () => {
  it('is written to a private file, through a link, after those of others', async () => {
    needsUnix('owners and modes');
    const folder = temporaryFolder();
    const path = join(folder, 'log');
    fs.symlinkSync('log', join(folder, 'link'));
    const { log } = opened(join(folder, 'link'));
    const other = opened(path).log;
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    fs.chmodSync(path, 0o644);
    const lines = Array.from({ length: 40 }, (_, i) => `${START}${i}}\n`);
    await Promise.all(lines.map((line, i) => (i % 2 === 0 ? log : other).append(line)));
    expect(
      read(path)
        .split(/(?<=\n)/)
        .toSorted(),
    ).toEqual(lines.toSorted());
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(folder).toSorted()).toEqual(['link', 'log']);
  });

  it('leaves no descriptor open', async () => {
    needsUnix('/proc');
    const { log } = opened();
    const before = fs.readdirSync('/proc/self/fd').length;
    await log.append(`${START}1}\n`);
    await log.append(`${START}2}\n`);
    expect(fs.readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  it('is appended to a long file without reading it', async () => {
    needsUnix('/proc');
    const { path, log } = opened();
    fs.writeFileSync(path, Buffer.alloc(4_000_000, `${START}1}\n`.padStart(20)));
    const bytesRead = () =>
      Number(/^rchar: (\d+)/.exec(fs.readFileSync('/proc/self/io', 'utf8'))![1]);
    const before = bytesRead();
    await log.append(`${START}2}\n`);
    expect(bytesRead() - before).toBeLessThan(1_000_000);
    expect(fs.statSync(path).size).toBe(4_000_000 + `${START}2}\n`.length);
  });

  it('goes to a new file when the old one was renamed', async () => {
    const { path, log } = opened();
    await log.append(`${START}1}\n`);
    fs.renameSync(path, `${path}.1`);
    await log.append(`${START}2}\n`);
    expect([read(`${path}.1`), read(path)]).toEqual([`${START}1}\n`, `${START}2}\n`]);
  });

  it('starts a new line after an unfinished one', async () => {
    const { path, log } = opened();
    fs.writeFileSync(path, `${START}1}\n${START}2,"x":"`);
    await log.append(`${START}3}\n`);
    expect(read(path)).toBe(`${START}1}\n${START}2,"x":"\n${START}3}\n`);
  });

  it('fails when the lock is not free, and the next one is written without it', async () => {
    const { path, log } = opened(undefined, { waitMs: 1 });
    const owner = { pid: 1, startedAt: '1', host: 'other', system: 'other', nonce: 'abc' };
    fs.writeFileSync(`${path}.lock`, JSON.stringify(owner));
    const both = [1, 2].map((i) => log.append(`${START}${i}}\n`));
    for (const each of both) await expect(each).rejects.toThrow(`${path} is locked by pid 1`);
    fs.rmSync(`${path}.lock`);
    await log.append(`${START}3}\n`);
    expect(read(path)).toBe(`${START}3}\n`);
  });

  it('needs a folder that exists', () => {
    const folder = temporaryFolder();
    for (const name of ['.', 'no/such'])
      expect(() => openSharedLog(join(folder, name))).toThrow(
        expect.objectContaining({ kind: 'local_io' }) as Error,
      );
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
