// The command of a batch with other files and flags: what it is, and where there is none.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retry } from '../../../src/api/operations/posts.ts';
import { Failure } from '../../../src/base/errors.ts';
import { listWords } from '../../../src/batch/options.ts';
import { againLine, recordWords, resumeLine } from '../../../src/batch/report/next-command.ts';
import { BatchSummary, endedBatch } from '../../../src/batch/report/summary.ts';
import { temporaryFolder } from '../../support/test-cli.ts';

type Run = Parameters<typeof endedBatch>[0];

const run = (argv: string, batch: Partial<Run['batch']>): Run =>
  ({
    batch,
    prepared: { operation: retry, argv: argv.split(' ') },
    failuresFile: { savedCount: () => (batch.failuresTo === undefined ? undefined : 1) },
  }) as unknown as Run;
interface Given {
  readonly failed?: number;
  readonly count?: number;
  readonly stopped?: Failure;
}
const summaryOf = ({ failed = 1, count = 1, stopped: why }: Given = {}): BatchSummary => {
  const summary = new BatchSummary(count, (text) => text);
  summary.counts.failed = failed;
  summary.stopped = why;
  return summary;
};
const stopped = (code?: string) =>
  new Failure('local_io', { what: 'x', ...(code === undefined ? {} : { code }) });
const ids = (count: number) => Array.from({ length: count }, (_, i) => ({ postId: `Post${i}` }));

describe('the records that are left', () => {
  it.each([
    [1, {}, true],
    [undefined, {}, false],
    [0, {}, false],
    [1, { stopped: stopped() }, false],
    [1, { stopped: stopped('closed_pipe') }, true],
    [1, { stopped: new Failure('interrupted', { what: 'x' }) }, true],
  ] as const)('%# are saved in a file, or not', (savedCount, more, isSaved) => {
    const failuresFile = { savedCount: () => savedCount } as Run['failuresFile'];
    const given = { ...run('posts retry', { failuresTo: 'left' }), failuresFile };
    expect(endedBatch(given, summaryOf(more)).savedTo).toBe(isSaved ? 'left' : undefined);
  });
});

describe('the command that resumes', () => {
  const saved = { from: 'ids', failuresTo: '/none/left' };
  it.each([
    ['--from ids --journal j --retry-unknown', { journal: 'j' }, {}, '--from ids --journal j'],
    ['--from ids --journal j', { journal: 'j' }, { failed: 0 }, '--from ids --journal j'],
    [
      '--from /dev/fd/63 --journal j',
      { from: '/dev/fd/63', journal: 'j' },
      {},
      '--from - --journal j',
    ],
    [
      '--journal j --from=/proc/self/fd/11',
      { from: '/proc/self/fd/11', journal: 'j' },
      {},
      '--journal j --from=-',
    ],
    ['--from ids', { from: 'ids' }, {}, undefined],
    ['A B', { failuresTo: '/none/left' }, {}, undefined],
    ['--from ids --failures-to /none/left', saved, { failed: 0, count: 0 }, undefined],
    [
      '--from ids --failures-to /none/left --retry-unknown',
      saved,
      {},
      '--from /none/left --failures-to /none/left.2',
    ],
    [
      '--from a --failures-to /none/a.b.19.txt',
      { from: 'a', failuresTo: '/none/a.b.19.txt' },
      {},
      '--from /none/a.b.19.txt --failures-to /none/a.b.20.txt',
    ],
    [
      '--column 2 --failures-to=/none/left --from=ids --column=3 --wait',
      saved,
      { failed: 0, count: 2 },
      '--failures-to=/none/left.2 --from=/none/left --wait',
    ],
  ] as const)('of "%s" %#', (words, batch, more, line) => {
    const given = run(`posts retry ${words}`, batch);
    expect(resumeLine(endedBatch(given, summaryOf(more)))).toBe(
      line === undefined ? undefined : `social posts retry ${line}`,
    );
  });

  it('writes to the first free name after the name of the list, quoted', () => {
    const folder = temporaryFolder();
    const left = join(folder, "it's.left.ndjson");
    for (const n of [2, 3]) writeFileSync(left.replace('.ndjson', `.${n}.ndjson`), '');
    const argv = ['posts', 'retry', '--from', 'ids', '--failures-to', left];
    const given = { ...run('', { from: 'ids', failuresTo: left }), prepared: { argv } };
    const quoted = left.replace("'", String.raw`'\''`);
    expect(resumeLine(endedBatch(given as unknown as Run, summaryOf()))).toBe(
      `social posts retry --from '${quoted}' --failures-to '${quoted.replace('.ndjson', '.4.ndjson')}'`,
    );
  });
});

describe('the command that repeats a batch', () => {
  it.each([
    ['--from ids', { from: 'ids' }, '--from ids --cause temporary'],
    ['A B', {}, 'A B --cause temporary'],
    ['--cause=x A --cause y -- B', {}, 'A --cause temporary -- B'],
    ['--from -', { from: '-' }, undefined],
    ['--from /dev/fd/63', { from: '/dev/fd/63' }, undefined],
    ['--from /dev/stdin', { from: '/dev/stdin' }, undefined],
    ['--from dev/fd/63', { from: 'dev/fd/63' }, '--from dev/fd/63 --cause temporary'],
    [
      '--from - --failures-to /none/f',
      { from: '-', failuresTo: '/none/f' },
      '--from /none/f --failures-to /none/f.2 --cause temporary',
    ],
    [
      'A --failures-to /none/f --retry-unknown',
      { failuresTo: '/none/f' },
      'A --failures-to /none/f.2 --cause temporary',
    ],
    [
      '--from ids --column c --failures-to /none/f --journal /none/j.x',
      { from: 'ids', failuresTo: '/none/f', journal: '/none/j.x' },
      '--from /none/f --failures-to /none/f.2 --journal /none/j.2.x --cause temporary',
    ],
  ] as const)('of "%s"', (words, batch, line) => {
    const again = againLine(
      endedBatch(run(`posts retry ${words}`, batch), summaryOf()),
      '--cause',
      'temporary',
    );
    expect(again).toBe(line === undefined ? undefined : `social posts retry ${line}`);
  });
});

describe('the IDs of failed records on the command line', () => {
  it.each([
    [{ failuresTo: "it's" }, ids(1), `--from 'it'\\''s'`],
    [{ from: 'ids' }, ids(2), 'Post0 Post1'],
    [{ from: 'ids' }, [...ids(2), ...ids(1)], 'Post0 Post1'],
    [
      { from: 'ids' },
      ids(19),
      ids(19)
        .map(({ postId }) => postId)
        .join(' '),
    ],
    [{ from: 'my ids' }, ids(20), `--from 'my ids'`],
    [{ from: 'ids', column: 'a b' }, ids(20), `--from ids --column 'a b'`],
    [{ from: '-' }, ids(20), undefined],
    [{ from: '/dev/fd/63' }, ids(20), undefined],
    [{}, ids(20), undefined],
  ] as const)('%#', (batch, failed, words) => {
    expect(recordWords(endedBatch(run('posts retry', batch), { named: { failed } } as never))).toBe(
      words,
    );
  });

  it('can come from a list instead', () => {
    expect([listWords('a b', undefined), listWords('-', '$.id')]).toEqual([
      `--from 'a b'`,
      `--from - --column '$.id'`,
    ]);
  });
});
