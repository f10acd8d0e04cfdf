// The flags that make a batch of any operation, as data. What they say is read in `batch-settings`.

import type { Bounds } from '../operations/bounds.ts';
import type { PlainFlag } from './options.ts';

/** Requests under way at once, unless told. */
export const CONCURRENCY = 8;

/** What the flags that take a number take, both ends included. */
export const ranges = {
  concurrency: { minimum: 1, maximum: 32 },
  maxFailures: { minimum: 1, maximum: 1_000_000 },
} as const satisfies Record<string, Bounds>;

/** In the order of the help. */
export const batchFlags: readonly PlainFlag[] = [
  {
    flags: '--from <file>',
    description: 'A record a line: ids, JSON or CSV; - for standard input',
    stdin: true,
  },
  {
    flags: '--allow-empty',
    description: 'No records at all are nothing to do, not a mistake',
  },
  {
    flags: '--concurrency <n>',
    description: `Requests under way at once, 1 to 32 (${CONCURRENCY})`,
    bounds: ranges.concurrency,
  },
  {
    flags: '--rate <n/s>',
    description: 'At most so many requests, e.g. 10/s or 90/m',
    bounds: { pattern: '^\\d{1,6}/[sm]$' },
  },
  { flags: '--fail-fast', description: 'Start nothing more after the first failure' },
  {
    flags: '--max-failures <n>',
    description: 'Start nothing more after n failures',
    bounds: ranges.maxFailures,
  },
  {
    flags: '--failures-to <file>',
    description: 'Write the failed records here, for another --from',
    writes: true,
  },
  {
    flags: '--shard <i/n>',
    description: 'Do only part i of n of the records',
    bounds: { pattern: '^\\d{1,5}/\\d{1,5}$' },
  },
  {
    flags: '--journal <file>',
    description: 'Keep what was done, and go on from there; auto picks a place',
    writes: true,
  },
  {
    flags: '--retry-unknown',
    description: 'With --journal: send again what has an unknown outcome',
  },
];
