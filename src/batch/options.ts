// The flags of a batch: declared as data, and parsed with all their faults. Opens nothing.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { isStdinPath } from '../base/paths.ts';
import { type CommandLine, flagWords, withFlagValue } from '../base/shell.ts';
import { int, nonEmpty, typeBy, writtenPath } from '../config/flag-types.ts';
import { type FlagSpec, keyOfFlag, type RawFlags } from '../config/flags.ts';

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

/** Reads `3/8`, shard 3 of 8. `undefined` for other text, and for a shard that does not exist, such as `9/8`. */
function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return index >= 1 && index <= count && count <= MAX_SHARDS ? { index, count } : undefined;
}

/** True if a record belongs to a shard. Only its SHA-256 in hex decides, so that machines need no coordination. */
export function isInShard(hash: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash.slice(0, 8), 16) % count === index - 1;
}

/** Reads `10/s` or `90/m`: 1 to 100000. `undefined` for other text. */
function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,6})\/(s|m)$/.exec(text);
  const count = Number(match?.[1] ?? 0);
  if (match === null || count < 1 || count > 100_000) return undefined;
  return { count, spanMs: match[2] === 's' ? 1000 : 60_000 };
}

/** The percentage of the canary that may fail by default. */
const DEFAULT_MAX_FAILURE_RATE = 10;
const percentRule = 'must be a percentage from 0% to 100%, e.g. 10%';

/** Reads `10%` or `2.5%`. `undefined` for other text: 0.1 would be ambiguous. */
function parsePercent(text: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d)?)%$/.exec(text);
  // Without a match this is NaN, and no comparison with it is true.
  const percent = Number(match?.[1]);
  return percent >= 0 && percent <= 100 ? percent : undefined;
}

/** The default maximum of requests in flight. */
const DEFAULT_CONCURRENCY = 8;
const MAX_CONCURRENCY = 32;

const upToAMillion = int(1, 1_000_000);

/** The flags that make a batch of any operation, in the order of the help. */
const sharedFlags: readonly FlagSpec[] = [
  {
    flags: '--from <file>',
    description: 'Read IDs, JSON, CSV or TSV from a file ("-" for stdin)',
    stdin: true,
    // Lists are not joined: without this fault, only the last would be read.
    once: true,
  },
  {
    flags: '--column <name>',
    description: 'With --from: take the ID from this column (name or number) or JSON path',
    type: nonEmpty,
    requires: ['--from'],
  },
  {
    flags: '--skip-missing',
    description: 'With --from: leave out records without a value in the column',
    requires: ['--from'],
  },
  {
    flags: '--allow-empty',
    description: 'Succeed when the input is empty',
    requires: ['--from'],
  },
  {
    flags: '--concurrency <n>',
    description: `Maximum parallel requests, 1 to ${MAX_CONCURRENCY} (default ${DEFAULT_CONCURRENCY})`,
    type: int(1, MAX_CONCURRENCY),
  },
  {
    flags: '--rate <n/s>',
    description: 'Limit request rate, e.g. 10/s or 90/m',
    type: typeBy(rateRule, parseRate),
  },
  {
    flags: '--max-failures <n>',
    description: 'Stop after n failures',
    type: upToAMillion,
  },
  {
    flags: '--failures-to <file>',
    description: 'Write failed items to a file, for another --from',
    type: writtenPath('file'),
  },
  {
    flags: '--shard <i/n>',
    description: 'Process only shard i of n',
    type: typeBy(shardRule, parseShard),
  },
];

/** The flags of a batch of changes. Repeating a read is harmless, so it needs no journal. */
const journalFlags: readonly FlagSpec[] = [
  {
    flags: '--journal <file>',
    description: 'Record progress in a file so the batch can be resumed',
    type: writtenPath('file'),
  },
  {
    flags: '--retry-unknown',
    description: 'Also resend items whose outcome is unknown (needs --journal)',
    requires: ['--journal'],
  },
];

