// The lines that a record of a batch writes, after what an earlier run has written, and what is then left of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../../src/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { seenIn } from '../../../src/api/operations/part-states.ts';
import type { Input } from '../../../src/api/operations/define-operation.ts';
import { retry } from '../../../src/api/operations/posts.ts';
import { type Journal, makeJournal, openJournal } from '../../../src/batch/journal/journal.ts';
import { RecordJournal } from '../../../src/batch/journal/record-journal.ts';
import type { Result } from '../../../src/client/read-response.ts';
import { ReadBefore } from '../../../src/client/read-before.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const job = { job: 'a job', operation: 'posts retry', origin: 'https://a.example', context: null };
const START = Date.parse('2026-03-02T12:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** Makes the response with a post of `A failed 0, B published`, so many seconds after the start. */
const read = (told: string, seconds = 0): Result => ({
  data: {
    id: 'P',
    targets: told.split(', ').map((one) => {
      const [id, status, time, error] = one.split(' ');
      const updatedAt = at(Number(time ?? -3600));
      return { id, platform: 'linkedin', status, updatedAt, error };
    }),
  },
  warnings: [],
  serverTime: START + seconds * 1000,
});

/** A read before a change, by clocks that stand still. */
const readBefore = (told: string, seconds = 0) =>
  new ReadBefore(read(told, seconds), { monotonic: () => 0, now: () => 0 });

interface Scene {
  readonly earlier?: (journal: Journal) => unknown;
  /** The targets that the record names. */
  readonly named?: readonly string[];
  readonly now: (record: RecordJournal) => unknown;
  readonly key?: string;
  readonly input?: object;
}

const change = (clientRequestId: string, targetIds?: readonly string[], seen?: ReadBefore) => ({
  input: { postId: 'P', ...(targetIds && { targetIds }) } as Input,
  clientRequestId,
  before: seen,
});

/** Returns the lines that the record wrote, and the state of each part for the next run. */
async function linesOf(scene: Scene) {
  const { earlier, named, now, key = 'P' } = scene;
  const path = join(temporaryFolder(), 'journal');
  makeJournal(path, job);
  const journal = openJournal(path, job, () => 0);
  await earlier?.(journal);
  const input = (scene.input ?? { postId: 'P', ...(named && { targetIds: named }) }) as Input;
  const record = { line: 1, key, input };
  journal.begin({ note: 'now', user: '', host: '' });
  await now(new RecordJournal(journal, retry, record, false));
  await journal.close();
  const [, written = ''] = readFileSync(path, 'utf8').split(/"run".*\n/);
  const entries = written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line.slice(9)) as Record<string, unknown>);
  const lines = entries.map(({ sent, as, parts = ['nothing left'], ...entry }) => {
    const about = (parts as readonly string[]).join(' ') || 'all';
    return `${sent === undefined ? ((as as string | undefined) ?? 'done') : 'sent'} ${'done' in entry && parts === undefined ? '' : about}`;
  });
  const later = openJournal(path, job, () => 0);
  const again = new RecordJournal(later, retry, record, false);
  const left = again.isFinished()
    ? 'finished'
    : ['A', 'B'].map((part) => again.stateOf(part) ?? '-').join(' ');
  await later.close();
  return { lines, left, entries };
}

/** An earlier run has sent these parts, and the service has accepted them. */
const accepted =
  (parts: readonly string[], before: string, answered: string): NonNullable<Scene['earlier']> =>
  async (journal) => {
    const seen = readBefore(before).seen();
    await journal.writeIntent({ sent: 'P', parts, requestId: 'old', seen });
    const answer = new ReadBefore(read(answered), { monotonic: () => 0, now: () => 0 }).seen();
    journal.writeEnd({ ended: 'old', parts, as: 'accepted', seen: answer });
  };
const sentAB: Scene['earlier'] = (journal) =>
  journal.writeIntent({ sent: 'P', parts: ['A', 'B'], requestId: 'old' });
const acceptedA = accepted(['A'], 'A failed, B published', 'A publishing 0, B published');
/** As `acceptedA`, and the answer still shows the state before it. */
const acceptedAsBefore = accepted(['A'], 'A failed, B failed', 'A failed, B failed');
const take = (told: string, seconds: number) => {
  const result = read(told, seconds);
  return (record: RecordJournal) => record.takeRead(result.data, result);
};

