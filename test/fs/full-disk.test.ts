// A full disk during an append, a save and a lock. The size limit of this process stands for the disk, so the file has
// a process of its own.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendLines } from '../../src/fs/append-log.ts';
import { saveFile } from '../../src/fs/atomic-write.ts';
import { withFileLock } from '../../src/fs/lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (path: string) => fs.readFileSync(path, 'utf8');
const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const limitFiles = (soft: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${soft}:`]);

/** Runs something that may make no file larger than this. */
function within<T>(bytes: number, work: () => T): T {
  limitFiles(bytes);
  try {
    return work();
  } finally {
    limitFiles('unlimited');
  }
}

describe.runIf(canLimit)('a full disk', () => {
  it('is reported with where it cut a line', () => {
    const path = join(temporaryFolder(), 'log');
    appendLines(path, 'one\n');
    expect(() => within(6, () => appendLines(path, 'two\n'))).toThrow(
      `cannot write ${path}: the file was cut short`,
    );
    expect(read(path)).toBe('one\ntw');
    appendLines(path, 'three\n');
    expect(read(path)).toBe('one\ntw\nthree\n');
  });

  it('leaves the old file whole, and no part of the new one', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    saveFile(path, 'old');
    expect(() => within(100, () => saveFile(path, 'n'.repeat(101)))).toThrow(
      `cannot write ${path}: the file would pass the size limit`,
    );
    expect([read(path), fs.readdirSync(folder)]).toEqual(['old', ['file']]);
  });

  it('leaves no empty lock', async () => {
    const folder = temporaryFolder();
    limitFiles(0);
    try {
      await expect(withFileLock(join(folder, 'file'), () => 1)).rejects.toThrow(
        'the file would pass the size limit',
      );
    } finally {
      limitFiles('unlimited');
    }
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
