// Saving: private, whole, all or nothing, whatever stands in the way.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readIfPresent } from '../../src/fs/safe-read.ts';
import { appendLines } from '../../src/fs/append-log.ts';
import { saveFile } from '../../src/fs/atomic-write.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { built, start } from './program.ts';
import { needsUnix } from '../support/unix.ts';

const workshop = fs.mkdtempSync(join(tmpdir(), 'social-files-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('programs/files.ts', import.meta.url), workshop);
  fs.chmodSync(workshop, 0o755);
});
afterAll(() => fs.rmSync(workshop, { recursive: true, force: true }));

const modeOf = (path: string) => fs.statSync(path).mode & 0o777;
const text = (path: string) => fs.readFileSync(path, 'utf8');

it('a save writes text and bytes into a private file in a private folder', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a', 'b', 'settings.json');
  saveFile(path, 'é\n');
  expect(text(path)).toBe('é\n');
  saveFile(path, new Uint8Array([0, 255]));
  expect(fs.readFileSync(path)).toEqual(Buffer.from([0, 255]));
  saveFile(path, '');
  expect(text(path)).toBe('');
  expect([modeOf(path), modeOf(join(folder, 'a')), modeOf(join(folder, 'a', 'b'))]).toEqual([
    0o600, 0o700, 0o700,
  ]);
  expect(fs.readdirSync(join(folder, 'a', 'b'))).toEqual(['settings.json']);
});

it('a save makes an existing file private', () => {
  const path = join(temporaryFolder(), 'open.json');
  fs.writeFileSync(path, 'old', { mode: 0o644 });
  saveFile(path, 'new');
  expect(modeOf(path)).toBe(0o600);
});

it('a save replaces the file behind a link and keeps the link', () => {
  const folder = temporaryFolder();
  fs.mkdirSync(join(folder, 'dotfiles'));
  fs.writeFileSync(join(folder, 'dotfiles', 'real.json'), 'old');
  fs.symlinkSync('dotfiles/real.json', join(folder, 'once.json'));
  fs.symlinkSync('once.json', join(folder, 'twice.json'));
  saveFile(join(folder, 'twice.json'), 'new');
  expect(text(join(folder, 'dotfiles', 'real.json'))).toBe('new');
  expect(fs.readlinkSync(join(folder, 'once.json'))).toBe('dotfiles/real.json');
  fs.symlinkSync('nothing-yet.json', join(folder, 'dangling.json'));
  saveFile(join(folder, 'dangling.json'), 'made');
  expect(text(join(folder, 'nothing-yet.json'))).toBe('made');
  fs.symlinkSync('loop', join(folder, 'loop'));
  expect(() => saveFile(join(folder, 'loop'), 'x')).toThrow('too many symbolic links');
});

it('a save rejects what is not a regular file, unread', () => {
  needsUnix('named pipes');
  const folder = temporaryFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('bash', ['-c', 'mkfifo "$0"', pipe]);
  for (const path of [folder, pipe, '/dev/null']) {
    expect(() => saveFile(path, 'x')).toThrow(`${path} is not a regular file`);
    expect(() => readIfPresent(path, 100)).toThrow(`${path} is not a regular file`);
  }
  expect(fs.readdirSync(folder)).toEqual(['pipe']);
});

it('a failed save says why and keeps the old content', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'file');
  fs.writeFileSync(path, 'old');
  expect(() => saveFile(join(path, 'below'), 'x')).toThrow(`cannot write ${join(path, 'below')}: `);
  // The file that is to take its name may have a name too long before it has.
  for (const length of [240, 300])
    expect(() => saveFile(join(folder, 'n'.repeat(length)), 'x')).toThrow('the name is too long');
  expect(fs.readdirSync(folder)).toEqual(['file']);
  expect(text(path)).toBe('old');
});

it.runIf(process.getuid?.() === 0)(
  'a save into a read-only folder keeps the old content',
  async () => {
    needsUnix('owners and modes');
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    fs.writeFileSync(path, 'old', { mode: 0o644 });
    fs.chmodSync(folder, 0o555);
    const { stdout } = await start(program, ['save', path, '10'], { uid: 65534, gid: 65534 }).ended;
    expect(stdout).toBe(`cannot write ${path}: permission denied`);
    expect(text(path)).toBe('old');
  },
);

it('a killed save leaves the old or the new content', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'file');
  saveFile(path, '0'.repeat(200_000));
  for (let round = 0; round < 5; round++) {
    const { child, ended } = start(program, ['saves', path]);
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, 5 + round * 7));
    child.kill('SIGKILL');
    await ended;
    const content = text(path);
    expect(content).toHaveLength(200_000);
    expect(new Set(content).size).toBe(1);
  }
  saveFile(path, 'last');
  expect(fs.readdirSync(folder)).toEqual(['file']);
});

const [MINE, THEIRS] = [4242, 4243];

it.runIf(process.getuid?.() === 0)(
  'a save fails at once when the system refuses to replace the old file, and leaves nothing',
  () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    // In a sticky folder everybody may make files, and replace only their own.
    fs.writeFileSync(path, 'old');
    fs.chownSync(path, THEIRS, THEIRS);
    fs.chownSync(folder, THEIRS, THEIRS);
    fs.chmodSync(folder, 0o1777);
    process.seteuid!(MINE);
    try {
      const begin = performance.now();
      expect(() => saveFile(path, 'new')).toThrow(`cannot write ${path}: permission denied`);
      expect(performance.now() - begin).toBeLessThan(900);
    } finally {
      process.seteuid!(0);
    }
    expect([fs.readFileSync(path, 'utf8'), fs.readdirSync(folder)]).toEqual(['old', ['file']]);
  },
);

it('a save changes no mode that is private already: not every file system allows it', () => {
  needsUnix('owners and modes');
  const path = join(temporaryFolder(), 'log');
  fs.writeFileSync(path, '', { mode: 0o700 });
  appendLines(path, 'one\n');
  expect(fs.statSync(path).mode & 0o777).toBe(0o700);
});
