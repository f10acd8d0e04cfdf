// The flags of a batch: declared as data, and parsed with all their faults. Opens nothing.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import type { Fault } from '../base/errors.ts';
import { keyOfFlag, type PlainFlag } from '../config/flags.ts';
import { numberFlag, readFlag } from '../config/read-flag.ts';
import type { RawFlags } from '../config/choices.ts';

/** `count` requests in `spanMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly spanMs: number;
}

/** Part `index` (from 1) of `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const MAX_SHARDS = 10_000;
const shardRule = `must be i/n with i from 1 to n, and n at most ${MAX_SHARDS}`;
const rateRule = 'must be a number of requests per second or minute, e.g. 10/s or 90/m';

/** Reads `3/8`: 1 to n of n, n at most 10000. `undefined` for all else. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return index >= 1 && index <= count && count <= MAX_SHARDS ? { index, count } : undefined;
}

/** Whether a record belongs to a shard. By its hash alone, so that machines need not talk to each other. */
export function isInShard(hash: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash.slice(0, 8), 16) % count === index - 1;
}

/** Reads `10/s` or `90/m`: 1 to 100000. `undefined` for all else. */
export function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,6})\/(s|m)$/.exec(text);
  const count = Number(match?.[1] ?? 0);
  if (match === null || count < 1 || count > 100_000) return undefined;
  return { count, spanMs: match[2] === 's' ? 1000 : 60_000 };
}

/** Requests in flight, by default. */
const CONCURRENCY = 8;

/** The ranges of the flags that take a number, both ends included. */
const ranges = {
  concurrency: { minimum: 1, maximum: 32 },
  maxFailures: { minimum: 1, maximum: 1_000_000 },
  canary: { minimum: 1, maximum: 1_000_000 },
} as const;

/** The flags that make a batch of any operation, in the order of the help. */
const sharedFlags: readonly PlainFlag[] = [
  {
    flags: '--from <file>',
    description: 'Read IDs, JSON, CSV or TSV from a file ("-" for stdin)',
    stdin: true,
  },
  {
    flags: '--column <name>',
    description: 'With --from: take the ID from this column (name or number) or JSON path',
  },
  {
    flags: '--skip-missing',
    description: 'With --from: leave out records without a value in the column',
  },
  {
    flags: '--allow-empty',
    description: 'Succeed when the input is empty',
  },
  {
    flags: '--concurrency <n>',
    description: `Maximum parallel requests, 1 to 32 (default ${CONCURRENCY})`,
  },
  {
    flags: '--rate <n/s>',
    description: 'Limit request rate, e.g. 10/s or 90/m',
  },
  {
    flags: '--max-failures <n>',
    description: 'Stop after n failures',
  },
  {
    flags: '--failures-to <file>',
    description: 'Write failed items to a file, for another --from',
    writes: true,
  },
  {
    flags: '--shard <i/n>',
    description: 'Process only shard i of n',
  },
];

/** The flags of a batch of changes. Repeating a read does no harm: it needs no record of what is done. */
const journalFlags: readonly PlainFlag[] = [
  {
    flags: '--journal <file>',
    description: 'Record progress in a file so the batch can be resumed',
    writes: true,
  },
  {
    flags: '--retry-unknown',
    description: 'Also resend items whose outcome is unknown (needs --journal)',
  },
];

/** The flags that make a batch of an operation, in the order of the help. */
export const batchFlags = (operation: Operation): readonly PlainFlag[] => [
  ...sharedFlags,
  ...(isChange(operation) ? journalFlags : []),
  ...(isChange(operation) && operation.wait !== undefined ? canaryFlags() : []),
];

/** The flags of a batch of changes that can be waited for. */
const canaryFlags = (): readonly PlainFlag[] => [
  {
    flags: '--canary <n>',
    description: 'Send the first n and wait for them; send the rest only if few of them fail',
  },
  {
    flags: '--max-failure-rate <percent>',
    description: `With --canary: percentage that may fail (default ${MAX_PERCENT}%)`,
  },
];

