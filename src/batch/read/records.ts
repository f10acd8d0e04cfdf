// The records of a batch: all are read, validated and compared before anything is sent. Equal records are one; two that
// overlap in another way would do a part twice, and are an error.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Input, type Operation, idOf } from '../../api/operations/define-operation.ts';
import { type Field, fieldsOf, partWord } from '../../api/operations/fields.ts';
import { type Fault, unsentFailure, usageFailure } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import { validateInput } from '../../input/validate-input.ts';
import { HASHED } from '../journal/format.ts';
import type { Journal, LeftToDo } from '../journal/journal.ts';
import { type Shard, isInShard } from '../options.ts';
import type { RecordEntry } from './objects.ts';
import { STDIN } from './list.ts';

export interface BatchItem {
  /** Where the record stands: its line, or the number of the id that was typed. */
  readonly line: number;
  /** Of a record that names parts, those that are left to do. */
  readonly input: Input;
  /** What the journal knows the record by. */
  readonly key: string;
  /** What an earlier run leaves of it. */
  readonly past: LeftToDo['past'];
  /**
   * Parts that an earlier run has sent and not seen settle: they are not sent again, and waited for with the others.
   */
  readonly underWay?: readonly string[] | undefined;
}

export type ValidRecords = Awaited<ReturnType<typeof validateRecords>>;

/** The records of a list, or of the command line. */
export interface RecordList {
  /** Its name in messages. */
  readonly name: string;
  readonly entries: readonly RecordEntry[];
}

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
  /** Whether records without the value that is asked for are skipped. */
  readonly skipMissing: boolean;
  /** Ends the validation. */
  readonly signal: AbortSignal;
  /** Ids that the user has confirmed. */
  readonly confirm: ReadonlySet<string>;
}

const MAX_FAULTS = 20;
const MAX_IDS = 100;
/** Records after which a signal is let through. */
const SLICE = 5000;

/** A record to do, with what it is about. */
interface ValidRecord extends RecordSubject {
  readonly line: number;
  readonly input: Input;
}

/** Validates all records. Throws one `usage` failure that lists the bad lines, twenty at most. */
export async function validateRecords(list: RecordList, rules: RecordRules) {
  const { operation, shard, allowEmpty, skipMissing, signal, confirm } = rules;
  const faults = faultList(list.name);
  const [subjectOf, inputOf, overlaps] = [
    subjectsOf(operation),
    validator(rules, faults),
    overlapFinder(partWord(operation)),
  ];
  const records: ValidRecord[] = [];
  let [repeated, missing, elsewhere] = [0, 0, 0];
  for (const [i, entry] of list.entries.entries()) {
    if (i % SLICE === SLICE - 1) await setImmediate();
    signal.throwIfAborted();
    if (skipMissing && 'fault' in entry && entry.isMissing === true) {
      missing++;
      continue;
    }
    const input = inputOf(entry);
    if (input === undefined) continue;
    const subject = subjectOf(input);
    const before = overlaps.add(subject, entry.line);
    if (before === 'repeated') repeated++;
    else if (before !== undefined)
      faults.add(entry.line, [
        { field: '', problem: `overlaps with line ${before.line}, which names ${before.what}` },
      ]);
    else if (isInShare(operation, input, shard))
      records.push({ line: entry.line, input, ...subject });
    else elsewhere++;
  }
  await faults.raise();
  if (records.length + elsewhere === 0 && !allowEmpty) throw noRecords(list.name, missing);
  return {
    /** Records to do: of this shard, each once. */
    count: records.length,
    /** Duplicates of other records, which are skipped. */
    repeated,
    /** Records without the value that is asked for, skipped by --skip-missing. */
    missing,
    /** Records of other shards. */
    elsewhere,
    /** The ids of the first hundred. */
    ids: records.slice(0, MAX_IDS).map(({ input }) => idOf(input)),
    /** Whether the user has confirmed the ids of all records. */
    confirmed: confirm.size > 0 && records.every(({ input }) => confirm.has(idOf(input))),
    /** The records, with what a journal knows of each. */
    items: (journal: Pick<Journal, 'leftToDo'> | undefined): readonly BatchItem[] =>
      records.map((record) => itemOf(record, operation, journal)),
  };
}

/** Makes the function that gives the input of an entry, or adds what is wrong with it to the faults. */
function validator(
  { operation, fields, complete, faults: more }: RecordRules,
  faults: Pick<ReturnType<typeof faultList>, 'add'>,
): (entry: RecordEntry) => Input | undefined {
  return (entry) => {
    if ('fault' in entry) {
      const { line, fault, isMissing } = entry;
      return faults.add(line, [{ field: '', problem: fault }], isMissing);
    }
    const input = complete(entry.input);
    const wrong = [...validateInput(operation, fields, input), ...more(input)];
    return wrong.length === 0 ? input : faults.add(entry.line, wrong);
  };
}

