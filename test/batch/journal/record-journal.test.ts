// The lines that a record of a batch writes at its end, after what an earlier run has written.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { retry } from '../../../src/api/operations/posts.ts';
import { Failure } from '../../../src/base/errors.ts';
import type { Journal } from '../../../src/batch/journal/journal.ts';
import { makeJournal, openJournal } from '../../../src/batch/journal/journal.ts';
import { RecordJournal, withPast } from '../../../src/batch/journal/record-journal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const job = { job: 'a job', operation: 'posts retry', origin: 'https://a.example', context: null };
const failure = new Failure('ended_badly', { what: 'failed' });
const refusal = new Failure('refused', { what: 'no' });
const lost = new Failure('outcome_unknown', { what: 'lost', status: 502 });

interface Scene {
  readonly earlier?: (journal: Journal) => void;
  /** The targets that the record names. */
  readonly named?: readonly string[];
  readonly now: (record: RecordJournal) => Promise<void> | void;
}

/** Returns the lines that the record wrote, and what is left of it for the next run. */
async function linesOf({ earlier, named, now }: Scene) {
  const path = join(temporaryFolder(), 'journal');
  makeJournal(path, job);
  const journal = openJournal(path, job, () => 0);
  earlier?.(journal);
  const input = { postId: 'P', ...(named === undefined ? {} : { targetIds: named }) };
  const record = withPast({ line: 1, key: 'P', input }, journal, retry);
  journal.begin({ note: 'now', user: '', host: '' });
  await now(new RecordJournal(journal, retry, record));
  await journal.close();
  const later = openJournal(path, job, () => 0);
  const left = later.outcomesOf('P').leftToDo(named).past;
  await later.close();
  const [, written = ''] = readFileSync(path, 'utf8').split(/"run".*\n/);
  const lines = written
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { send, as = 'sent', targets = ['all'] } = JSON.parse(line.slice(9));
      return `${send === undefined ? as : 'sent'} ${targets.join(' ')}`;
    });
  return { lines, left };
}

const sendWhole = (journal: Journal) => void journal.intend('P', undefined);
const acceptA = (journal: Journal) => journal.end('P', ['A'], 'accepted', 0);

it.each<readonly [string, Scene, readonly string[], string | undefined]>([
  [
    'an unknown one whose read was refused stays unknown',
    {
      earlier: sendWhole,
      named: ['A'],
      now: (record) => record.end('failed', { failure: refusal }),
    },
    [],
    'unknown',
  ],
  [
    'an unknown one of which a wait has shown a failure stays unknown',
    {
      earlier: sendWhole,
      now(record) {
        record.wait(['A']);
        record.end('failed', { failure, bad: ['A'] });
      },
    },
    [],
    'unknown',
  ],
  [
    'an unknown request of some targets leaves the rest of the post as it was',
    {
      async now(record) {
        await record.intend(['A'], 'id');
        record.end('unknown', { failure: lost });
      },
    },
    ['sent A', 'unknown A'],
    'unknown',
  ],
  [
    'a target of an earlier run is done; the post, of which nothing was sent, is read again',
    {
      earlier: acceptA,
      now(record) {
        record.wait(['A']);
        record.end('done', {});
      },
    },
    ['done A'],
    undefined,
  ],
  [
    'a target of an earlier run has failed, and is sent again',
    {
      earlier: acceptA,
      named: ['A'],
      now(record) {
        record.wait(['A']);
        record.end('failed', { failure, bad: ['A'] });
      },
    },
    ['failed A'],
    undefined,
  ],
  [
    'a new request and one of an earlier run end target by target, each line once',
    {
      earlier: acceptA,
      named: ['A', 'B', 'C'],
      async now(record) {
        await record.intend(['B', 'C'], 'id');
        record.wait(['A', 'B', 'C']);
        record.done(['B']);
        record.end('failed', { failure, bad: ['C'] });
      },
    },
    ['sent B C', 'accepted B C', 'done B', 'failed C', 'done A'],
    undefined,
  ],
  [
    'an accepted one whose wait was stopped has no second line',
    {
      async now(record) {
        await record.intend(undefined, 'id');
        record.wait(['A']);
        record.end('accepted', { failure: lost });
      },
    },
    ['sent all', 'accepted all', 'accepted A'],
    'accepted',
  ],
])('%s', async (_what, scene, lines, left) => {
  expect(await linesOf(scene)).toEqual({ lines, left });
});
