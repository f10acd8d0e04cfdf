// The requests that a journal leaves unknown, one by one, and the outcomes written for them.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import {
  type Job,
  type Journal,
  makeJournal,
  openJournal,
  withExistingJournal,
} from '../../../src/batch/journal/journal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const job: Job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const runtime = {
  signal: new AbortController().signal,
  now: () => 9000,
} as Runtime;

/** A journal that was written so. */
async function written(write: (journal: Journal) => Promise<void> | void): Promise<string> {
  const path = join(temporaryFolder(), 'journal');
  makeJournal(path, job);
  const journal = openJournal(path, job, () => 1000);
  await write(journal);
  await journal.close();
  return path;
}
const read = (path: string) =>
  withExistingJournal(path, runtime, async (journal) => journal.unknownRequests());

describe('the unknown outcomes of a journal', () => {
  it('can be settled in it, under its lock', async () => {
    const path = await written((journal) => journal.intend('PostA', undefined));
    const seen = await withExistingJournal(path, runtime, async (journal) => {
      expect(fs.existsSync(`${path}.lock`)).toBe(true);
      expect(journal.heading).toEqual({ social: 'journal', format: 2, ...job });
      const [{ key, targets } = { key: '', targets: [] }] = journal.unknownRequests();
      journal.end(key, targets, 'done', 0);
      return 'seen';
    });
    expect(seen).toBe('seen');
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
    expect(await read(path)).toEqual([]);
    const last = fs.readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ end: 'PostA', at: 9000 });
  });

  it('cannot be read when there is no journal', async () => {
    const path = join(temporaryFolder(), 'none');
    await expect(read(path)).rejects.toMatchObject({
      kind: 'usage',
      facts: { details: [{ field: '--journal', problem: `cannot read "${path}": no such file` }] },
    });
    expect(fs.existsSync(path)).toBe(false);
    fs.writeFileSync(path, '');
    await expect(read(path)).rejects.toMatchObject({
      kind: 'local_io',
      facts: { what: `${path} is empty: it is not a journal` },
    });
    needsUnix('/proc');
    const open = fs.readdirSync('/proc/self/fd').length;
    await expect(read(path)).rejects.toThrow('is empty');
    expect(fs.readdirSync('/proc/self/fd')).toHaveLength(open);
  });

  it('are released when the work fails', async () => {
    const path = await written((journal) => journal.intend('PostA', undefined));
    const error = new Error('no');
    await expect(withExistingJournal(path, runtime, () => Promise.reject(error))).rejects.toBe(
      error,
    );
    expect(await read(path)).toHaveLength(1);
  });
});
