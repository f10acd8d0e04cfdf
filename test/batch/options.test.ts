// The flags of a batch, each alone and with others: what they come to, and every fault of them.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { get, reply, retry } from '../../src/api/operations/posts.ts';
import { allBatchFlags, batchFlags, batchOptionsOf } from '../../src/batch/options.ts';
import { readTyped } from '../support/typed-flags.ts';

const parsed = (flags: object) => {
  const { flags: values, faults } = readTyped(allBatchFlags, flags);
  return { ...batchOptionsOf(values), faults };
};
const faultsOf = (flags: object) =>
  parsed(flags).faults.map(({ field, problem }) => `${field} ${problem}`);
const plain = { concurrency: 8, maxFailures: Infinity, maxFailureRate: 10 };
const named = { from: 'ids', journal: 'j' };

describe('the settings of a batch', () => {
  it('are undefined without a batch flag', () => {
    expect(parsed({})).toEqual({ batchOptions: plain, isTyped: false, faults: [] });
    expect(parsed({ json: true, postId: ['x'] }).isTyped).toBe(false);
  });

  it.each<readonly [object, object?]>([
    [{ from: 'ids' }],
    [{ from: '-' }],
    [{ from: 'ids', column: 'a' }],
    [{ from: 'ids', allowEmpty: true }],
    [{ concurrency: '1' }, { concurrency: 1 }],
    [{ concurrency: '32' }, { concurrency: 32 }],
    [{ rate: '10/s' }, { rate: { count: 10, spanMs: 1000 } }],
    [{ rate: '90/m' }, { rate: { count: 90, spanMs: 60_000 } }],
    [{ rate: '100000/s' }, { rate: { count: 100_000, spanMs: 1000 } }],
    [{ maxFailures: '1' }, { maxFailures: 1 }],
    [{ maxFailures: '1000000' }, { maxFailures: 1_000_000 }],
    [{ failuresTo: 'f' }],
    [{ shard: '1/1' }, { shard: { index: 1, count: 1 } }],
    [{ shard: '3/8' }, { shard: { index: 3, count: 8 } }],
    [{ shard: '10000/10000' }, { shard: { index: 10_000, count: 10_000 } }],
    [{ journal: './auto' }],
    [{ ...named, retryUnknown: true }],
    [{ canary: '1' }, { canary: 1 }],
    [{ canary: '1000000' }, { canary: 1_000_000 }],
    [
      { canary: '5', maxFailureRate: '0%' },
      { canary: 5, maxFailureRate: 0 },
    ],
    [
      { canary: '5', maxFailureRate: '12.5%' },
      { canary: 5, maxFailureRate: 12.5 },
    ],
    [
      { canary: '5', maxFailureRate: '100%' },
      { canary: 5, maxFailureRate: 100 },
    ],
  ])('are read from %j', (flags, settings = flags) => {
    const { batchOptions, isTyped, faults } = parsed({ ...flags });
    expect(batchOptions).toEqual({ ...plain, ...settings });
    expect([isTyped, faults]).toEqual([true, []]);
  });

  const whole = 'must be a whole number from 1 to';
  const rate = 'must be a number of requests per second or minute, e.g. 10/s or 90/m';
  const shard = 'must be i/n with i from 1 to n, and n at most 10000';
  const percent = 'must be a percentage from 0% to 100%, e.g. 10%';
  it.each<readonly [object, string]>([
    [{ concurrency: '0' }, `--concurrency ${whole} 32, got "0"`],
    [{ concurrency: '33' }, `--concurrency ${whole} 32, got "33"`],
    [{ concurrency: '' }, `--concurrency ${whole} 32, got ""`],
    [{ maxFailures: '0' }, `--max-failures ${whole} 1000000, got "0"`],
    [{ maxFailures: '1000001' }, `--max-failures ${whole} 1000000, got "1000001"`],
    [{ canary: '0' }, `--canary ${whole} 1000000, got "0"`],
    [{ canary: '1000001' }, `--canary ${whole} 1000000, got "1000001"`],
    ...['100001/s', '0/s', '1', '1/h', '1.5/s', '5/sx'].map(
      (typed) => [{ rate: typed }, `--rate ${rate}, got "${typed}"`] as const,
    ),
    ...['1', '0/1', '9/8', '1/10001', '1/2/3', 'a/b'].map(
      (typed) => [{ shard: typed }, `--shard ${shard}, got "${typed}"`] as const,
    ),
    ...['10', '100.1%', '101%', '-1%', 'x1%', '.5%'].map(
      (maxFailureRate) =>
        [
          { canary: '5', maxFailureRate },
          `--max-failure-rate ${percent}, got "${maxFailureRate}"`,
        ] as const,
    ),
    [{ from: 'ids', failuresTo: '' }, '--failures-to must be the name of a file, got ""'],
    [{ from: 'ids', journal: '' }, '--journal must be the name of a file, got ""'],
    [{ allowEmpty: true }, '--allow-empty requires --from'],
    [{ column: 'a' }, '--column requires --from'],
    [{ from: 'ids', column: '' }, '--column must not be empty'],
    [{ retryUnknown: true }, '--retry-unknown requires --journal'],
    [{ maxFailureRate: '5%' }, '--max-failure-rate requires --canary'],
  ])('reject %j', (flags, fault) => {
    expect(faultsOf({ ...flags })).toEqual([fault]);
  });

  it('report all faults at once', () => {
    expect(faultsOf({ column: '', concurrency: 'x', retryUnknown: true })).toEqual([
      '--column must not be empty',
      `--concurrency ${whole} 32, got "x"`,
      '--column requires --from',
      '--retry-unknown requires --journal',
    ]);
  });

  it('are requested by each batch flag alone', () => {
    const names = batchFlags(reply).map(({ flags }) => flags.split(' ')[0]);
    expect(names).toEqual(
      [
        'from',
        'column',
        'skip-missing',
        'allow-empty',
        'concurrency',
        'rate',
        'max-failures',
        'failures-to',
        'shard',
        'journal',
        'retry-unknown',
      ].map((name) => `--${name}`),
    );
    const keys = names.map((name) =>
      name!.slice(2).replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    );
    for (const key of keys) expect(batchOptionsOf({ [key]: '1' }).isTyped).toBe(true);
  });
});

describe('a canary', () => {
  const flagsOf = (operation: unknown) =>
    batchFlags(operation as Operation)
      .map(({ flags }) => flags)
      .filter((flags) => /canary|rate <p|journal|retry-unknown/.test(flags));
  it('is offered for changes that can be waited for, and a journal for all changes', () => {
    const journal = ['--journal <file>', '--retry-unknown'];
    expect(flagsOf(retry)).toEqual([...journal, '--canary <n>', '--max-failure-rate <percent>']);
    expect(flagsOf(get)).toEqual([]);
    expect(flagsOf({ ...retry, wait: undefined })).toEqual(journal);
    expect(flagsOf({ ...get, wait: retry.wait })).toEqual([]);
  });
});
