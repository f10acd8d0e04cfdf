// A save when the system refuses one of its steps, or when the mode of the file is already right.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendLines } from '../../src/fs/append-log.ts';
import { saveFile } from '../../src/fs/atomic-write.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';

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
