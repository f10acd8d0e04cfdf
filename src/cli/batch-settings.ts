// What the flags of a batch say. Judges them all; opens nothing.

import { parseRate, rateRule, type Rate } from '../call/pace.ts';
import { parseShard, shardRule, type Shard } from '../call/shard.ts';
import type { Fault } from '../errors.ts';
import { quote } from '../output/sanitize.ts';
import { batchFlags, CONCURRENCY, ranges } from './batch-flags.ts';
import { camel } from './flag-names.ts';
import { longName } from './globals.ts';
import { wholeNumber, type RawFlags } from './settings.ts';

export interface BatchSettings {
  /** A file of records, `-` for standard input; nothing where the ids were typed. */
  readonly from: string | undefined;
  /** Whether there may be no records at all. */
  readonly allowEmpty: boolean;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  /** Failed and unknown items after which nothing more is started; `Infinity` without a limit. */
  readonly maxFailures: number;
  readonly failuresTo: string | undefined;
  readonly shard: Shard | undefined;
  /** A path, or `auto`. */
  readonly journal: string | undefined;
  readonly retryUnknown: boolean;
}

/** The batch that the flags ask for, `asked` where one of them was given, and what is wrong with them. */
export function batchSettingsOf(flags: RawFlags): {
  readonly batch: BatchSettings;
  readonly asked: boolean;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const text = (key: string) => flags[key] as string | undefined;
  const read = <T>(name: string, rule: string, parse: (given: string) => T | undefined) => {
    const given = text(camel(name.slice(2)));
    const value = given === undefined ? undefined : parse(given);
    if (given !== undefined && value === undefined)
      faults.push({ field: name, problem: `${rule}, got ${quote(given)}` });
    return value;
  };
  const number = (name: string, { minimum, maximum }: { minimum: number; maximum: number }) =>
    read(name, `must be a whole number from ${minimum} to ${maximum}`, (given) => {
      const value = wholeNumber(minimum, maximum)(given);
      return typeof value === 'number' ? value : undefined;
    });
  const most = number('--max-failures', ranges.maxFailures);
  const batch = {
    from: text('from'),
    allowEmpty: flags['allowEmpty'] === true,
    concurrency: number('--concurrency', ranges.concurrency) ?? CONCURRENCY,
    rate: read('--rate', rateRule, parseRate),
    maxFailures: flags['failFast'] === true ? 1 : (most ?? Infinity),
    failuresTo: text('failuresTo'),
    shard: read('--shard', shardRule, parseShard),
    journal: text('journal'),
    retryUnknown: flags['retryUnknown'] === true,
  };
  return {
    batch,
    asked: batchFlags.some((flag) => flags[camel(longName(flag.flags).slice(2))] !== undefined),
    faults: [...faults, ...contradictions(flags, batch)],
  };
}

const clash = (field: string, problem: string, is: boolean) => (is ? [{ field, problem }] : []);

function contradictions(flags: RawFlags, batch: BatchSettings): Fault[] {
  const { journal, retryUnknown, from } = batch;
  const stdin = Object.keys(flags).filter((key) => key.endsWith('File') && flags[key] === '-');
  return [
    ...clash(
      '--fail-fast',
      'contradicts --max-failures; choose one',
      flags['failFast'] === true && flags['maxFailures'] !== undefined,
    ),
    ...clash('--allow-empty', 'goes with --from', batch.allowEmpty && from === undefined),
    ...clash('--retry-unknown', 'goes with --journal', retryUnknown && journal === undefined),
    ...clash(
      '--from',
      '- reads standard input, which another flag reads too',
      from === '-' && stdin.length > 0,
    ),
  ];
}