/** A record as it is to be done: without the parts that an earlier run has done. */
function itemOf(
  { line, input, key, parts }: ValidRecord,
  { parts: field = '' }: Operation,
  journal: Pick<Journal, 'leftToDo'> | undefined,
): BatchItem {
  const left = journal?.leftToDo(key, parts);
  const { past, underWay, targets = parts } = left ?? {};
  if (targets === undefined) return { line, input, key, past, underWay };
  return { line, input: { ...input, [field]: targets }, key, past, underWay };
}

const sentence = ({ field, problem, fix }: Fault) =>
  `${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`.trimStart();

/** Collects what is wrong: the first lines in words, the rest as a number. */
function faultList(name: string) {
  const first: { readonly line: number; readonly faults: readonly Fault[] }[] = [];
  let lines = 0;
  let isAnyMissing = false;
  return {
    add(line: number, faults: readonly Fault[], isMissing = false): undefined {
      isAnyMissing ||= isMissing;
      if (lines++ < MAX_FAULTS) first.push({ line, faults });
    },
    async raise(): Promise<void> {
      if (lines === 0) return;
      const more = lines - first.length;
      const shown: Fault[] = [];
      for (const { line, faults } of first) {
        const problem = withSuggestions(faults).map(sentence).join('; ');
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
        ...(isAnyMissing ? { hint: '--skip-missing leaves out records without the value' } : {}),
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

const noRecords = (name: string, missing: number) =>
  usageFailure({
    field: '--from',
    problem:
      missing > 0
        ? `contains no records: all ${missing} in ${name} were skipped by --skip-missing`
        : `contains no records: no IDs ${name === STDIN ? 'on' : 'in'} ${name}`,
    fix: 'write one per line: an ID or a JSON object; --allow-empty accepts an empty list',
  });

export interface RecordSubject {
  /** The same for every record of one thing: its id, or a hash of the input where that is more than an id. */
  readonly key: string;
  /** The parts that the record names, each once; `undefined` where it is about the whole. */
  readonly parts: readonly string[] | undefined;
}

/** 132 bits of a SHA-256, from which a text or a credential cannot be read back. */
const HASH_LENGTH = 22;

/** The input without the parts that it names, as JSON text: the same for every record of one thing. */
function wholeOf({ parts: field = '' }: Operation, input: Input): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => name !== field)),
  );
}

/** Makes the function that says what an input of this operation is about. */
function subjectsOf(operation: Operation): (input: Input) => RecordSubject {
  const { parts: field = '' } = operation;
  const [first, ...more] = fieldsOf(operation).filter(({ name }) => name !== field);
  const isPlain = first !== undefined && more.length === 0 && !first.hidden;
  const hashed = (input: Input) => {
    const hash = createHash('sha256').update(wholeOf(operation, input)).digest('base64url');
    return HASHED + hash.slice(0, HASH_LENGTH);
  };
  return (input) => {
    const named = input[field] as readonly string[] | undefined;
    return {
      key: isPlain ? String(input[first.name]) : hashed(input),
      parts: named === undefined ? undefined : [...new Set(named)],
    };
  };
}

/** Whether a record belongs to this share; all records of one thing do, another machine does not know what they name. */
const isInShare = (operation: Operation, input: Input, shard: Shard | undefined): boolean =>
  shard === undefined || isInShard(hashOf(wholeOf(operation, input)), shard);

/** What the records before one are about, by their keys: the lines that name the whole, and each part. */
interface NamedBefore {
  whole?: number;
  readonly parts: Map<string, number>;
}

/** Finds equal records and those that overlap. Records are given in the order of the list. */
function overlapFinder(word: string) {
  const seen = new Map<string, NamedBefore>();
  const lists = new Set<string>();
  return {
    /** `repeated` where an equal record came before; else the line of one that this overlaps with, if there is one. */
    add({ key, parts }: RecordSubject, line: number): 'repeated' | Overlap | undefined {
      const whole = JSON.stringify([key, parts?.toSorted()]);
      if (lists.has(whole)) return 'repeated';
      lists.add(whole);
      const before = seen.get(key) ?? { parts: new Map<string, number>() };
      seen.set(key, before);
      const shared = parts?.find((part) => before.parts.has(part));
      const sharedLine = before.parts.get(shared ?? '');
      const [some] = before.parts;
      if (parts === undefined) before.whole = line;
      for (const part of parts ?? []) if (!before.parts.has(part)) before.parts.set(part, line);
      if (parts === undefined)
        return some && { line: some[1], what: `${word} ${some[0]} of ${key}` };
      if (before.whole !== undefined) return { line: before.whole, what: `all of ${key}` };
      return sharedLine === undefined
        ? undefined
        : { line: sharedLine, what: `${word} ${shared} of ${key}` };
    },
  };
}

export interface Overlap {
  /** The line of the record before. */
  readonly line: number;
  /** What that one names. */
  readonly what: string;
}
