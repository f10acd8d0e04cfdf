// The records of a batch: all are validated before anything is sent, then read again as they are sent. Only a hash of
// each is kept in memory: a million records take some megabytes.

import { idOf, type Input, type Operation } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { Failure, type Fault, usageFailure, unsentFailure } from '../../base/errors.ts';
import type { Names } from '../../input/types.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import { validateInput } from '../../input/validate-input.ts';
import { keyHash, keyOf, type JournalOutcome } from '../journal/format.ts';
import type { JournalKey } from '../journal/journal.ts';
import { isInShard, type Shard } from '../options.ts';
import {
  createClaimLedger,
  earlierOutcomes,
  type KnownOutcomes,
  recordSubject,
  type RecordPart,
  type RecordSubject,
  type UnderWay,
} from './duplicates.ts';
import type { RecordEntry } from './objects.ts';
import { type RecordSource, STDIN } from './source.ts';
import { type Hash, hashOf } from '../../base/hash.ts';

export interface BatchItem {
  /** Where the record stands: its line, or the number of the id that was typed. */
  readonly line: number;
  /** Of a record that names parts, those that no other record has named and no earlier run has done. */
  readonly input: Input;
  /** The journal's keys of the record; empty without a journal. */
  readonly keys: readonly JournalKey[];
  /** What an earlier run knows of it. */
  readonly past: JournalOutcome | undefined;
  /**
   * Parts that an earlier run has sent and not seen settle: they are not sent again, and waited for with the others.
   */
  readonly underWay?: UnderWay | undefined;
}

interface Totals {
  /** Records to do: of this shard, each once. */
  readonly count: number;
  /** Records that are left out because others name all that they name. */
  readonly repeated: number;
  /** Records that name a part twice, or one that another record names too; the rest of each is done. */
  readonly overlapping: number;
  /** Records of other shards. */
  readonly elsewhere: number;
  /** The ids of the first hundred. */
  readonly ids: readonly string[];
  /** Whether the user has confirmed the ids of all records. */
  readonly confirmed: boolean;
  /** Wholes and parts to do. */
  readonly units: number;
}

export type ValidRecords = Awaited<ReturnType<typeof validateRecords>>;

export interface RecordRules {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  /** Fills in what a record leaves out, in the order that the operation declares. */
  readonly complete: (own: Input) => Input;
  /** What the command itself has against an input. */
  readonly faults: (input: Input) => readonly Fault[];
  readonly shard: Shard | undefined;
  /** Whether there may be no records at all. */
  readonly allowEmpty: boolean;
  /** Called for each record that is read, with how many this reading of the list has read. */
  readonly tick: (count: number) => void;
  /** Ends the validation. */
  readonly signal: AbortSignal;
  /** Whether records are known by the hashes of their keys, so that a journal can list them. */
  readonly isKeyed: boolean;
  /** Ids that the user has confirmed. */
  readonly confirm: ReadonlySet<string>;
  /** The names that `complete` has put IDs in the place of; one that is left is a fault. */
  readonly names: Names | undefined;
}

const MAX_FAULTS = 20;
const MAX_IDS = 100;

/** A record with something to do, in this reading of the list. */
interface ClaimedRecord {
  readonly line: number;
  readonly input: Input;
  readonly subject: RecordSubject;
  readonly claim: 'all' | readonly RecordPart[];
}

/** Reads and validates all records. Throws one `usage` failure that lists the bad lines, twenty at most. */
export async function validateRecords(source: RecordSource, rules: RecordRules) {
  const { operation, complete, shard, allowEmpty, isKeyed, tick, signal, confirm } = rules;
  const ledger = createClaimLedger(isKeyed ? (text) => keyHash(keyOf(text)) : hashOf);
  // All records of one thing belong to one shard: another machine does not know what this one names.
  const isElsewhere = ({ whole }: RecordSubject) =>
    shard !== undefined && !isInShard(hashOf(whole), shard);

  /** One reading of all records. Gives those with something to do, in groups, and counts the others. */
  async function* read(
    inputOf: (entry: RecordEntry) => Input | undefined,
    others = { elsewhere: 0, nothing: 0 },
  ): AsyncGenerator<readonly ClaimedRecord[]> {
    ledger.begin();
    let count = 0;
    for await (const group of source.entries()) {
      const records: ClaimedRecord[] = [];
      for (const entry of group) {
        tick(++count);
        const input = inputOf(entry);
        if (input === undefined) continue;
        const subject = recordSubject(operation, input);
        const claim = isElsewhere(subject) ? 'elsewhere' : ledger.claim(subject);
        if (claim === 'unlisted') throw changed(source.name);
        if (claim === 'elsewhere' || claim === 'nothing') others[claim]++;
        else records.push({ line: entry.line, input, subject, claim });
      }
      yield records;
    }
  }
  const countAll = async (inputOf: (entry: RecordEntry) => Input | undefined): Promise<Totals> => {
    const others = { elsewhere: 0, nothing: 0 };
    let [count, units, overlapping, confirmed] = [0, 0, 0, confirm.size > 0];
    const ids: string[] = [];
    for await (const records of read(inputOf, others)) {
      signal.throwIfAborted();
      for (const { claim, input } of records) {
        const id = idOf(input);
        confirmed &&= confirm.has(id);
        if (count++ < MAX_IDS) ids.push(id);
        units += unitsOf(claim);
        overlapping += Number(claim !== 'all' && claim.length < namedIn(operation, input));
      }
    }
    const { elsewhere, nothing: repeated } = others;
    return { count, units, repeated, overlapping, elsewhere, ids, confirmed };
  };
  const again = (entry: RecordEntry): Input => {
    if ('fault' in entry) throw changed(source.name);
    return complete(entry.input);
  };

  const faults = faultList(source.name);
  let totals = await countAll(validator(rules, faults));
  await faults.raise();
  if (totals.count + totals.elsewhere === 0 && !allowEmpty) throw noRecords(source.name);
  // Which parts a record of the whole includes is only known once all are read.
  if (ledger.isOverclaimed()) totals = await countAll(again);

  return {
    ...totals,
    /** The hashes of all keys that a journal will know them by; of `isKeyed` records alone. */
    hashes: (): Iterable<Hash> => ledger.claimed(),
    /** Reads them again, with what a journal knows of each. */
    async *items(journal: KnownOutcomes | undefined): AsyncGenerator<readonly BatchItem[]> {
      let left = totals.units;
      for await (const records of read(again)) {
        for (const { claim } of records) left -= unitsOf(claim);
        if (records.length > 0) yield records.map((each) => itemOf(each, operation, journal));
      }
      if (left > 0) throw changed(source.name);
    },
  };
}

