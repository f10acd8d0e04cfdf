// The data of a batch's report: the counts by cause, the first records, the headline and the lines below it.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../../src/base/errors.ts';
import { batchHeadline, causeLines } from '../../../src/batch/report/verdict.ts';
import {
  BatchSummary,
  type CauseCount,
  type RecordVerdict,
} from '../../../src/batch/report/summary.ts';

const lookOf = (mask: (text: string) => string) => ({ secrets: { mask }, monotonic: () => 0 });

const failure = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
  new Failure(kind, { what: 'it failed', ...facts });
const said = (code: string, message: string) =>
  failure('refused', { what: `what of ${message}`, code, message });
type Ended = readonly [Exclude<RecordVerdict, 'unstarted'>, string, Failure?, object?];
const summaryOf = (...ended: readonly Ended[]) => {
  const summary = new BatchSummary(
    0,
    lookOf((text) => text.replaceAll('secret', '[redacted]')),
  );
  for (const [verdict, id, why, data] of ended)
    summary.add(verdict, { postId: id }, { ...(why ? { failure: why } : {}), data });
  return summary;
};
const target = (platform: string, error: string, more: object = {}) => ({
  id: 'T1',
  platform,
  status: 'failed',
  error,
  ...more,
});
const badly = failure('ended_badly');

