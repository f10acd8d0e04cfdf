// Files that several processes append to: lines stay whole, none is lost, and a file is rotated once. A full disk is in
// full-disk.test.ts; durable lines are in commands/webhooks/durability.test.ts and batch/journal.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendLines, HeldLog, rotatedPath, rotate } from '../../src/fs/append-log.ts';
import { withFileLock } from '../../src/fs/lock.ts';
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

it('an append makes a private file in a private folder, through a link too, and keeps it private', () => {
  needsUnix('owners and modes');
  const folder = join(temporaryFolder(), 'state');
  const path = join(folder, 'log');
  appendLines(path, 'one\n');
  expect([mode(folder), mode(path)]).toEqual([0o700, 0o600]);
  fs.chmodSync(path, 0o644);
  appendLines(path, 'two\n');
  fs.symlinkSync('log', join(folder, 'link'));
  appendLines(join(folder, 'link'), 'three\n');
  expect([mode(path), read(path)]).toEqual([0o600, 'one\ntwo\nthree\n']);
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

it('a line beside which another process wrote is not called written, nor is any later one', async () => {
  const path = join(temporaryFolder(), 'log');
  const fd = fs.openSync(path, 'a+');
  const log = new HeldLog(fd, path, 0, (problem) => new Error(problem));
  const first = log.append('one\n');
  // The log checks the file and begins to write in its turn of the event loop; the other process comes right after it.
  await Promise.resolve();
  await Promise.resolve();
  setImmediate(() => fs.appendFileSync(path, 'other\n'));
  await expect(first).rejects.toThrow('was written to by another program');
  await expect(log.append('two\n')).rejects.toThrow('was written to by another program');
  expect(read(path)).not.toContain('two');
  fs.closeSync(fd);
});
