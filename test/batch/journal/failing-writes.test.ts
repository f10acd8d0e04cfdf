// A journal of which nothing can be written, or nothing synced: no request may be sent then.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Journal, makeJournal, openJournal } from '../../../src/batch/journal/journal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(22)) as [string, string, string];
const newPath = () => join(temporaryFolder(), 'journal');
async function open(path: string): Promise<Journal> {
  makeJournal(path, job);
  return openJournal(path, job, () => 1234);
}

describe('a journal whose writes fail', () => {
  /** Puts another file in the place of the descriptor that has a journal open. */
  function replaceOpenFile(path: string, other: string, flags: string): void {
    needsUnix('/proc');
    const fd = fs
      .readdirSync('/proc/self/fd')
      .map(Number)
      .find((each) => fs.existsSync(`/proc/self/fd/${each}`) && linkOf(each) === path)!;
    fs.closeSync(fd);
    const opened: number[] = [];
    while (opened.at(-1) !== fd) opened.push(fs.openSync(other, flags));
    for (const each of opened.slice(0, -1)) fs.closeSync(each);
  }
  const linkOf = (fd: number) => fs.readlinkSync(`/proc/self/fd/${fd}`);
  const refusal = (path: string, code: string) => ({
    kind: 'local_io',
    message: `cannot write ${path}: ${code}`,
  });

  it('lets no intent through that was not written, and none after it', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(a, undefined);
    replaceOpenFile(path, path, 'r');
    const size = fs.statSync(path).size;
    const both = await Promise.allSettled([b, c].map((key) => journal.intend(key, undefined)));
    for (const each of both)
      expect(each).toMatchObject({ status: 'rejected', reason: refusal(path, 'EBADF') });
    await expect(journal.intend(a, undefined)).rejects.toMatchObject(refusal(path, 'EBADF'));
    journal.end(a, undefined, 'done', 0);
    await expect(journal.close()).rejects.toMatchObject(refusal(path, 'EBADF'));
    expect(fs.statSync(path).size).toBe(size);
  });

  it('says so at the latest when it is closed', async () => {
    const path = newPath();
    const journal = await open(path);
    replaceOpenFile(path, path, 'r');
    journal.end(a, undefined, 'done', 0);
    await expect(journal.close()).rejects.toMatchObject(refusal(path, 'EBADF'));
  });
});