const unitsOf = (claim: ClaimedRecord['claim']): number => (claim === 'all' ? 1 : claim.length);

/** Makes the function that gives the input of an entry, or adds what is wrong with it to the faults. */
function validator(
  { operation, fields, complete, faults: more, names }: RecordRules,
  faults: Pick<ReturnType<typeof faultList>, 'add'>,
): (entry: RecordEntry) => Input | undefined {
  return (entry) => {
    if ('fault' in entry) return faults.add(entry.line, [{ field: '', problem: entry.fault }]);
    const input = complete(entry.input);
    const wrong = [...validateInput(operation, fields, input, { names }), ...more(input)];
    return wrong.length === 0 ? input : faults.add(entry.line, wrong);
  };
}

/** How many parts a record names; one that it names twice counts as two. */
const namedIn = ({ parts }: Operation, input: Input): number =>
  parts === undefined ? 0 : (input[parts] as readonly string[]).length;

/** A record as it is to be done: without the parts that others name or that an earlier run has done. */
function itemOf(
  { line, input: own, subject, claim }: ClaimedRecord,
  operation: Operation,
  journal: KnownOutcomes | undefined,
): BatchItem {
  const known = journal === undefined ? undefined : earlierOutcomes(journal, subject, claim);
  const { past, keys = [], underWay } = known ?? {};
  const parts = known?.parts ?? (claim === 'all' ? undefined : claim);
  if (parts === undefined || parts.length === namedIn(operation, own))
    return { line, input: own, keys, past, underWay };
  const input = { ...own, [operation.parts!]: parts.map(({ id }) => id) };
  return { line, input, keys, past, underWay };
}

const sentence = ({ field, problem, fix }: Fault) =>
  `${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`.trimStart();

/** Collects what is wrong: the first lines in words, the rest as a number. */
function faultList(name: string) {
  const first: { readonly line: number; readonly faults: readonly Fault[] }[] = [];
  let lines = 0;
  return {
    add(line: number, faults: readonly Fault[]): undefined {
      if (lines++ < MAX_FAULTS) first.push({ line, faults });
    },
    async raise(): Promise<void> {
      if (lines === 0) return;
      const more = lines - first.length;
      const shown: Fault[] = [];
      for (const { line, faults } of first) {
        const problem = (await withSuggestions(faults)).map(sentence).join('; ');
        shown.push({ field: `line ${line}`, problem });
      }
      throw unsentFailure('usage', {
        what: `${lines} invalid ${lines === 1 ? 'line' : 'lines'} in ${name}; nothing was sent`,
        why: [
          ...mergedLines(
            shown,
            first.map(({ line }) => line),
          ),
          ...(more > 0 ? [`… ${more} more`] : []),
        ],
        details: shown,
      });
    },
  };
}

/** Each problem once, under the numbers of its lines: `lines 2-5, 9: unknown field …`. */
function mergedLines(faults: readonly Fault[], lines: readonly number[]): readonly string[] {
  const problems = [...new Set(faults.map(({ problem }) => problem))];
  return problems.map((problem) => {
    const own = [...new Set(lines.filter((_line, i) => faults[i]!.problem === problem))];
    const word = own.length === 1 ? 'line' : 'lines';
    return `${word} ${numberRanges(own)}: ${problem}`;
  });
}

/** `2-5, 9` of ascending numbers. */
function numberRanges(numbers: readonly number[]): string {
  const starts = numbers.filter((number, i) => numbers[i - 1] !== number - 1);
  return starts
    .map((start) => {
      let end = start;
      while (numbers.includes(end + 1)) end++;
      return end === start ? String(start) : `${start}-${end}`;
    })
    .join(', ');
}

const noRecords = (name: string) =>
  usageFailure({
    field: '--from',
    problem: `contains no records: no IDs ${name === STDIN ? 'on' : 'in'} ${name}`,
    fix: 'write one per line: an ID or a JSON object; --allow-empty accepts an empty list',
  });

const changed = (name: string) =>
  new Failure('local_io', {
    what: `${name} changed while it was read; the remaining records were not started`,
    retryable: false,
  });
