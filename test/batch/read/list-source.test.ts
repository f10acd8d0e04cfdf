// The bytes of a list: a file, a device or standard input, read whole, and never more than 256 MiB.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import { readList } from '../../../src/batch/read/list.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const read = async (from: string, stdin?: Iterable<Uint8Array>) => {
  const runtime = {
    stdin: {
      isTTY: stdin === undefined,
      async *chunks() {
        yield* stdin ?? [];
      },
    },
    signal: new AbortController().signal,
  } as unknown as Runtime;
  return (await readList(from, runtime)).toString();
};
const usage = (fault: object) => ({ kind: 'usage', facts: { details: [fault] } });

it('a list is read from a file, a device and standard input', async () => {
  const from = join(temporaryFolder(), 'list');
  writeFileSync(from, 'a\nb');
  expect(await read(from)).toBe('a\nb');
  expect(await read('-', [Buffer.from('a\n'), Buffer.from('b')])).toBe('a\nb');
  needsUnix('devices');
  expect(await read('/dev/null')).toBe('');
});

it('a list is not read from a terminal', async () => {
  const problem = 'cannot read stdin: it is a terminal';
  const fix = 'pipe the records in, or specify a file';
  await expect(read('-')).rejects.toMatchObject(usage({ field: '--from', problem, fix }));
});

it.each([
  ['none', 'no such file'],
  ['folder', 'it is a folder'],
  ['n'.repeat(300), 'ENAMETOOLONG'],
])('a list is not read from %s', async (name, why) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'folder'));
  const path = join(folder, name);
  const problem = expect.stringMatching(/^cannot read ".+": /) as string;
  await expect(read(path)).rejects.toMatchObject(usage({ field: '--from', problem }));
  await expect(read(path)).rejects.toThrow(`: ${why}`);
});

it('a list whose path only a shell could read is an error that says so', async () => {
  const problem = 'cannot read "~/list": no such file';
  const fix =
    'it begins with ~, which only a shell replaces; write the whole path, or ./~ for such a name';
  await expect(read('~/list')).rejects.toMatchObject(usage({ field: '--from', problem, fix }));
});

it('a list over 256 MiB is rejected, and not read further', async () => {
  let chunks = 0;
  function* endless() {
    for (const chunk = Buffer.alloc(64 * 1024 * 1024); ; chunks++) yield chunk;
  }
  const fault = { field: '--from', problem: 'standard input has more than 256 MiB' };
  await expect(read('-', endless())).rejects.toMatchObject(usage(fault));
  expect(chunks).toBeLessThan(6);
  needsUnix('devices');
  const zero = { field: '--from', problem: '"/dev/zero" has more than 256 MiB' };
  await expect(read('/dev/zero')).rejects.toMatchObject(usage(zero));
});