/** Every flag of a batch. */
export const allBatchFlags = (): readonly PlainFlag[] => [
  ...sharedFlags,
  ...journalFlags,
  ...canaryFlags(),
];

/** The first records are sent and waited for, and the others only if at most `maxPercent` of them went wrong. */
export interface Canary {
  readonly count: number;
  readonly maxPercent: number;
}

const MAX_PERCENT = 10;
const percentRule = 'must be a percentage from 0% to 100%, e.g. 10%';

/** Reads `10%` or `2.5%`. `undefined` for all else: a bare 0.1 might be meant either way. */
function parsePercent(text: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d)?)%$/.exec(text);
  const percent = Number(match?.[1]);
  return percent >= 0 && percent <= 100 ? percent : undefined;
}

export interface BatchSettings {
  /** A file of records, `-` for standard input; `undefined` where the ids are on the command line. */
  readonly from: string | undefined;
  /** The column or the path of each record's ID; `undefined` where records are inputs. */
  readonly column: string | undefined;
  /** Whether records that do not have the column, or have it blank, are left out. */
  readonly skipMissing: boolean;
  /** Whether there may be no records at all. */
  readonly allowEmpty: boolean;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  /** Failed and unknown items after which nothing more is started; `Infinity` without a limit. */
  readonly maxFailures: number;
  readonly failuresTo: string | undefined;
  readonly shard: Shard | undefined;
  readonly journal: string | undefined;
  readonly retryUnknown: boolean;
  readonly canary: Canary | undefined;
}

/** The batch that the flags ask for, `asked` where one of them was given, and what is wrong with them. */
export function parseBatchSettings(flags: RawFlags): {
  readonly batch: BatchSettings;
  readonly asked: boolean;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const text = (key: string) => flags[key] as string | undefined;
  const read = <T extends object | number>(
    name: string,
    rule: string,
    parse: (given: string) => T | undefined,
  ) => readFlag(flags, name, (given) => parse(given) ?? rule, faults);
  const most = numberFlag(flags, '--max-failures', ranges.maxFailures, faults);
  const first = numberFlag(flags, '--canary', ranges.canary, faults);
  const maxPercent = read('--max-failure-rate', percentRule, parsePercent) ?? MAX_PERCENT;
  const batch = {
    from: text('from'),
    column: text('column'),
    skipMissing: flags['skipMissing'] === true,
    allowEmpty: flags['allowEmpty'] === true,
    concurrency: numberFlag(flags, '--concurrency', ranges.concurrency, faults) ?? CONCURRENCY,
    rate: read('--rate', rateRule, parseRate),
    maxFailures: most ?? Infinity,
    failuresTo: text('failuresTo'),
    shard: read('--shard', shardRule, parseShard),
    journal: text('journal'),
    retryUnknown: flags['retryUnknown'] === true,
    canary: first === undefined ? undefined : { count: first, maxPercent },
  };
  const { from, journal } = batch;
  const refuse = (field: string, problem: string, is: boolean) => {
    if (is) faults.push({ field, problem });
  };
  refuse('--skip-missing', 'requires --from', batch.skipMissing && from === undefined);
  refuse('--allow-empty', 'requires --from', batch.allowEmpty && from === undefined);
  refuse('--column', 'requires --from', batch.column !== undefined && from === undefined);
  refuse('--column', 'must not be empty', batch.column === '');
  refuse('--retry-unknown', 'requires --journal', batch.retryUnknown && journal === undefined);
  // A file of failures would only say so when everything was sent.
  const unnamed = 'needs a file name';
  refuse('--failures-to', unnamed, batch.failuresTo === '');
  refuse('--journal', unnamed, journal === '');
  // It chose a place for the journal once: a new one would send all of it again.
  refuse('--journal', 'needs a file name; "auto" is none any more', journal === 'auto');
  const hasRate = flags['maxFailureRate'] !== undefined;
  refuse('--max-failure-rate', 'requires --canary', hasRate && flags['canary'] === undefined);
  const asked =
    batch.canary !== undefined ||
    [...sharedFlags, ...journalFlags].some((flag) => flags[keyOfFlag(flag)] !== undefined);
  return { batch, asked, faults };
}
