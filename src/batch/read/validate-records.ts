// The records of a batch: all of them checked before anything is sent, then read again as they are sent. Keeps none
// of them, only a hash of each, so a million take what one takes and some megabytes.

import type { Operation, Input } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { Failure, type Fault, usageFailure } from '../../base/errors.ts';
import { validateInput } from '../../input/validate-input.ts';
import { keyHash, keyOf, type JournalOutcome } from '../journal/format.ts';
import type { JournalKey } from '../journal/journal.ts';
import { isInShard, type Shard } from '../options.ts';
import {
  type KnownOutcomes,
  createClaimLedger,
  type RecordPart,
  earlierOutcomes,
  type RecordSubject,
  subjectsOf,
} from './duplicates.ts';
import type { RecordEntry } from './records.ts';
import { type RecordSource, STDIN } from './source.ts';
import { type Hash, hashOf } from '../../base/hash.ts';

export interface BatchItem {
  /** Where the record stands: its line, or the number of the id that was typed. */
  readonly line: number;
  /** Of a record that names parts, those that no other record has named and no earlier run has done. */
  readonly input: Input;
  /** The input as JSON text. */
  readonly text: string;
  /** What the record is called in the journal; nothing without one. */
  readonly keys: readonly JournalKey[];
  /** What an earlier run knows of it. */
  readonly past: JournalOutcome | undefined;
}

export interface ValidRecords {
  /** Records to do: of this shard, each once. */
  readonly count: number;
  /** Records that name nothing but what other records name; left out. */
  readonly repeated: number;
  /** Records that name a part twice, or one that another record names too; the rest of each is done. */
  readonly overlapping: number;
  /** Records of other shards. */
  readonly elsewhere: number;
  /** What the first hundred are about. */
  readonly ids: readonly string[];
  /** The hashes of all keys that a journal will know them by; of `isKeyed` records alone. */
  hashes(): Iterable<Hash>;
  /** Whether the ids that were confirmed are those of all records. */
  readonly confirmed: boolean;
  /** Reads them again, with what a journal knows of each. */
  items(journal: KnownOutcomes | undefined): AsyncGenerator<readonly BatchItem[]>;
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
  /** Told of each record that is read. */
  readonly tick: () => void;
  /** Ends the check. */
  readonly signal: AbortSignal;
  /** Whether records are known by the hashes of their keys, so that a journal can keep which there are. */
  readonly isKeyed: boolean;
  /** Ids that the user has confirmed. */
  readonly confirm: ReadonlySet<string>;
}

const MOST_FAULTS = 20;
const MOST_IDS = 100;

type Found = Pick<
  ValidRecords,
  'count' | 'repeated' | 'overlapping' | 'elsewhere' | 'ids' | 'confirmed'
> & {
  /** Wholes and parts to do. */
  readonly units: number;
};

