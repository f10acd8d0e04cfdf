// Where the records of a batch come from: each can be read twice, and is closed afterwards.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { retry } from '../../../src/api/operations/posts.ts';
import { create } from '../../../src/api/operations/webhooks.ts';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { type RecordSource, recordSource, typedSource } from '../../../src/batch/read/source.ts';
import type { Runtime } from '../../../src/base/runtime.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const open = (
  from: string,
  {
    column,
    operation = retry,
    stdin,
  }: { readonly column?: string; readonly operation?: Operation; readonly stdin?: string } = {},
) => {
  const runtime = {
    stdin: {
      isTTY: stdin === undefined,
      async *chunks() {
        yield Buffer.from(stdin ?? '');
      },
    },
    signal: new AbortController().signal,
  } as unknown as Runtime;
  return recordSource({ from, column }, fieldsOf(operation), runtime);
};
async function groupsOf(source: RecordSource) {
  const groups = [];
  for await (const group of source.entries()) groups.push(group);
  return groups;
}
const idsOf = async (source: RecordSource) =>
  (await groupsOf(source)).flat().map((entry) => 'input' in entry && entry.input['postId']);
const usage = (fault: object) => ({ kind: 'usage', facts: { details: [fault] } });

describe('the records of a batch come', () => {
  it('from the command line, as often as they are asked for', async () => {
    const source = typedSource([{ postId: 'a' }, { postId: 'b' }]);
    expect(source.name).toBe('the command line');
    for (let time = 0; time < 2; time++)
      expect(await groupsOf(source)).toEqual([
        [
          { line: 1, input: { postId: 'a' } },
          { line: 2, input: { postId: 'b' } },
        ],
      ]);
    await source.close();
  });

  it('from a file, a piece at a time, until it is closed', async () => {
    const from = join(temporaryFolder(), 'list');
    const text = `${'a'.repeat(2047)}\n`;
    writeFileSync(from, text + text);
    const source = await open(from);
    expect(source.name).toBe(from);
    for (let time = 0; time < 2; time++)
      expect((await groupsOf(source)).map((group) => group.map(({ line }) => line))).toEqual([
        [1],
        [2],
        [],
      ]);
    await source.close();
    await expect(groupsOf(source)).rejects.toThrow(/closed/);
  });

  it('from standard input, which is read once and kept until it is closed', async () => {
    const source = await open('-', { stdin: 'a\nb' });
    expect(source.name).toBe('standard input');
    for (let time = 0; time < 2; time++) expect(await idsOf(source)).toEqual(['a', 'b']);
    await source.close();
    await expect(groupsOf(source)).rejects.toThrow(/closed/);
  });

  it('from a device', async () => {
    needsUnix('devices');
    const source = await open('/dev/null');
    for (let time = 0; time < 2; time++) expect(await idsOf(source)).toEqual([]);
    await source.close();
  });

  it('from one column', async () => {
    const stdin = 'shop,id\n1,a\n2,b\n';
    const source = await open('-', { column: 'id', stdin });
    expect(await idsOf(source)).toEqual(['a', 'b']);
    await source.close();
    await expect(open('-', { column: 'id', operation: create, stdin })).rejects.toMatchObject(
      usage({ field: '--column', problem: 'needs a command that takes an ID' }),
    );
    const other = await open('-', { operation: create, stdin: '{"url":"u"}' });
    expect(await groupsOf(other)).toEqual([[], [{ line: 1, input: { url: 'u' } }]]);
    await other.close();
  });

  it('from no terminal', async () => {
    await expect(open('-')).rejects.toMatchObject(
      usage({
        field: '--from',
        problem: 'cannot read stdin: it is a terminal',
        fix: 'pipe the records in, or specify a file',
      }),
    );
  });

  it.each([
    ['none', 'no such file'],
    ['folder', 'it is a folder'],
    ['n'.repeat(300), 'ENAMETOOLONG'],
  ])('from no %s', async (name, why) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    const path = join(folder, name);
    const shown = expect.stringMatching(/^cannot read ".+": /) as string;
    await expect(open(path)).rejects.toMatchObject(usage({ field: '--from', problem: shown }));
    await expect(open(path)).rejects.toThrow(`: ${why}`);
  });
});