describe('the summary', () => {
  it('counts each verdict, and names the first twenty failed or pending IDs', () => {
    const summary = summaryOf(
      ['ok', 'A'],
      ['skipped', 'B'],
      ['failed', 'D', said('c', 'm')],
      ['unknown', 'E', failure('outcome_unknown')],
      ['accepted', 'F', failure('still_pending', { next: ['wait', 'for', 'F'] })],
      ['accepted', 'G', failure('still_pending', { next: ['wait', 'for', 'G'] })],
    );
    summary.counts.before++;
    expect(summary.counts).toEqual({
      ok: 1,
      failed: 1,
      unknown: 1,
      accepted: 2,
      skipped: 1,
      before: 1,
    });
    expect(summary.named).toEqual({
      failed: [{ postId: 'D' }],
      unknown: [{ postId: 'E' }],
      accepted: [{ postId: 'F' }, { postId: 'G' }],
    });
    expect(summary.pendingLine).toEqual(['wait', 'for', 'F']);
    const many = summaryOf(
      ...Array.from({ length: 25 }, (_, i) => ['failed', `P${i}`, said('c', 'm')] as const),
    );
    expect(many.named.failed).toEqual(Array.from({ length: 20 }, (_, i) => ({ postId: `P${i}` })));
    expect(many.counts.failed).toBe(25);
    expect(many.pendingLine).toBeUndefined();
    const late = summaryOf(
      ['failed', 'A', failure('refused', { next: ['other'] })],
      ['accepted', 'B'],
      ['accepted', 'C', failure('still_pending', { next: ['wait', 'for', 'C'] })],
    );
    expect(late.pendingLine).toEqual(['wait', 'for', 'C']);
  });

  it('groups failures by cause, those to fix first at the top', () => {
    const summary = summaryOf(
      ['unknown', 'A', failure('outcome_unknown', { what: 'lost A' })],
      ['failed', 'B', failure('no_answer', { what: 'no response' })],
      ['failed', 'C', failure('unauthorized', { what: 'no token' })],
      ['failed', 'D', said('invalid_media', 'the video of D is too long')],
      ['failed', 'E', said('invalid_media', 'the video of E is too long')],
      ['failed', 'F', said('invalid_media', 'the caption is too long')],
      ['ok', 'G', failure('refused')],
      ['accepted', 'I', failure('still_pending')],
      ['failed', 'J'],
    );
    expect(summary.causes()).toEqual([
      { cause: 'token', count: 1, texts: [{ text: 'no token', count: 1 }], more: 0 },
      {
        cause: 'content',
        count: 3,
        texts: [
          { text: 'invalid_media: the video of … is too long', count: 2 },
          { text: 'invalid_media: the caption is too long', count: 1 },
        ],
        more: 0,
      },
      { cause: 'temporary', count: 1, texts: [{ text: 'no response', count: 1 }], more: 0 },
      { cause: 'unknown', count: 1, texts: [{ text: 'lost …', count: 1 }], more: 0 },
    ]);
    expect(summary.temporary).toBe(1);
  });

  it('shows the most frequent message first, redacted and cut at 160 characters', () => {
    const long = `secret ${'x'.repeat(200)}`;
    const summary = summaryOf(
      ['failed', 'A', failure('refused', { what: 'rare' })],
      ['failed', 'B', failure('refused', { what: long })],
      ['failed', 'C', failure('refused', { what: long })],
      ['failed', 'D', failure('refused', { what: 'y'.repeat(160) })],
      ['failed', '', failure('refused', { what: 'of no id' })],
    );
    const [group] = summary.causes();
    expect(group).toEqual({
      cause: 'request',
      count: 5,
      texts: [
        { text: `[redacted] ${'x'.repeat(148)}…`, count: 2 },
        { text: 'rare', count: 1 },
        { text: 'y'.repeat(160), count: 1 },
        { text: 'of no id', count: 1 },
      ],
      more: 0,
    });
  });

  it('keeps a hundred messages for each cause, and counts the others', () => {
    const ended = Array.from(
      { length: 103 },
      (_, i) => ['failed', 'A', failure('refused', { what: `text ${i}` })] as const,
    );
    const [group] = summaryOf(...ended, ...ended.slice(0, 1)).causes();
    expect([group!.count, group!.texts.length, group!.more]).toEqual([104, 100, 3]);
    expect(group!.texts[0]).toEqual({ text: 'text 0', count: 2 });
  });

  it('groups the target errors of a failed wait, and counts the accounts', () => {
    const expired = 'The session has expired.';
    const account = (accountId: string) => target('facebook', expired, { accountId });
    const summary = summaryOf(
      ['failed', 'A', badly, { targets: [account('F1'), account('F2')] }],
      ['failed', 'B', badly, { targets: [account('F2'), target('facebook', expired)] }],
      [
        'failed',
        'C',
        badly,
        {
          targets: [
            target('linkedin', 'Service unavailable, try again in 48 seconds.'),
            account('F3'),
          ],
        },
      ],
      ['failed', 'D', failure('refused'), { targets: [account('F4')] }],
      [
        'failed',
        'E',
        badly,
        { targets: [target('linkedin', 'The text is too long.', { accountId: 'L1' })] },
      ],
    );
    expect(summary.causes().map(({ cause, count }) => [cause, count])).toEqual([
      ['reconnect', 3],
      ['content', 1],
      ['request', 1],
    ]);
    expect(summary.causes()[0]!.texts).toEqual([
      { text: expired, count: 5 },
      { text: 'Service unavailable, try again in 48 seconds.', count: 1 },
    ]);
    expect(summary.temporary).toBe(1);
    expect([...summary.opensAt]).toEqual([['linkedin', 48_000]]);
    expect(summary.accounts()).toEqual([
      { platform: 'facebook', account: 'F2', count: 2 },
      { platform: 'facebook', account: 'F1', count: 1 },
      { platform: 'facebook', account: 'F3', count: 1 },
    ]);
  });

  it('adds up skipped targets by reason', () => {
    const summary = summaryOf();
    summary.addSkipped({ 'already publishing': 2 });
    summary.addSkipped({ 'already publishing': 1, 'already published': 5 });
    expect([...summary.skipped]).toEqual([
      ['already publishing', 3],
      ['already published', 5],
    ]);
  });
});

/** The headline of a batch with these counts and causes. */
function headlineOf(
  prepared: Parameters<typeof batchHeadline>[0],
  { count = 0, ...counts }: { readonly count?: number },
  causes: readonly CauseCount[] = [],
): string {
  const summary = new BatchSummary(
    count,
    lookOf((text) => text),
  );
  Object.assign(summary.counts, counts);
  summary.causes = () => causes;
  return batchHeadline(prepared, summary);
}
const call = (operation: unknown, waiting?: unknown) =>
  ({ operation: operation as Operation, waiting }) as Parameters<typeof batchHeadline>[0];
