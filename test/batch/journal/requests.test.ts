// The parts of a record that may be sent, by its lines in a journal: cases, and the rules over any lines.

import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestEnd } from '../../../src/batch/journal/format.ts';
import {
  type Job,
  type Journal,
  makeJournal,
  openJournal,
} from '../../../src/batch/journal/journal.ts';
import { type RecordRequests, WHOLE_PART } from '../../../src/batch/journal/requests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { times } from '../../properties/times.ts';

const job: Job = {
  job: 'a job',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const open = (path: string) => {
  makeJournal(path, job);
  return openJournal(path, job, () => 1234);
};
const newPath = () => join(temporaryFolder(), 'journal');

const P = 'Post';
const [A, B, C] = ['TargetA', 'TargetB', 'TargetC'];
const all = [A, B, C, WHOLE_PART];

type Step = (journal: Journal) => unknown;
const send =
  (requestId: string, parts: readonly string[] = [WHOLE_PART], seen?: readonly string[]): Step =>
  (journal) =>
    journal.writeIntent({
      sent: P,
      parts,
      requestId,
      seen: seen && { parts: Object.fromEntries(seen.map((part) => [part, []])) },
    });
const end =
  (ended: string, as: RequestEnd, parts: readonly string[] = [WHOLE_PART]): Step =>
  (journal) =>
    journal.writeEnd({ ended, parts, as });
const done =
  (parts?: readonly string[]): Step =>
  (journal) =>
    journal.writeDone(P, parts);

/** Returns what is known of each part: `done`, or whether it may be sent, also if it is unknown. */
const rulesOf = (requests: RecordRequests, parts: readonly string[] = all) =>
  parts.map((part) => {
    if (requests.isDone(part)) return 'done';
    if (requests.maySend(part, false)) return 'send';
    return requests.maySend(part, true) ? 'ask' : 'no';
  });

describe('the parts of a record', () => {
  it.each<[what: string, steps: readonly Step[], rules: string]>([
    ['nothing was sent', [], 'send send send send'],
    ['two are in flight', [send('r', [A, B])], 'ask ask send ask'],
    ['one failed', [send('r', [A, B]), end('r', 'failed', [A])], 'send ask send ask'],
    ['one is done', [send('r', [A, B]), end('r', 'done', [A])], 'done ask send no'],
    ['both are accepted', [send('r', [A, B]), end('r', 'accepted', [A, B])], 'no no send no'],
    ['both were refused', [send('r', [A, B]), end('r', 'refused', [A, B])], 'send send send send'],
    ['both were not done', [send('r', [A]), end('r', 'not done', [A])], 'send send send send'],
    ['the whole is in flight', [send('r')], 'ask ask ask ask'],
    ['the whole is accepted', [send('r'), end('r', 'accepted')], 'no no no no'],
    ['the whole was refused', [send('r'), end('r', 'refused')], 'send send send send'],
    [
      'the whole is accepted, and one is published',
      [send('r'), end('r', 'accepted'), done([A])],
      'done no no no',
    ],
    [
      'a refusal after an unknown request',
      [send('r', [A]), end('r', 'unknown', [A]), send('s', [A]), end('s', 'refused', [A])],
      'ask send send ask',
    ],
    [
      'a success after an unknown request',
      [send('r', [A]), end('r', 'unknown', [A]), send('s', [A]), end('s', 'accepted', [A])],
      'no send send no',
    ],
    [
      'a failure after an unknown request',
      [send('r', [A]), send('s', [A]), end('s', 'accepted', [A]), end('s', 'failed', [A])],
      'ask send send ask',
    ],
    [
      'an old request that turns out to be refused',
      [send('r', [A]), send('s', [A]), end('s', 'refused', [A]), end('r', 'refused', [A])],
      'send send send send',
    ],
    [
      'a failure after it was done',
      [send('r', [A]), done([A]), end('r', 'failed', [A])],
      'done send send send',
    ],
    ['a request after it was done', [done([A]), send('r', [A])], 'done send send ask'],
    ['the end of another request', [send('r', [A]), end('s', 'refused', [A])], 'ask send send ask'],
    [
      'the end of a part that was not sent',
      [send('r', [A]), end('r', 'refused', [B])],
      'ask send send ask',
    ],
    ['nothing is left', [send('r', [A]), done()], 'done done done done'],
    // An attempt that is made again writes its intent again.
    [
      'a second attempt',
      [send('r', [A]), end('r', 'refused', [A]), send('r', [A])],
      'ask send send ask',
    ],
  ])('%s', async (_what, steps, rules) => {
    const path = newPath();
    const first = open(path);
    for (const step of steps) await step(first);
    expect(rulesOf(first.requestsOf(P)).join(' ')).toBe(rules);
    await first.close();
    const second = open(path);
    expect(rulesOf(second.requestsOf(P)).join(' ')).toBe(rules);
    await second.close();
  });

  it('are all done when every part that was ever seen is published', async () => {
    const journal = open(newPath());
    const requests = journal.requestsOf(P);
    expect([requests.isAllDone(), requests.isAllSentDone(undefined)]).toEqual([false, false]);
    await send('r', [A], [A, B])(journal);
    journal.writeDone(P, [A]);
    expect([requests.isAllDone(), requests.isAllSentDone(undefined)]).toEqual([false, true]);
    expect([requests.isFinished([A]), requests.isFinished([A, B])]).toEqual([true, false]);
    // A record of the whole is finished only by a line that says so.
    expect(requests.isFinished(undefined)).toBe(false);
    journal.writeDone(P, [B]);
    expect(requests.isAllDone()).toBe(true);
    requests.addSeen({ parts: { [C]: [{ status: 'failed' }] } });
    expect(requests.isAllDone()).toBe(false);
    expect(requests.hasSeenOnly(new Set([A, B]))).toBe(false);
    expect(requests.hasSeenOnly(new Set([A, B, C]))).toBe(true);
    expect(requests.partsOf(undefined).toSorted()).toEqual([A, B, C]);
    expect([requests.isAllSentDone([B]), requests.isAllSentDone([A, B])]).toEqual([false, true]);
    await journal.close();
  });

  it('of a run are counted once, by the part that is furthest from its end', async () => {
    const journal = open(newPath());
    const requests = journal.requestsOf(P);
    const inRun = (run: string) =>
      requests
        .requestsIn(run)
        .map(({ end: as, wasUnknown }) => `${as}${wasUnknown ? ', was unknown' : ''}`);
    journal.begin({ entry: 'one', user: 'anna', host: 'here' });
    await send('r', [A, B])(journal);
    expect([inRun('one'), inRun('two')]).toEqual([['unknown, was unknown'], []]);
    end('r', 'accepted', [A, B])(journal);
    expect(inRun('one')).toEqual(['accepted']);
    end('r', 'failed', [B])(journal);
    done([A])(journal);
    expect(inRun('one')).toEqual(['failed']);
    journal.begin({ entry: 'two', user: 'anna', host: 'here' });
    await send('s', [B])(journal);
    journal.writeEnd({ ended: 's', parts: [B], as: 'not done', settled: true });
    expect([inRun('one'), inRun('two')]).toEqual([['failed'], ['not done, was unknown']]);
    await journal.close();
  });
});

const states = ['refused', 'accepted', 'unknown', 'done', 'failed', 'not done'] as const;
const somePart = fc.constantFrom(...all);
const someParts = fc.uniqueArray(somePart, { minLength: 1 });
const someId = fc.constantFrom('r', 's', 't');
type Line =
  | { readonly sent: readonly string[]; readonly id: string }
  | { readonly ended: readonly string[]; readonly id: string; readonly as: RequestEnd }
  | { readonly done: readonly string[] | undefined };
const someLine: fc.Arbitrary<Line> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ sent: someParts, id: someId }) },
  {
    weight: 4,
    arbitrary: fc.record({ ended: someParts, id: someId, as: fc.constantFrom(...states) }),
  },
  { weight: 1, arbitrary: fc.record({ done: fc.option(someParts, { nil: undefined }) }) },
);