/** Reads and judges all records. Throws one `usage` failure that lists the bad lines, twenty at most. */
export async function validateRecords(
  source: RecordSource,
  rules: RecordRules,
): Promise<ValidRecords> {
  const { operation, complete, shard, allowEmpty, isKeyed, tick, signal, confirm } = rules;
  const subjectOf = subjectsOf(operation);
  const names = createClaimLedger(isKeyed ? (text) => keyHash(keyOf(text)) : hashOf);
  // All records of one thing fall on one shard: another machine does not know what this one names.
  const isElsewhere = ({ whole }: RecordSubject) =>
    shard !== undefined && !isInShard(hashOf(whole), shard);

  const find = async (inputOf: (entry: RecordEntry) => Input | undefined): Promise<Found> => {
    let [units, repeated, overlapping, elsewhere] = [0, 0, 0, 0];
    const ids = idCounter(confirm);
    names.begin();
    for await (const group of source.entries()) {
      signal.throwIfAborted();
      for (const entry of group) {
        tick();
        const input = inputOf(entry);
        if (input === undefined) continue;
        const subject = subjectOf(input);
        const claim = isElsewhere(subject) ? 'elsewhere' : names.claim(subject);
        if (claim === 'unlisted') throw changed(source.name);
        if (claim === 'elsewhere') elsewhere++;
        else if (claim === 'nothing') repeated++;
        else {
          ids.add(String(Object.values(input)[0]));
          units += claim === 'all' ? 1 : claim.length;
          overlapping += Number(claim !== 'all' && claim.length < namedIn(operation, input));
        }
      }
    }
    return { ...ids.found(), units, repeated, overlapping, elsewhere };
  };
  const faults = faultList(source.name);
  const again = (entry: RecordEntry): Input => {
    if ('fault' in entry) throw changed(source.name);
    return complete(entry.input);
  };

  let found = await find(judging(rules, faults));
  faults.raise();
  if (found.count + found.elsewhere === 0 && !allowEmpty) throw nothingIn(source.name);
  // Which parts a record of the whole includes is only known once all are read.
  if (names.isOverclaimed()) found = await find(again);

  return {
    ...found,
    hashes: () => names.claimed(),
    async *items(journal) {
      let left = found.units;
      names.begin();
      for await (const group of source.entries()) {
        const items: BatchItem[] = [];
        for (const entry of group) {
          const input = again(entry);
          const subject = subjectOf(input);
          if (isElsewhere(subject)) continue;
          const claim = names.claim(subject);
          if (claim === 'unlisted') throw changed(source.name);
          if (claim === 'nothing') continue;
          left -= claim === 'all' ? 1 : claim.length;
          items.push(itemOf(entry.line, { input, subject, claim }, operation, journal));
        }
        if (items.length > 0) yield items;
      }
      if (left > 0) throw changed(source.name);
    },
  };
}

/** Reads an entry for the first time: gives its input, or takes down what is wrong with it. */
function judging(
  { operation, fields, complete, faults: more }: RecordRules,
  faults: Pick<ReturnType<typeof faultList>, 'add'>,
): (entry: RecordEntry) => Input | undefined {
  return (entry) => {
    if ('fault' in entry) faults.add(entry.line, [entry.fault]);
    if ('fault' in entry) return undefined;
    const input = complete(entry.input);
    const wrong = [...validateInput(operation, fields, input), ...more(input)];
    if (wrong.length === 0) return input;
    faults.add(entry.line, wrong.map(sentence));
    return undefined;
  };
}

/** Counts records by their ids, keeps the first hundred, and looks whether each of them was confirmed. */
function idCounter(confirm: ReadonlySet<string>) {
  const ids: string[] = [];
  let [count, confirmed] = [0, confirm.size > 0];
  return {
    add(id: string) {
      confirmed &&= confirm.has(id);
      if (count++ < MOST_IDS) ids.push(id);
    },
    found: () => ({ count, ids, confirmed }),
  };
}

/** How many parts a record names, one that it names twice as two. */
const namedIn = ({ parts }: Operation, input: Input): number =>
  parts === undefined ? 0 : (input[parts] as readonly string[]).length;

interface Claimed {
  readonly input: Input;
  readonly subject: RecordSubject;
  readonly claim: 'all' | readonly RecordPart[];
}

/** A record as it is to be done. */
function itemOf(
  line: number,
  { input: own, subject, claim }: Claimed,
  operation: Operation,
  journal: KnownOutcomes | undefined,
): BatchItem {
  const known = journal === undefined ? undefined : earlierOutcomes(journal, subject, claim);
  const { past, keys = [] } = known ?? {};
  const parts = known?.parts ?? (claim === 'all' ? undefined : claim);
  if (parts === undefined || parts.length === namedIn(operation, own))
    return { line, input: own, text: subject.text, keys, past };
  const input = { ...own, [operation.parts!]: parts.map(({ id }) => id) };
  return { line, input, text: JSON.stringify(input), keys, past };
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
