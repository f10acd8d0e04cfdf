// The records of a batch: all of them checked before anything is sent, then read again as they are sent. Keeps none
// of them, only a hash of each, so a million take what one takes and some megabytes.

import { hashOf, hashTable } from '../call/hashes.ts';
import type { Journal } from '../call/journal.ts';
import { keyOf } from '../call/journal-key.ts';
import type { Outcome } from '../call/journal-line.ts';
import type { Entry } from '../call/records.ts';
import type { Input } from '../call/request.ts';
import { isInShard, type Shard } from '../call/shard.ts';
import { Failure, usageFailure, type Fault } from '../errors.ts';
import type { Field } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { STDIN, type RecordSource } from './batch-source.ts';
import { judge } from './judge.ts';

export interface Item {
  /** Where the record stands: its line, or the number of the id that was typed. */
  readonly line: number;
  readonly input: Input;
  /** The input as JSON text. */
  readonly text: string;
  /** What the record is called in the journal; empty without one. */
  readonly key: string;
  /** What an earlier run knows of it. */
  readonly past: Outcome | undefined;
}

export interface Records {
  /** Records to do: of this shard, each once. */
  readonly count: number;
  /** Repeated records, done once. */
  readonly repeated: number;
  /** Records of other shards. */
  readonly elsewhere: number;
  /** The same for the same records in any order. */
  readonly digest: string;
  /** What the first hundred are about. */
  readonly ids: readonly string[];
  /** Whether the ids that were confirmed are those of all records. */
  readonly confirmed: boolean;
  /** Reads them again, with what a journal knows of each. */
  items(journal: Pick<Journal, 'before'> | undefined): AsyncGenerator<readonly Item[]>;
}

export interface RecordRules {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  /** Fills in what a record leaves out, in the order that the operation declares. */
  readonly complete: (own: Input) => Input;
  /** What the command itself has against an input. */
  readonly faults: (input: Input) => readonly Fault[];
  readonly shard: Shard | undefined;
  /** Whether there may be none at all. */
  readonly allowEmpty: boolean;
  /** Ids that the user has confirmed. */
  readonly confirm: ReadonlySet<string>;
}

const MOST_FAULTS = 20;
const MOST_IDS = 100;
const SEEN = 1;
const TAKEN = 2;

/** Reads and judges all records. Throws one `usage` failure that lists the bad lines, twenty at most. */
export async function checkRecords(source: RecordSource, rules: RecordRules): Promise<Records> {
  const { operation, fields, complete, shard, allowEmpty, confirm } = rules;
  const textOf = writerFor(operation);
  const table = hashTable();
  const faults = faultList(source.name);
  const ids: string[] = [];
  let [count, repeated, elsewhere, high, low] = [0, 0, 0, 0, 0];
  let confirmed = confirm.size > 0;

  const check = (entry: Entry) => {
    if ('fault' in entry) return faults.add(entry.line, [entry.fault]);
    const input = complete(entry.input);
    const wrong = [...judge(operation, fields, input), ...rules.faults(input)];
    if (wrong.length > 0) return faults.add(entry.line, wrong.map(sentence));
    const hash = hashOf(textOf(input));
    if (shard !== undefined && !isInShard(hash, shard)) return void elsewhere++;
    if (table.set(hash, SEEN) !== 0) return void repeated++;
    const id = String(Object.values(input)[0]);
    confirmed &&= confirm.has(id);
    if (count++ < MOST_IDS) ids.push(id);
    high = (high + hash.high) >>> 0;
    low = (low + hash.low) >>> 0;
  };
  for await (const group of source.entries()) for (const entry of group) check(entry);
  faults.raise();
  if (count + elsewhere === 0 && !allowEmpty) throw nothingIn(source.name);

  return {
    count,
    repeated,
    elsewhere,
    digest: `${count}-${high.toString(36)}-${low.toString(36)}`,
    ids,
    confirmed,
    async *items(journal) {
      let left = count;
      for await (const group of source.entries()) {
        const items: Item[] = [];
        for (const entry of group) {
          if ('fault' in entry) throw changed(source.name);
          const input = complete(entry.input);
          const text = textOf(input);
          const hash = hashOf(text);
          if (shard !== undefined && !isInShard(hash, shard)) continue;
          const mark = table.set(hash, TAKEN);
          if (mark === 0) throw changed(source.name);
          if (mark === TAKEN) continue;
          left--;
          const key = journal === undefined ? '' : keyOf(text);
          items.push({ line: entry.line, input, text, key, past: journal?.before(key) });
        }
        if (items.length > 0) yield items;
      }
      if (left > 0) throw changed(source.name);
    },
  };
}

/** What is in JSON text as it is. */
const PLAIN = /^[\w-]*$/;

/** Writes inputs as JSON text. Of an operation that takes an id alone each has the same form. */
function writerFor({ input: { shape } }: Operation): (input: Input) => string {
  const [name, ...more] = Object.keys(shape);
  if (name === undefined || more.length > 0) return JSON.stringify;
  const start = `{${JSON.stringify(name)}:"`;
  return (input) => {
    const value = input[name];
    return typeof value === 'string' && PLAIN.test(value)
      ? `${start}${value}"}`
      : JSON.stringify(input);
  };
}

const sentence = ({ field, problem, fix }: Fault) =>
  `${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`;

/** Collects what is wrong, the first lines in words and the rest as a number. */
function faultList(name: string) {
  const told: Fault[] = [];
  let lines = 0;
  return {
    add(line: number, problems: readonly string[]): void {
      if (lines++ < MOST_FAULTS) told.push({ field: `line ${line}`, problem: problems.join('; ') });
    },
    raise(): void {
      if (lines === 0) return;
      const more = lines - told.length;
      throw new Failure('usage', {
        what: `${lines} ${lines === 1 ? 'line' : 'lines'} of ${name} cannot be used; nothing was sent`,
        why: [
          ...told.map(({ field, problem }) => `${field}: ${problem}`),
          ...(more > 0 ? [`… ${more} more`] : []),
        ],
        details: told,
        sent: false,
        retryable: false,
      });
    },
  };
}

const nothingIn = (name: string) =>
  usageFailure([
    {
      field: '--from',
      problem: `found no records: no ids ${name === STDIN ? 'on' : 'in'} ${name}`,
      fix: 'give a line for each: an id, or a JSON object of inputs; with --allow-empty there may be none',
    },
  ]);

const changed = (name: string) =>
  new Failure('local_io', {
    what: `${name} changed while it was read; what had not been started was left`,
    retryable: false,
  });