/** Says by plain rules what may be sent after these lines: the model that the journal has to match. */
function expected(lines: readonly Line[]): readonly string[] {
  const isDone = (part: string) =>
    lines.some((line, at) => {
      if ('done' in line) return line.done === undefined || line.done.includes(part);
      return (
        'ended' in line &&
        line.as === 'done' &&
        line.ended.includes(part) &&
        isSent(line.id, part, at)
      );
    });
  const isSent = (id: string, part: string, before: number) =>
    lines
      .slice(0, before)
      .some((line) => 'sent' in line && line.id === id && line.sent.includes(part));
  const endOf = (id: string, part: string) => {
    const sentAt = lines.findLastIndex(
      (line) => 'sent' in line && line.id === id && line.sent.includes(part),
    );
    if (sentAt < 0) return undefined;
    const last = lines
      .slice(sentAt)
      .findLast((line) => 'ended' in line && line.id === id && line.ended.includes(part));
    return last !== undefined && 'ended' in last ? last.as : 'unknown';
  };
  return all.map((part) => {
    if (isDone(part)) return 'done';
    const concerned = part === WHOLE_PART ? all : [part, WHOLE_PART];
    const ends = concerned.flatMap((one) => ['r', 's', 't'].map((id) => endOf(id, one)));
    const isOver = (one: RequestEnd | undefined) =>
      one === undefined || ['refused', 'failed', 'not done'].includes(one);
    if (ends.every(isOver)) return 'send';
    return ends.every((one) => isOver(one) || one === 'unknown') ? 'ask' : 'no';
  });
}

async function write(journal: Journal, line: Line): Promise<void> {
  if ('sent' in line) await send(line.id, line.sent)(journal);
  else if ('ended' in line) end(line.id, line.as, line.ended)(journal);
  else done(line.done)(journal);
}

describe('any lines', () => {
  it('let a part be sent only if all its requests are over; what is done stays so; the file says the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someLine, { maxLength: 14 }), async (lines) => {
        const path = newPath();
        const journal = open(path);
        const requests = journal.requestsOf(P);
        const seen = new Set<string>();
        for (const [i, line] of lines.entries()) {
          await write(journal, line);
          const rules = rulesOf(requests);
          expect(rules).toEqual(expected(lines.slice(0, i + 1)));
          for (const part of seen) expect(requests.isDone(part)).toBe(true);
          for (const [at, rule] of rules.entries()) if (rule === 'done') seen.add(all[at]!);
        }
        await journal.close();
        const again = open(path);
        const read = again.requestsOf(P);
        expect(rulesOf(read)).toEqual(rulesOf(requests));
        expect(read.openRequests()).toEqual(requests.openRequests());
        expect(read.partsOf(undefined)).toEqual(requests.partsOf(undefined));
        for (const named of [undefined, [A], [A, B, C]])
          expect(read.isFinished(named)).toBe(requests.isFinished(named));
        await again.close();
      }),
      times(60, 3000),
    );
  });
});
