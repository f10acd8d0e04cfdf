// The way to a file that is believed: each folder on it, through links.

import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { profileFolders } from '../../src/fs/lock-owner.ts';
import { checkTrusted } from '../../src/fs/permissions.ts';
import { readIfPresent } from '../../src/fs/safe-read.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';

const readTrusted = (path: string) => readIfPresent(path, 9, 'trusted')?.toString();

it('may lead through as many links as the system follows', () => {
  needsUnix('owners and modes');
  const folder = temporaryFolder();
  fs.writeFileSync(join(folder, 'l0'), 'x', { mode: 0o600 });
  for (let i = 1; i <= 41; i++) fs.symlinkSync(`l${i - 1}`, join(folder, `l${i}`));
  const most = Array.from({ length: 41 }, (_, i) => join(folder, `l${i + 1}`)).findLast(canOpen)!;
  expect(most).toBe(join(folder, 'l40'));
  expect(readTrusted(most)).toBe('x');
});

function canOpen(path: string): boolean {
  try {
    fs.closeSync(fs.openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}

it('is refused where it became a circle after the file was opened', () => {
  needsUnix('owners and modes');
  const path = join(temporaryFolder(), 'file');
  fs.writeFileSync(path, 'x', { mode: 0o600 });
  const opened = fs.statSync(path);
  fs.rmSync(path);
  fs.symlinkSync('file', path);
  expect(() => checkTrusted(path, opened)).toThrow(`cannot read ${path}: too many symbolic links`);
});

it('is judged where a link leads really, also one that the way has come through before', () => {
  needsUnix('owners and modes');
  const root = temporaryFolder();
  const at = (...names: string[]) => join(root, ...names);
  for (const folder of ['short', 'open', 'deep/open', 'deep/down'])
    fs.mkdirSync(at(folder), { recursive: true, mode: 0o700 });
  for (const folder of ['open', 'deep/open'])
    fs.writeFileSync(at(folder, 'file'), folder, { mode: 0o600 });
  // Through `way` twice: `first` leads back to it, and from there `..` is `deep`, not the folder that `way` is in.
  fs.symlinkSync('../deep/down', at('short/way'));
  fs.symlinkSync(at('short/way/second'), at('deep/down/first'));
  fs.symlinkSync('../open/file', at('deep/down/second'));
  const path = at('short/way/first');
  expect(readTrusted(path)).toBe('deep/open');
  fs.chmodSync(at('deep/open'), 0o777);
  expect(() => readTrusted(path)).toThrow(`others can write to ${at('deep/open')} (mode 0777)`);
});

it('is in the profile only below folders that a variable names in full', () => {
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
