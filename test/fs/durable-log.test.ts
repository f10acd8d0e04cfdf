// Lines that are on the disk before their writer goes on, and what a killed writer leaves of a line. A full disk is in
// full-disk.test.ts, and with the program in commands/webhooks/durability.test.ts.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDurableLog } from '../../src/fs/durable-log.ts';
import type { LockOptions } from '../../src/fs/lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';

const START = '{"at":';
const read = (path: string) => fs.readFileSync(path, 'utf8');

function opened(path = join(temporaryFolder(), 'log'), timeout: LockOptions = {}) {
  const log = openDurableLog(path, START, timeout);
  return { path, log };
}

describe('a line', () => {
  it('is in a private file, through a link, and after those of others', async () => {
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

  it('is appended to a long file without reading that', async () => {
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

  it('goes to a new file where the old one was moved away', async () => {
    const { path, log } = opened();
    await log.append(`${START}1}\n`);
    fs.renameSync(path, `${path}.1`);
    await log.append(`${START}2}\n`);
    expect([read(`${path}.1`), read(path)]).toEqual([`${START}1}\n`, `${START}2}\n`]);
  });

  it.each([
    ['is cut off where it is half of one', `${START}1}\n${START}2,"x":"`, `${START}1}\n`],
    ['is cut off where it has hardly begun', `${START}1}\n{"a`, `${START}1}\n`],
    ['is cut off where it is the only one', `${START}"${'x'.repeat(100_000)}`, ''],
    ['stays where it only lacks its end', `${START}1}\n${START}2}`, `${START}1}\n${START}2}\n`],
    ['stays where it is of another hand', 'id\nPostA', 'id\nPostA\n'],
    ['stays where it is no UTF-8', Buffer.from([0xff, 0xfe]), Buffer.from([0xff, 0xfe, 0x0a])],
  ])('that was left without an end %s', async (_what, before, kept) => {
    const { path, log } = opened();
    fs.writeFileSync(path, before);
    await log.append(`${START}3}\n`);
    const all = Buffer.concat([Buffer.from(kept), Buffer.from(`${START}3}\n`)]);
    expect(fs.readFileSync(path).equals(all)).toBe(true);
  });

  it('fails where the lock is not free, and the next one is written without it', async () => {
    const { path, log } = opened(undefined, { waitMs: 1 });
    const owner = { pid: 1, startedAt: '1', host: 'other', system: 'other', nonce: 'abc' };
    fs.writeFileSync(`${path}.lock`, JSON.stringify(owner));
    const both = [1, 2].map((i) => log.append(`${START}${i}}\n`));
    for (const each of both) await expect(each).rejects.toThrow(`${path} is locked by pid 1`);
    fs.rmSync(`${path}.lock`);
    await log.append(`${START}3}\n`);
    expect(read(path)).toBe(`${START}3}\n`);
  });

  it('needs a file in a folder that is there', () => {
    const folder = temporaryFolder();
    for (const name of ['.', 'no/such'])
      expect(() => openDurableLog(join(folder, name), START, {})).toThrow(
        expect.objectContaining({ kind: 'local_io' }) as Error,
      );
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
