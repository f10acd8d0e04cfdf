// The records of a batch: validated, counted and compared before anything is sent.

import { describe, expect, it } from 'vitest';
import type { Input, Operation } from '../../../src/api/operations/define-operation.ts';
import { create } from '../../../src/api/operations/webhooks.ts';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import type { Fault } from '../../../src/base/fault.ts';
import type { BatchOptions } from '../../../src/batch/options.ts';
import { type RecordList, validateRecords } from '../../../src/batch/read/validate-records.ts';
import { idOf } from '../../support/counting-server.ts';

const [P, Q] = [idOf(1), idOf(2)];
const targets = (...targetIds: readonly string[]): Input => ({ postId: P, targetIds });
const [A, B, C] = ['TargetSpringLink', 'TargetSpringMast', 'TargetSpringBlue'] as const;

type Rules = Partial<BatchOptions>;
const check = async (operation: Operation, list: RecordList, rules: Rules = {}) => {
  const prepared = { operation, fields: fieldsOf(operation), shared: {} };
  const { signal } = new AbortController();
  const valid = await validateRecords(list, prepared, rules, signal);
  return { ...valid, count: valid.records.length };
};
const listOf = (inputs: readonly Input[]): RecordList => ({
  name: 'the list',
  source: 'list',
  unit: 'line',
  parsed: inputs.map((input, i) => ({ line: i + 1, input })),
});
const validate = (inputs: readonly Input[], rules?: Rules) => check(retry, listOf(inputs), rules);
const posts = (count: number) => Array.from({ length: count }, (_, i) => ({ postId: idOf(i) }));
describe('the records of a batch', () => {
  it('are counted', async () => {
    expect(await validate(posts(3))).toMatchObject({
      repeated: 0,
      otherShards: 0,
      count: 3,
    });
    expect(await validate(posts(102))).toMatchObject({ count: 102 });
    expect(await validate([{ postId: P }, { postId: P }, { postId: Q }])).toMatchObject({
      count: 2,
      repeated: 1,
    });
  });

  it('are listed once each, with each of their targets once', async () => {
    const same = [{ postId: Q }, targets(B, A), targets(A, B, B)];
    const inputs = [targets(A, B, A), { postId: Q }, ...same];
    const valid = await validate(inputs);
    expect(valid).toMatchObject({ count: 2, repeated: 3 });
    expect(valid.records).toEqual([
      { line: 1, input: targets(A, B), key: P },
      { line: 2, input: { postId: Q }, key: Q },
    ]);
    // A command whose records have no parts.
    const read = await check(get, listOf([{ postId: P }]));
    expect(read.records).toMatchObject([{ line: 1, input: { postId: P } }]);
  });

  it('are skipped without the field, when that is requested', async () => {
    const entries = [
      { line: 1, input: { postId: P } },
      { line: 2, fault: 'has no "id" (fields: a)', isMissing: true },
    ] as const;
    const all = (skipMissing: boolean, some: RecordList['parsed'] = entries) =>
      check(
        retry,
        { name: 'the list', source: 'list', unit: 'line', parsed: some },
        { skipMissing },
      );
    await expect(all(false)).rejects.toMatchObject({
      facts: {
        why: ['line 2: has no "id" (fields: a)'],
        hint: '--skip-missing leaves out records without the value',
      },
    });
    expect(await all(true)).toMatchObject({ count: 1, missing: 1 });
    await expect(all(true, entries.slice(1))).rejects.toThrow(
      'contains no records: all 1 in the list were skipped by --skip-missing',
    );
    await expect(all(true, [{ line: 1, fault: 'is not a JSON object' }])).rejects.toThrow(
      '1 invalid line',
    );
  });

  it('may be empty only with --allow-empty', async () => {
    await expect(validate([])).rejects.toMatchObject({
      kind: 'usage',
      facts: {
        details: [
          {
            field: '--from',
            problem: 'contains no records: no IDs in the list',
            fix: 'write one per line: an ID or a JSON object; --allow-empty accepts an empty list',
          },
        ],
      },
    });
    await expect(check(retry, { ...listOf([]), name: 'standard input' })).rejects.toMatchObject({
      facts: { details: [{ problem: 'contains no records: no IDs on standard input' }] },
    });
    expect(await validate([], { allowEmpty: true })).toMatchObject({
      records: [],
    });
  });
});

describe('invalid records', () => {
  const refusal = async (inputs: readonly Input[], more?: Rules) =>
    validate(inputs, more).then(
      () => undefined,
      (error: { kind: string; facts: Record<string, unknown> }) => error,
    );

  it('are reported with all their faults, and nothing is sent', async () => {
    const error = await refusal([{ postId: 'x' }, { postId: P }]);
    expect(error).toMatchObject({
      kind: 'usage',
      facts: {
        what: '1 invalid line in the list',
        nothingWas: 'sent',
        sent: false,
        retryable: false,
      },
    });
    const { why, details } = error!.facts as { why: string[]; details: Fault[] };
    const problem = 'post ID must be exactly 16 letters a-z A-Z, got 1 character';
    expect([why, details]).toEqual([[`line 1: ${problem}`], [{ field: 'line 1', problem }]]);
  });

  it('are reported with all faults of a line, and their fixes', async () => {
    const inputs = [{ url: 'https://a.example/', events: ['post.faild'], name: '' }];
    await expect(check(create, listOf(inputs))).rejects.toMatchObject({
      facts: {
        why: [
          expect.stringMatching(/^line 1: --event .*; did you mean post\.failed\?; --name must be/),
        ],
      },
    });
  });

  it.each([
    [20, 20, undefined],
    [21, 20, '… 1 more'],
  ])('are named up to twenty: %i', async (count, shown, more) => {
    const error = await refusal(Array.from({ length: count }, () => ({ postId: 'x' })));
    const { what, why, details } = error!.facts as {
      what: string;
      why: string[];
      details: unknown[];
    };
    expect(what).toBe(`${count} invalid lines in the list`);
    expect(details).toHaveLength(shown);
    const problem = 'post ID must be exactly 16 letters a-z A-Z, got 1 character';
    const all = `lines ${details.map((_, i) => i + 1).join(', ')}: ${problem}`;
    expect(why).toEqual(more === undefined ? [all] : [all, more]);
  });
});

describe('records that overlap', () => {
  it.each<readonly [string, readonly Input[], readonly string[]]>([
    [
      'targets that share one',
      [targets(A, B), { postId: Q }, targets(C, B)],
      [`line 3: overlaps with line 1, which names target ${B} of ${P}`],
    ],
    [
      'a target of a post before it',
      [{ postId: P }, targets(A)],
      [`line 2: overlaps with line 1, which names all of ${P}`],
    ],
    [
      'a post after its targets, and a target again',
      [targets(A), targets(B), { postId: P }, targets(A, B)],
      [
        `line 3: overlaps with line 1, which names target ${A} of ${P}`,
        `line 4: overlaps with line 3, which names all of ${P}`,
      ],
    ],
  ])('are all rejected, with both lines: %s', async (_what, inputs, why) => {
    await expect(validate(inputs)).rejects.toMatchObject({ kind: 'usage', facts: { why } });
  });

  it('are accepted when they name different targets', async () => {
    expect(await validate([targets(A), targets(B, C), { postId: Q }])).toMatchObject({ count: 3 });
  });
});
