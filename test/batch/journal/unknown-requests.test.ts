// What a journal leaves unknown, request by request, and what is written down of it.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import { type Job, type Journal, openJournal } from '../../../src/batch/journal/journal.ts';
import {
  type SettlingJournal,
  withUnknownRequests,
} from '../../../src/batch/journal/unknown-requests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const job: Job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const [a, b, c, p, q] = ['a', 'b', 'c', 'p', 'q'].map((letter) => letter.repeat(22)) as [
  string,
  string,
  string,
  string,
  string,
];
const whole = (key: string) => [{ key }];
const parts = (of: string, ...keys: readonly string[]) => keys.map((key) => ({ key, of }));
const runtime = {
  signal: new AbortController().signal,
  now: () => 9000,
} as Runtime;

/** A journal that was written so, by a clock that is put forward. */
async function written(
  write: (journal: Journal, wait: (ms: number) => void) => Promise<void> | void,
): Promise<string> {
  const path = join(temporaryFolder(), 'journal');
  let now = 1000;
  const journal = await openJournal(path, job, () => now);
  await write(journal, (ms) => void (now += ms));
  await journal.close();
  return path;
}
const read = (path: string) => withUnknownRequests(path, runtime, async ({ requests }) => requests);

describe('what a journal leaves unknown', () => {
  it('is each request without an outcome, or whose outcome was unknown', async () => {
    const path = await written(async (journal, wait) => {
      await journal.intend(whole(a), 'PostA');
      wait(10);
      await journal.intend(whole(b), undefined, ['t1', 't2']);
      wait(10);
      await journal.intend(whole(c), 'PostC');
      wait(10);
      journal.end(whole(b), undefined, 'unknown', 12);
      journal.end(whole(c), 'PostC', 'done', 0);
      // An outcome of what was never begun is no request.
      journal.end(whole(p), 'PostP', 'unknown', 12);
    });
    expect(await read(path)).toEqual([
      { id: 'PostA', keys: whole(a), parts: undefined, at: 1000, until: undefined },
      { id: undefined, keys: whole(b), parts: ['t1', 't2'], at: 1010, until: 1030 },
    ]);
  });

  it.each(['done', 'failed', 'accepted', 'unsent'] as const)('is none that is %s', async (as) => {
    const path = await written(async (journal) => {
      await journal.intend(whole(a), 'PostA');
      journal.end(whole(a), 'PostA', as, 0);
    });
    expect(await read(path)).toEqual([]);
  });

  it('is one request where parts of a whole were written at once', async () => {
    const path = await written(async (journal, wait) => {
      await journal.intend(parts(p, a, b), 'PostP');
      wait(51);
      // Later, of another whole, of another post, without a whole: another request.
      await journal.intend(parts(p, c), 'PostP');
      await journal.intend(parts(q, 'd'.repeat(22)), 'PostP');
      await journal.intend(parts(q, 'e'.repeat(22)), 'PostQ');
      await journal.intend(whole('f'.repeat(22)), 'PostQ');
      await journal.intend(whole('g'.repeat(22)), 'PostQ');
    });
    const requests = await read(path);
    expect(requests.map(({ id, keys }) => [id, keys.map(({ key }) => key[0]).join('')])).toEqual([
      ['PostP', 'ab'],
      ['PostP', 'c'],
      ['PostP', 'd'],
      ['PostQ', 'e'],
      ['PostQ', 'f'],
      ['PostQ', 'g'],
    ]);
    expect(requests[0]!.keys).toStrictEqual(parts(p, a, b));
    expect(requests[4]!.keys).toStrictEqual(whole('f'.repeat(22)));
  });

  it('is one request up to the fiftieth millisecond, and none after an outcome', async () => {
    const path = await written(async (journal, wait) => {
      await journal.intend(parts(p, a), 'PostP');
      wait(50);
      await journal.intend(parts(p, b), 'PostP');
      journal.end(parts(q, 'd'.repeat(22)), 'PostQ', 'failed', 6);
      await journal.intend(parts(p, c), 'PostP');
    });
    expect((await read(path)).map(({ keys }) => keys.length)).toEqual([2, 1]);
  });

  it('loses the parts that have an outcome, and goes by what was sent last', async () => {
    const path = await written(async (journal, wait) => {
      await journal.intend(parts(p, a, b), 'PostP');
      wait(100);
      journal.end(parts(p, a), 'PostP', 'done', 0);
      journal.end(parts(p, b), 'PostP', 'unknown', 12);
      wait(100);
      await journal.intend(parts(p, b), 'PostP');
    });
    expect(await read(path)).toEqual([
      { id: 'PostP', keys: parts(p, b), parts: undefined, at: 1200, until: undefined },
    ]);
  });

  it('can be written down, under the lock of the file', async () => {
    const path = await written((journal) => journal.intend(whole(a), 'PostA'));
    const seen = await withUnknownRequests(path, runtime, async (open: SettlingJournal) => {
      expect(fs.existsSync(`${path}.lock`)).toBe(true);
      expect(open.heading).toEqual({ social: 'journal', format: 1, ...job });
      open.journal.end(open.requests[0]!.keys, 'PostA', 'done', 0);
      return 'seen';
    });
    expect(seen).toBe('seen');
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
    expect(await read(path)).toEqual([]);
    const last = fs.readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ end: a, at: 9000 });
  });

  it('cannot be read where there is no journal', async () => {
    const path = join(temporaryFolder(), 'none');
    await expect(read(path)).rejects.toMatchObject({
      kind: 'usage',
      facts: { details: [{ field: '--journal', problem: `cannot read "${path}": no such file` }] },
    });
    expect(fs.existsSync(path)).toBe(false);
    fs.writeFileSync(path, '');
    await expect(read(path)).rejects.toMatchObject({
      kind: 'local_io',
      facts: { what: `${path} is empty: it is no journal` },
    });
    needsUnix('/proc');
    const open = fs.readdirSync('/proc/self/fd').length;
    await expect(read(path)).rejects.toThrow('is empty');
    expect(fs.readdirSync('/proc/self/fd')).toHaveLength(open);
  });

  it('is closed where the work fails', async () => {
    const path = await written((journal) => journal.intend(whole(a), 'PostA'));
    const error = new Error('no');
    await expect(withUnknownRequests(path, runtime, () => Promise.reject(error))).rejects.toBe(
      error,
    );
    expect(await read(path)).toHaveLength(1);
  });
});
