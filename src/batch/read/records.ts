// The records of a batch: all are read, validated and compared before anything is sent. Equal records are merged; two
// that overlap in another way would send a part twice, and are an error.

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
import type { RecordEntry } from './json.ts';
import { STDIN } from './list.ts';

export interface BatchItem {
  /** The position of the record in its list: of a line, of a value in JSON, or of the typed ID. */
  readonly line: number;
  /** The input; of a record with parts, only those that are left to do. */
  readonly input: Input;
  /** The key of the record in the journal. */
  readonly key: string;
  /** The state in which an earlier run left the record. */
  readonly past: LeftToDo['past'];
  /**
   * Parts that an earlier run has sent and that are not done: they are not sent again, and waited for with the others.
   */
  readonly underWay?: readonly string[] | undefined;
}

export type ValidRecords = Awaited<ReturnType<typeof validateRecords>>;

/** The records of a list, or of the command line. */
export interface RecordList {
  /** Its name in messages. */
  readonly name: string;
  /** The unit of positions in messages; `undefined` for typed IDs, which need no position. */
  readonly unit?: string | undefined;
  readonly entries: readonly RecordEntry[];
}

export interface RecordRules {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  /** Adds missing fields to a record, in the order that the operation declares. */
  readonly complete: (own: Input) => Input;
  /** Returns the faults that the command finds in an input. */
  readonly faults: (input: Input) => readonly Fault[];
  readonly shard?: Shard | undefined;
  /** True if the list may be empty. */
  readonly allowEmpty?: boolean | undefined;
  /** True if records without the requested value are skipped. */
  readonly skipMissing?: boolean | undefined;
  /** Ends the validation. */
  readonly signal: AbortSignal;
}

const MAX_FAULTS = 20;
/** The number of records after which signals are handled. */
const SLICE = 5000;

/** A valid record, with its subject. */
interface ValidRecord extends RecordSubject {
  readonly line: number;
  readonly input: Input;
}

/** Validates all records. Throws one `usage` failure that lists the invalid lines, twenty at most. */
export async function validateRecords(list: RecordList, rules: RecordRules) {
  const { operation, shard, allowEmpty, skipMissing, signal } = rules;
  const { name, unit = 'record' } = list;
  const faults = faultList(name, unit);
  const subjectOf = subjectsOf(operation);
  const inputOf = validator(rules, faults);
  const overlaps = overlapFinder(partWord(operation));
  const records: ValidRecord[] = [];
  let [repeated, missing, elsewhere] = [0, 0, 0];
  for (const [i, entry] of list.entries.entries()) {
    if (i % SLICE === SLICE - 1) await setImmediate();
    signal.throwIfAborted();
    if (skipMissing === true && 'fault' in entry && entry.isMissing === true) {
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
        { field: '', problem: `overlaps with ${unit} ${before.line}, which names ${before.what}` },
      ]);
    else if (isInShare(operation, input, shard))
      records.push({ line: entry.line, input, ...subject });
    else elsewhere++;
  }
  faults.raise();
  if (records.length + elsewhere === 0 && allowEmpty !== true) throw noRecords(name, missing);
  return {
    unit: list.unit,
    /** The number of records to do: of this shard, each once. */
    count: records.length,
    /** The number of duplicates, which are skipped. */
    repeated,
    /** The number of records without the requested value, skipped by --skip-missing. */
    missing,
    /** The number of records in other shards. */
    elsewhere,
    /** The ID of each record. */
    ids: records.map(({ input }) => idOf(input)),
    /** Returns the records, with what a journal knows of each. */
    items: (journal: Pick<Journal, 'leftToDo'> | undefined): readonly BatchItem[] =>
      records.map((record) => itemOf(record, operation, journal)),
  };
}

/** Makes the function that returns the input of an entry, or adds its faults. */
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

/** Makes the item of a record, without the parts that an earlier run has done. */
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

/** Collects faults: the first lines in words, the rest as a number. */
function faultList(name: string, unit: string) {
  const details: Fault[] = [];
  /** The lines of each problem. */
  const linesOf = new Map<string, Set<number>>();
  let lines = 0;
  let isAnyMissing = false;
  return {
    add(line: number, faults: readonly Fault[], isMissing = false): undefined {
      isAnyMissing ||= isMissing;
      if (++lines > MAX_FAULTS) return;
      const problem = withSuggestions(faults).map(sentence).join('; ');
      details.push({ field: `${unit} ${line}`, problem });
      linesOf.set(problem, (linesOf.get(problem) ?? new Set()).add(line));
    },
    raise(): void {
      if (lines === 0) return;
      const why = [...linesOf].map(
        ([problem, own]) =>
          `${own.size === 1 ? unit : `${unit}s`} ${[...own].join(', ')}: ${problem}`,
      );
      const more = lines - details.length;
      throw unsentFailure('usage', {
        what: `${lines} invalid ${lines === 1 ? unit : `${unit}s`} in ${name}; nothing was sent`,
        why: more > 0 ? [...why, `… ${more} more`] : why,
        details,
        hint: isAnyMissing ? '--skip-missing leaves out records without the value' : undefined,
      });
    },
  };
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
  /** Equal for all records of one resource: its ID, or a hash of an input with more than an ID. */
  readonly key: string;
  /** The parts that the record names, each once; `undefined` for the whole. */
  readonly parts: readonly string[] | undefined;
}

/** 132 bits of a SHA-256, which do not reveal a text or a credential. */
const HASH_LENGTH = 22;

/** Returns the input without its named parts, as JSON text that is equal for all records of one resource. */
function wholeOf({ parts: field = '' }: Operation, input: Input): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => name !== field)),
  );
}

/** Makes the function that returns the subject of an input. */
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

/**
 * True if a record belongs to this shard. All records of one resource do, because another machine does not know which
 * parts they name.
 */
const isInShare = (operation: Operation, input: Input, shard: Shard | undefined): boolean =>
  shard === undefined || isInShard(hashOf(wholeOf(operation, input)), shard);

/** The subjects of the previous records, by key: the line that names the whole, and the line of each part. */
interface NamedBefore {
  whole?: number;
  readonly parts: Map<string, number>;
}

/** Finds equal records and those that overlap. Records are added in the order of the list. */
function overlapFinder(word: string) {
  const subjects = new Map<string, NamedBefore>();
  const lists = new Set<string>();
  return {
    /** Returns `repeated` after an equal record, or else the line of an overlapping one, if there is one. */
    add({ key, parts }: RecordSubject, line: number): 'repeated' | Overlap | undefined {
      const whole = JSON.stringify([key, parts?.toSorted()]);
      if (lists.has(whole)) return 'repeated';
      lists.add(whole);
      const before = subjects.get(key) ?? { parts: new Map<string, number>() };
      subjects.set(key, before);
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
  /** The line of the earlier record. */
  readonly line: number;
  /** The part that both name. */
  readonly what: string;
}