describe('a record', () => {
  it('has in its intent what was read, and in its end the status and the clock', async () => {
    const seen = readBefore('A failed, B published', 5);
    const { entries } = await linesOf({
      async now(record) {
        await record.writeIntent(change('new', ['A'], seen));
        record.writeEnd(change('new', ['A'], readBefore('A failed', 9)), 'unknown', 502);
        record.writeAccepted(change('new', ['A']), read('A publishing 6', 6));
      },
    });
    const parts: unknown = JSON.parse(JSON.stringify(seen.seen().parts));
    expect(entries).toMatchObject([
      { sent: 'P', requestId: 'new', seen: { date: START + 5000, parts } },
      { ended: 'new', as: 'unknown', status: 502, date: START + 9000 },
      { ended: 'new', as: 'accepted', seen: { date: START + 6000 } },
    ]);
  });

  it.each([
    ['unknown', undefined, false],
    ['accepted', 'accepted', false],
    ['done', 'done', false],
    ['refused', 'refused', true],
    ['failed', 'failed', true],
    ['not done', 'not done', true],
  ] as const)(
    'that is %s in an earlier request has no new intent, unless it may be sent',
    async (_state, as, may) => {
      const sent = linesOf({
        async earlier(journal) {
          await journal.writeIntent({ sent: 'P', parts: ['A', 'B'], requestId: 'old' });
          if (as !== undefined) journal.writeEnd({ ended: 'old', parts: ['A'], as });
        },
        async now(record) {
          await record.writeIntent(change('new', ['A']));
          // Another attempt of the same request is no second one.
          await record.writeIntent(change('new', ['A']));
        },
      });
      const end = await sent.then(
        ({ entries }) => entries.at(-1)!['requestId'],
        (error: unknown) => (error as Failure).kind,
      );
      expect(end).toBe(may ? 'new' : 'internal');
    },
  );

  it('has its id beside a key that is a hash, if the id is short', async () => {
    const idIn = async (postId: string, key: string) => {
      const { entries } = await linesOf({
        key,
        input: { postId },
        now: (record) => record.writeIntent(change('new', ['A'])),
      });
      return entries[0]!['id'];
    };
    const [short, long] = ['x'.repeat(64), 'x'.repeat(65)];
    expect(await idIn(short, 'sha256:x')).toBe(short);
    expect(await idIn(short, short)).toBeUndefined();
    expect(await idIn(long, 'sha256:x')).toBeUndefined();
  });
});

describe('the part of a record for another batch', () => {
  const leftOf = async (scene: Omit<Scene, 'now'>, candidates: readonly string[] | undefined) => {
    let left: Input | undefined;
    await linesOf({ ...scene, now: (record) => void (left = record.repeatable(candidates)) });
    return left;
  };

  it('names only parts that are neither done nor accepted nor unknown', async () => {
    expect(await leftOf({}, undefined)).toEqual({ postId: 'P' });
    expect(await leftOf({}, ['A', 'B'])).toEqual({ postId: 'P', targetIds: ['A', 'B'] });
    expect(await leftOf({ earlier: sentAB }, ['A', 'C'])).toEqual({
      postId: 'P',
      targetIds: ['C'],
    });
    expect(await leftOf({ earlier: sentAB }, ['A', 'B'])).toBeUndefined();
    expect(await leftOf({ earlier: acceptedA }, ['A'])).toBeUndefined();
    const doneA: Scene['earlier'] = (journal) => journal.writeDone('P', ['A']);
    expect(await leftOf({ earlier: doneA }, ['A', 'B'])).toEqual({ postId: 'P', targetIds: ['B'] });
  });

  it('of the whole names what had failed when it was seen last, without what must not be sent', async () => {
    expect(await leftOf({ earlier: acceptedAsBefore }, undefined)).toEqual({
      postId: 'P',
      targetIds: ['B'],
    });
    expect(await leftOf({ earlier: acceptedA }, undefined)).toBeUndefined();
    // An earlier run has only read the post: a sibling that had failed is named, one that was cancelled is not.
    const onlyRead =
      (told: string): NonNullable<Scene['earlier']> =>
      (journal) =>
        journal.writeDone('P', ['A'], seenIn(read(told, 0).data, undefined));
    expect(await leftOf({ earlier: onlyRead('A published, B failed') }, undefined)).toEqual({
      postId: 'P',
      targetIds: ['B'],
    });
    expect(
      await leftOf({ earlier: onlyRead('A published, B cancelled') }, undefined),
    ).toBeUndefined();
    expect(await leftOf({ earlier: sentAB }, undefined)).toBeUndefined();
  });
});

describe('a record of the whole post', () => {
  const finish = (told: string, isScopeDone: boolean) => (record: RecordJournal) => {
    take(told, 9)(record);
    if (isScopeDone) record.finishAfterRead();
    else record.finishAfterWait();
  };

  it('is finished when every target that was ever seen is published', async () => {
    const one = await linesOf({
      earlier: acceptedA,
      now: finish('A published 9, B published', false),
    });
    expect([one.lines, one.left]).toEqual([['done A B', 'done nothing left'], 'finished']);
    const partial = await linesOf({ earlier: acceptedA, now: finish('A published 9', true) });
    expect([partial.lines, partial.left]).toEqual([['done A'], 'done -']);
    const named = await linesOf({ named: ['A'], now: finish('A published, B failed', true) });
    expect([named.lines, named.left]).toEqual([['done A'], 'finished']);
  });
});
