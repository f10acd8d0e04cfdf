// What a full disk leaves of a line that must be on it. The size limit of this process stands for the disk, so the file
// has a process of its own.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDurableLog } from '../../src/fs/durable-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const START = '{"at":';
const read = (path: string) => fs.readFileSync(path, 'utf8');
const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const limitFiles = (soft: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${soft}:`]);

it.runIf(canLimit)(
  'leaves nothing of a line on a full disk, and goes on when there is room',
  async () => {
    const path = join(temporaryFolder(), 'log');
    const log = openDurableLog(path, START, {});
    onTestFinished(() => log.close());
    await log.append(`${START}1}\n`);
    onTestFinished(() => void limitFiles('unlimited'));
    limitFiles(fs.statSync(path).size + 5);
    const full = {
      kind: 'local_io',
      message: `cannot write ${path}: the file would pass the size limit`,
    };
    const both = [`${START}2}\n`, `${START}3}\n`].map((line) => log.append(line));
    for (const each of both) await expect(each).rejects.toMatchObject(full);
    expect(read(path)).toBe(`${START}1}\n`);
    limitFiles('unlimited');
    await log.append(`${START}4}\n`);
    expect(read(path)).toBe(`${START}1}\n${START}4}\n`);
  },
);