/** The flags of a batch of changes that can be waited for. */
const canaryFlags: readonly FlagSpec[] = [
  {
    flags: '--canary <n>',
    description: 'Send the first n and wait for them; send the rest only if few of them fail',
    type: upToAMillion,
  },
  {
    flags: '--max-failure-rate <percent>',
    description: `With --canary: percentage that may fail (default ${DEFAULT_MAX_FAILURE_RATE}%)`,
    type: typeBy(percentRule, parsePercent),
    requires: ['--canary'],
  },
];

/** Returns the flags that make a batch of an operation, in the order of the help. */
export const batchFlags = (operation: Operation): readonly FlagSpec[] => [
  ...sharedFlags,
  ...(isChange(operation) ? journalFlags : []),
  ...(isChange(operation) && operation.wait !== undefined ? canaryFlags : []),
];

/** Every flag of a batch. */
export const allBatchFlags: readonly FlagSpec[] = [...sharedFlags, ...journalFlags, ...canaryFlags];

/** The values of the flags above. */
export interface BatchOptions {
  /** A file of records, `-` for standard input; `undefined` if the IDs are on the command line. */
  readonly from?: string | undefined;
  /** The column or the path of each record's ID; `undefined` if each record is a whole input. */
  readonly column?: string | undefined;
  /** True if records without a value in the column are skipped. */
  readonly skipMissing?: boolean | undefined;
  /** True if the list may be empty. */
  readonly allowEmpty?: boolean | undefined;
  readonly concurrency: number;
  readonly rate?: Rate | undefined;
  /** The number of failed and unknown items after which nothing more is started; `Infinity` without a limit. */
  readonly maxFailures: number;
  readonly failuresTo?: string | undefined;
  readonly shard?: Shard | undefined;
  readonly journal?: string | undefined;
  readonly retryUnknown?: boolean | undefined;
  /** The number of records to send first; the others follow if at most `maxFailureRate` percent of these failed. */
  readonly canary?: number | undefined;
  readonly maxFailureRate: number;
}

/** Adds the defaults to the flags of a batch; `isTyped` is true if one of them was typed. */
export function batchOptionsOf(flags: RawFlags): {
  readonly batchOptions: BatchOptions;
  readonly isTyped: boolean;
} {
  // The flags above have parsed their values to these types.
  const typed = flags as Partial<BatchOptions>;
  const {
    concurrency = DEFAULT_CONCURRENCY,
    maxFailures = Infinity,
    maxFailureRate = DEFAULT_MAX_FAILURE_RATE,
  } = typed;
  const batchOptions = { ...typed, concurrency, maxFailures, maxFailureRate };
  const isTyped = allBatchFlags.some((flag) => flags[keyOfFlag(flag)] !== undefined);
  return { batchOptions, isTyped };
}

/** True if a list has no lasting name: standard input, or what a shell makes of `<(…)`. */
export const isPiped = (from: string | undefined): boolean =>
  from !== undefined && (isStdinPath(from) || /^\/(?:dev|proc\/self)\/fd\//.test(from));

/**
 * Returns the words of a line that can be typed again: a list without a lasting name is read from standard input.
 */
export const repeatable = (argv: readonly string[], from: string | undefined): readonly string[] =>
  isPiped(from) ? withFlagValue(argv, '--from', '-') : argv;

/** Returns a list as flags of another command, with all that choose its records. */
export const listFlags = (
  from: string,
  { column, skipMissing, shard }: Pick<BatchOptions, 'column' | 'skipMissing' | 'shard'>,
): CommandLine => [
  ...flagWords('--from', from),
  ...(column === undefined ? [] : flagWords('--column', column)),
  ...(skipMissing === true ? ['--skip-missing'] : []),
  ...(shard === undefined ? [] : flagWords('--shard', `${shard.index}/${shard.count}`)),
];