const content = { cause: 'content', count: 5, texts: [], more: 0 } as const;
const request = { ...content, cause: 'request' } as const;
const reconnect = { ...content, cause: 'reconnect', count: 9 } as const;
const unknown = { ...content, cause: 'unknown', count: 2 } as const;

describe('the headline', () => {
  const all = { ok: 1, failed: 2, unknown: 3, accepted: 4, skipped: 5, before: 6, count: 28 };
  it.each([
    [{}, [], '0 of 0 accepted'],
    [{ ok: 3, count: 3 }, [], '3 of 3 accepted'],
    [{ failed: 14, count: 14 }, [], '0 of 14 accepted, 14 failed'],
    [
      { failed: 14, count: 14 },
      [reconnect, content],
      '0 of 14 accepted, 14 failed: 9 reconnect, 5 content',
    ],
    [
      { failed: 5, unknown: 2, count: 7 },
      [content, unknown],
      '0 of 7 accepted, 5 failed: 5 content; 2 unknown',
    ],
    [{ failed: 5, unknown: 2, count: 7 }, [], '0 of 7 accepted, 5 failed, 2 unknown'],
    [{ failed: 5, count: 5 }, [request], '0 of 5 accepted, 5 failed: 5 refused'],
    [{ unknown: 2, skipped: 1, count: 3 }, [unknown], '0 of 3 accepted, 2 unknown, 1 skipped'],
    [
      all,
      [content],
      '5 of 28 accepted, 2 failed: 5 content; 3 unknown, 6 published before, 5 skipped, 7 not started',
    ],
  ] as const)('of %j is right', (totals, causes, line) => {
    expect(headlineOf(call(retry), totals, causes)).toBe(line);
  });

  it.each([
    [get, undefined, 'read'],
    [{ ...retry, wait: undefined }, undefined, 'done'],
    [retry, undefined, 'accepted'],
    [retry, {}, 'published'],
    [{ ...retry, wait: undefined }, {}, 'done'],
  ])('%# says what becomes of a record', (operation, waiting, word) => {
    const counts = { ok: 1, count: 2 };
    const line = headlineOf(call(operation, waiting), counts);
    expect(line).toBe(`1 of 2 ${word}, 1 not started`);
  });
});

it('the headline adds what an earlier run has done to the results, and never calls it accepted', () => {
  const summary = new BatchSummary(
    121,
    lookOf((text) => text),
  );
  Object.assign(summary.counts, { ok: 41, before: 80 });
  summary.found = 10;
  expect(batchHeadline(call(retry, {}), summary)).toBe('121 of 121 published (31 now)');
  expect(batchHeadline(call(retry), summary)).toBe('31 of 121 accepted, 90 published before');
  summary.counts.ok = 40;
  expect(batchHeadline(call(retry, {}), summary)).toBe(
    '120 of 121 published (30 now), 1 not started',
  );
});

describe('the lines of a cause', () => {
  const texts = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ text: `text ${i}`, count: 10 - i }));
  const shown = ['  10 × text 0', '  9 × text 1', '  8 × text 2', '  7 × text 3', '  6 × text 4'];
  it.each([
    [texts(1), 0, undefined, ['  10 × text 0']],
    [texts(5), 0, 'left', shown],
    [texts(8), 0, 'left', [...shown, '  and 12 more (see left)']],
    [texts(6), 7, undefined, [...shown, '  and 12 more']],
  ] as const)('%# are its count and its most frequent messages', (given, more, place, lines) => {
    const count = { cause: 'content', count: 40, texts: given, more } as const;
    expect(causeLines(count, 'content', place)).toEqual(['content: 40', ...lines]);
  });

  it('write "outcome unknown" in full, and name what does not exist', () => {
    const summary = new BatchSummary(
      3,
      lookOf((text) => text),
    );
    const fail = (kind: FailureKind) =>
      summary.add('failed', { postId: 'A' }, { failure: new Failure(kind, { what: 'No.' }) });
    fail('outcome_unknown');
    fail('not_found');
    expect(summary.wordFor('unknown')).toBe('unknown outcome');
    expect(batchHeadline(call(retry), summary)).toBe(
      '0 of 3 accepted, 2 failed: 1 not found; 1 not started',
    );
    fail('refused');
    expect(summary.wordFor('request')).toBe('refused');
  });
});
